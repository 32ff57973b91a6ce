/* What caches do while updates come, streams of events pass, and the publisher is away. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { constants, createGunzip } from 'node:zlib';
import { type Cursor, formatCursor, parseCursor } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { size } from '@ldes-live/test-support/properties';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Answer,
  ask,
  type CachedStream,
  type CachedWorld,
  cachedWorld,
  openHerd,
  WAYS,
  type Way,
} from './caches/world.ts';
import { isThere, need } from './support/programs.ts';

const CACHES = WAYS.filter(({ program }) => program !== undefined && isThere(program));
/** Whole seconds are what header fields count in, so that an interval is more than one. */
const INTERVALS_MS = [1100, 1600];
const LONG_MS = 60_000;
/** How often each document is asked for, at all parts of a second. */
const EVERY_MS = 37;
const HERD = size({ gate: 100, night: 500 });
/** For how long nginx lets requests wait for that of another, where it has no old document. */
const NGINX_WAIT_MS = 100;

let world: CachedWorld;
beforeAll(async () => {
  world = await cachedWorld(45);
});
afterAll(() => world?.close());

const tailOf = ({ epoch, sequence }: Cursor) => `/pages/${epoch}/after-${sequence}`;
const cursorOf = ({ headers }: Answer) => headers['ldes-cursor'];
const documentsOf = (stream: CachedStream) => ['', '/latest', `/pages/${stream.head().epoch}/0`];

/** Asks for the stream of events on a way; the answer's header has come. */
async function opened(stream: CachedStream, way: Way, query = '', headers: Readonly<Record<string, string>> = {}) {
  const asked = request(stream.on(way, `/events${query}`), { headers, agent: false });
  asked.on('error', () => undefined);
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { asked, response };
}

describe.concurrent.each(WAYS)('$name', (way) => {
  need(way.program);

  test('CACHE-1 an update that comes when it was said to is seen at once, a late one within a tenth of a second', async () => {
    const stream = await world.stream();
    const paths = documentsOf(stream);
    const seen = () => Promise.all(paths.map((path) => ask(stream.on(way, path))));
    const heads = () => paths.map(() => formatCursor(stream.head()));
    for (const intervalMs of INTERVALS_MS) {
      await stream.update(intervalMs);
      expect((await seen()).map(cursorOf)).toEqual(heads());
    }
    // Overdue at the beginning of a second: nothing that counts in seconds has forgotten it 150 ms later.
    await stream.update(2050 - (Date.now() % 1000));
    await stream.due();
    const before = heads();
    const overdue = await seen();
    expect(overdue.map(cursorOf)).toEqual(before);
    for (const { headers } of overdue) expect(headers['next-update']).toBeUndefined();
    await stream.update(LONG_MS);
    await delay(150);
    expect((await seen()).map(cursorOf)).toEqual(heads());
  });

  test('CACHE-2 no answer has a max-age, an Expires or a Next-Update that reaches past the next update', async () => {
    const stream = await world.stream();
    const updates: { readonly sequence: number; readonly atMs: number }[] = [];
    stream.log.subscribe(({ cursor }) => updates.push({ sequence: cursor.sequence, atMs: Date.now() }));
    const agent = new Agent({ keepAlive: true });
    const sampling = new AbortController();
    const samples: { path: string; sentMs: number; answer: Answer }[] = [];
    const sample = async (path: string) => {
      while (!sampling.signal.aborted) {
        const sentMs = Date.now();
        samples.push({ path, sentMs, answer: await ask(stream.on(way, path), { agent }) });
        await delay(EVERY_MS);
      }
    };
    const paths = documentsOf(stream);
    await stream.update(INTERVALS_MS[0]);
    const samplers = paths.map(sample);
    for (const intervalMs of INTERVALS_MS) await stream.update(intervalMs);
    await stream.update();
    sampling.abort();
    await Promise.all(samplers);
    agent.destroy();
    const stating = new Set<string>();
    for (const { path, sentMs, answer } of samples) {
      // The update after the state that the answer shows; the last state has none yet.
      const { sequence } = parseCursor(cursorOf(answer) as string);
      const next = updates.find((update) => update.sequence > sequence);
      if (next === undefined || answer.headers['next-update'] === undefined) continue;
      stating.add(`${path} ${sequence}`);
      expect(reachesMs(answer, sentMs), `${path} ${JSON.stringify(answer.headers)}`).toBeLessThanOrEqual(next.atMs);
    }
    // Each document has been seen in each of three states at least once while it stated its next update.
    expect(stating.size).toBeGreaterThanOrEqual(3 * paths.length);
  });

  test('CACHE-6 a conditional request is answered by 304 up to the next update, by nginx up to its second', async () => {
    const stream = await world.stream();
    // Its last second is almost a whole one: in it a cache that counts in seconds may have to ask the publisher.
    await stream.update(2000 + ((1950 - (Date.now() % 1000)) % 1000));
    const { headers } = await ask(stream.on(way, '/latest'));
    const nextMs = Date.parse(headers['next-update'] as string);
    const secondMs = Math.floor(nextMs / 1000) * 1000;
    const untilMs = way.name === 'nginx' ? secondMs : nextMs;
    await delay(untilMs - 500 - Date.now());
    let asked = 0;
    while (Date.now() < untilMs - 60) {
      const { status } = await ask(stream.on(way, '/latest'), { headers: { 'if-none-match': headers.etag as string } });
      if (Date.now() < untilMs) expect(status, `request ${asked}`).toBe(304);
      asked += 1;
      await delay(EVERY_MS);
    }
    expect(asked).toBeGreaterThan(0);
  });

  test('CACHE-4 CACHE-6 a tail holds one commit, as it does straight, and is answered by 304 at the cache', async () => {
    const stream = await world.stream();
    const path = tailOf(stream.head());
    await stream.update(LONG_MS);
    const headers = { accept: 'application/n-triples' };
    const answer = await ask(stream.on(way, path), { headers });
    expect(answer.body.toString().match(/tree#member>/g)).toHaveLength(2);
    const again = await ask(stream.on(way, path), {
      headers: { ...headers, 'if-none-match': answer.headers.etag as string },
    });
    expect([again.status, cursorOf(again)]).toEqual([304, formatCursor(stream.head())]);
    expect(stream.arrived(path)).toBe(way.program ? 1 : 2);
  });

  test('CACHE-8 a tail that has become too long leads to the pages, and nothing of that is kept', async () => {
    // Who lacks a thousand members.
    const stream = await world.stream(501);
    const { epoch } = stream.head();
    const path = tailOf({ epoch, sequence: 0 });
    // Equal requests within a tenth of a second may share an answer: the next one after that may not.
    while (stream.arrived(path) < 2) {
      const { status, headers } = await ask(stream.on(way, path));
      expect([status, headers.location]).toEqual([307, `${stream.url}/pages/${epoch}/0`]);
    }
  });

  test.for([undefined, 'gzip'])(
    'CACHE-10 a stream of events begins at once, and has each update as it comes (%s)',
    async (coding) => {
      const stream = await world.stream();
      const from = formatCursor({ ...stream.head(), sequence: 0 });
      const headers = coding === undefined ? {} : { 'accept-encoding': coding };
      const { asked, response } = await opened(stream, way, `?from=${from}`, headers);
      expect(response.headers['content-type']).toContain('text/event-stream');
      expect(response.headers['content-encoding']).toBe(coding);
      let text = '';
      const plain = coding ? response.pipe(createGunzip({ flush: constants.Z_SYNC_FLUSH })) : response;
      plain.on('error', () => undefined);
      plain.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      // Nothing comes after it that could push it on: heartbeats are 15 s apart.
      const arrives = () =>
        eventually(() => expect(text).toContain(`id: ${formatCursor(stream.head())}`), { forMs: 5000 });
      await arrives();
      for (let update = 0; update < 3; update += 1) {
        await stream.update();
        await arrives();
      }
      asked.destroy();
    },
  );

  test('CACHE-13 the publisher is asked what the reader asks, and by whom', async ({ onTestFinished }) => {
    const stream = await world.stream();
    const { port } = new URL(world.publicUrl);
    const arrived: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
    const note = (message: unknown) => {
      const { url, headers, socket } = (message as { request: IncomingMessage }).request;
      if (socket.localPort === Number(port) && url?.includes(`/${stream.name}/events`)) arrived.push({ url, headers });
    };
    subscribe('http.server.request.start', note);
    onTestFinished(() => void unsubscribe('http.server.request.start', note));
    const cursor = formatCursor({ ...stream.head(), sequence: 1 });
    const query = '?from=latest&entity=http%3A%2F%2Fexample.org%2Fa&entity=http%3A%2F%2Fexample.org%2Fb';
    const headers = { 'last-event-id': cursor, 'accept-encoding': 'br;q=0.3, gzip;q=0.7' };
    for (let reader = 0; reader < 2; reader += 1) {
      const { asked, response } = await opened(stream, way, query, { ...headers, 'x-forwarded-for': '203.0.113.9' });
      expect(response.headers['ldes-cursor']).toBe(cursor);
      asked.destroy();
    }
    // Each of the two, though they ask the same.
    expect(arrived).toHaveLength(2);
    for (const { url, headers: passed } of arrived) {
      expect(url).toBe(`/${stream.name}/events${query}`);
      expect(passed).toMatchObject(headers);
      // What the reader says comes first, and what the cache saw last.
      expect(passed['x-forwarded-for']).toBe(way.program ? '203.0.113.9, 127.0.0.1' : '203.0.113.9');
    }
  });
});

/** Up to when a cache would keep an answer at most, epoch milliseconds; it counts from its request. */
function reachesMs({ headers }: Answer, sentMs: number): number {
  const maxAge = /max-age=(\d+)/.exec(headers['cache-control'] ?? '')?.[1];
  const reaches = [headers['next-update'] as string, headers.expires as string].map(Date.parse);
  if (maxAge !== undefined) reaches.push(sentMs + (Number(maxAge) - Number(headers.age ?? 0)) * 1000);
  return Math.max(...reaches);
}

// From here on one test after the other, each on all ways: crowds ask at one instant, and the publisher comes and goes.

test.for(INTERVALS_MS)(
  'CACHE-3 DOC-63 many who ask at the same instant for what was updated after %i ms cost the publisher one request',
  async (intervalMs) => {
    const field = (head: string, name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1];
    const rounds = world.ways.map(async (way) => {
      const stream = await world.stream();
      await stream.update(intervalMs);
      const old = stream.head();
      const documents = [...documentsOf(stream).slice(1), tailOf(old)];
      // One of the two times somebody came too early for the tail: what it was is kept until the update, and no longer.
      const early = intervalMs === INTERVALS_MS[0] ? documents : documents.slice(0, -1);
      for (const path of early) expect(cursorOf(await ask(stream.on(way, path)))).toBe(formatCursor(old));
      const herd = await openHerd(stream.on(way), HERD);
      await stream.update(LONG_MS);
      return { way, stream, old, documents, herd };
    });
    // They wait for their updates together, and ask one crowd after the other: it all happens in one process.
    for (const { way, stream, old, documents, herd } of await Promise.all(rounds)) {
      const { head } = stream.log;
      for (const path of documents) {
        const before = stream.arrived(path);
        const { heads, lastMs } = await herd.ask(new URL(stream.on(way, path)).pathname);
        // Who waits in nginx for an answer that takes too long asks for itself; nginx counts from when its loop last woke.
        const isLate = way.name === 'nginx' && path.includes('/after-') && lastMs >= NGINX_WAIT_MS / 2;
        // And who has opened the old entry there as the new one takes its place.
        const fetches = way.name === 'nginx' ? 2 : 1;
        const most = way.name === 'straight' || isLate ? HERD : fetches;
        const arrived = stream.arrived(path) - before;
        expect(arrived, `${way.name} ${path}, ${lastMs} ms`).toBeLessThanOrEqual(most);
        expect(arrived, `${way.name} ${path}`).toBeGreaterThan(0);
        const isNew = (each: string) => field(each, 'ldes-cursor') === formatCursor(head.cursor);
        const current = heads.filter(isNew);
        expect(current.length, `${way.name} ${path}`).toBeGreaterThanOrEqual(way.name === 'nginx' ? 1 : HERD);
        // While the one request is under way nginx answers by what it has, which says that its time is over.
        for (const each of heads.filter((each) => !isNew(each))) {
          expect(field(each, 'ldes-cursor')).toBe(formatCursor(old));
          expect(Date.parse(field(each, 'next-update') as string)).toBeLessThan(Date.now());
          expect(field(each, 'cache-control')).not.toContain('max-age');
        }
        // Nobody is answered by it once the new one is there.
        const afterwards = await herd.ask(new URL(stream.on(way, path)).pathname);
        expect(afterwards.heads.filter(isNew), `${way.name} ${path}`).toHaveLength(HERD);
        expect(stream.arrived(path) - before, way.name).toBe(way.name === 'straight' ? 2 * HERD : arrived);
        if (!path.includes('/after-')) continue;
        const next = `<${stream.url}${tailOf(head.cursor)}>; rel="monitor"`;
        for (const each of current) expect(field(each, 'link')).toContain(next);
      }
      herd.close();
    }
  },
);

test('CACHE-13 a reader for whom there is no room is told so, and where to poll, until there is', async () => {
  await world.stop();
  await world.start({ limitConnections: 1 });
  const stream = await world.stream();
  for (const way of world.ways) {
    const admitted = () =>
      eventually(async () => {
        const { asked, response } = await opened(stream, way);
        expect(response.statusCode, way.name).toBe(200);
        return asked;
      });
    const first = await admitted();
    for (let reader = 0; reader < 2; reader += 1) {
      const refused = await ask(stream.on(way, '/events'));
      expect(refused.status).toBe(503);
      expect(refused.headers).toMatchObject({
        'content-type': 'application/problem+json',
        'cache-control': 'no-store',
        'retry-after': expect.stringMatching(/^\d+$/),
      });
      const { latest, code } = JSON.parse(refused.body.toString()) as Record<string, string>;
      expect({ latest, code }).toEqual({ latest: `${stream.url}/latest`, code: 'ERR_CONNECTIONS_FULL' });
    }
    first.destroy();
    (await admitted()).destroy();
  }
  await world.stop();
  await world.start();
});

test('CACHE-10 a reader that leaves leaves the publisher, and a stream that ends has ended for its reader', async () => {
  const stream = await world.stream();
  const connections = async () => {
    const { streams } = JSON.parse((await ask(`${world.publicUrl}health`)).body.toString());
    return streams[stream.name]?.pushConnections;
  };
  // A way takes its time to find that the publisher is there again.
  for (const way of world.ways) {
    await eventually(async () => {
      const { asked, response } = await opened(stream, way);
      asked.destroy();
      expect(response.headers['ldes-cursor'], way.name).toBeDefined();
    });
  }
  await eventually(async () => expect(await connections()).toBe(0));
  const ends: Promise<unknown>[] = [];
  const staying: IncomingMessage[] = [];
  for (const [index, way] of world.ways.entries()) {
    const coded = opened(stream, way, '', { 'accept-encoding': 'gzip' });
    const [leaves, stays] = await Promise.all([opened(stream, way), coded]);
    expect(await connections(), way.name).toBe(index + 2);
    leaves.asked.destroy();
    await eventually(async () => expect(await connections(), way.name).toBe(index + 1));
    stays.response.resume();
    ends.push(once(stays.response, 'end'));
    staying.push(stays.response);
  }
  await world.stop();
  await Promise.all(ends);
  expect(staying.map(({ complete }) => complete)).toEqual(world.ways.map(() => true));
  await world.start();
});

test('CACHE-14 without a publisher nobody is told anything final, and not all come back at once', async () => {
  const stream = await world.stream();
  await world.stop();
  for (const way of CACHES) {
    const waits = new Set<string>();
    let ends = 0;
    for (let reader = 0; reader < 30; reader += 1) {
      const answer = await ask(stream.on(way, '/events'), { agent: false }).catch((error: NodeJS.ErrnoException) => {
        // The other answer that is allowed is the end of the connection.
        expect(error.code, way.name).toBe('ECONNRESET');
        ends += 1;
      });
      if (answer === undefined) continue;
      expect(answer.status, way.name).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store, no-transform',
        'access-control-allow-origin': '*',
      });
      expect(answer.body.toString()).toMatch(/^retry: \d{4}\n\n$/);
      waits.add(answer.body.toString());
    }
    expect(ends === 30 || waits.size > 1, `${way.name}: ${ends} ends, ${waits.size} waits`).toBe(true);
  }
  await world.start();
});

test('CACHE-9 while the publisher is down its last answers are served, and new ones when it is back', async () => {
  const fronts = await Promise.all(
    CACHES.map(async (way) => {
      const stream = await world.stream(126);
      const latest = () => ask(stream.on(way, '/latest'));
      const sealed = () => ask(stream.on(way, `/pages/${stream.head().epoch}/0`));
      await eventually(async () => expect((await sealed()).status, way.name).toBe(200));
      await stream.update(INTERVALS_MS[0]);
      const before = formatCursor(stream.head());
      expect(cursorOf(await latest()), way.name).toBe(before);
      // Past its time, and then the publisher goes.
      await stream.update(LONG_MS);
      return { way, stream, latest, sealed, before };
    }),
  );
  await world.stop();
  for (let round = 0; round < 3; round += 1) {
    for (const { way, latest, sealed, before } of fronts) {
      const old = await latest();
      expect([old.status, cursorOf(old)], way.name).toEqual([200, before]);
      const nextUpdate = old.headers['next-update'] as string | undefined;
      if (nextUpdate !== undefined) expect(Date.parse(nextUpdate), way.name).toBeLessThan(Date.now());
      expect((await sealed()).status, way.name).toBe(200);
    }
    await delay(200);
  }
  for (const { way, stream } of fronts) {
    const unknown = await ask(stream.on(way));
    expect([unknown.status, unknown.headers['cache-control']], way.name).toEqual([503, 'no-store']);
    expect(unknown.headers['content-type'], way.name).toBe('application/problem+json');
    expect(JSON.parse(unknown.body.toString())).toMatchObject({ status: 503 });
  }
  await world.start();
  for (const { stream, latest } of fronts) {
    await eventually(async () => expect(cursorOf(await latest())).toBe(formatCursor(stream.head())));
  }
});
