import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { constants, createGunzip } from 'node:zlib';
import { createLiveClient } from '@ldes-live/client';
import { formatCursor } from '@ldes-live/rdf-stream';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ask } from './ask.ts';
import { type CachedWorld, cachedWorld } from './cached-world.ts';
import { skipMissing, WAYS } from './ways.ts';

interface Health {
  readonly streams: { readonly vehicles: { readonly pushConnections: number } };
}

let world: CachedWorld;
afterEach(() => world.close());

describe.each(WAYS)('$name', (way) => {
  skipMissing(way);

  /** Asks for the stream on this way. */
  const opened = async (query = '', headers: Readonly<Record<string, string>> = {}) => {
    const asked = request(world.on(way, `/events${query}`), { headers, agent: false });
    asked.on('error', () => undefined);
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return { asked, response };
  };
  const connections = async () => {
    const health = (await (await fetch(`${world.publicUrl}health`)).json()) as Health;
    return health.streams.vehicles.pushConnections;
  };

  test.each([undefined, 'gzip'])(
    'CACHE-10 a stream of events begins at once, and has each update as it comes (%s)',
    async (coding) => {
      world = await cachedWorld([way]);
      await world.update();
      const from = formatCursor({ ...world.log.head.cursor, sequence: 0 });
      const { asked, response } = await opened(
        `?from=${from}`,
        coding === undefined ? {} : { 'accept-encoding': coding },
      );
      expect(response.headers['content-type']).toContain('text/event-stream');
      expect(response.headers['content-encoding']).toBe(coding);
      let text = '';
      const plain = coding ? response.pipe(createGunzip({ flush: constants.Z_SYNC_FLUSH })) : response;
      plain.on('error', () => undefined);
      plain.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      const arrives = () =>
        vi.waitFor(() => expect(text).toContain(`id: ${formatCursor(world.log.head.cursor)}`), {
          timeout: 1000,
          interval: 5,
        });
      await arrives();
      for (let update = 0; update < 3; update += 1) {
        await world.update();
        await arrives();
      }
      asked.destroy();
    },
  );

  test('CACHE-13 the publisher is asked what the reader asks, and by whom', async () => {
    world = await cachedWorld([way]);
    const { port } = new URL(world.publicUrl);
    const arrived: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
    const note = (message: unknown) => {
      const { url, headers, socket } = (message as { request: IncomingMessage }).request;
      if (socket.localPort === Number(port) && url?.includes('/events')) arrived.push({ url, headers });
    };
    subscribe('http.server.request.start', note);
    onTestFinished(() => void unsubscribe('http.server.request.start', note));
    await world.update();
    const cursor = formatCursor({ ...world.log.head.cursor, sequence: 1 });
    const query = '?from=latest&entity=http%3A%2F%2Fexample.org%2Fa&entity=http%3A%2F%2Fexample.org%2Fb';
    const headers = { 'last-event-id': cursor, 'accept-encoding': 'br;q=0.3, gzip;q=0.7' };
    for (let reader = 0; reader < 2; reader += 1) {
      const { asked, response } = await opened(query, { ...headers, 'x-forwarded-for': '203.0.113.9' });
      expect(response.headers['ldes-cursor']).toBe(cursor);
      asked.destroy();
    }
    // Each of the two, though they ask the same.
    expect(arrived).toHaveLength(2);
    for (const { url, headers: passed } of arrived) {
      expect(url).toBe(`/vehicles/events${query}`);
      expect(passed).toMatchObject(headers);
      // What the reader says comes first, and what the cache saw last.
      expect(passed['x-forwarded-for']).toBe(way.program ? '203.0.113.9, 127.0.0.1' : '203.0.113.9');
    }
  });

  test('CACHE-14 without a publisher nobody is told anything final, and not all come back at once', async () => {
    world = await cachedWorld([way]);
    await world.stop();
    const waits = new Set<string>();
    for (let reader = 0; reader < 30; reader += 1) {
      const answer = await ask(world.on(way, '/events'), { agent: false }).catch(() => undefined);
      if (answer === undefined) continue;
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store, no-transform',
        'access-control-allow-origin': '*',
      });
      expect(answer.body.toString()).toMatch(/^retry: \d{4}\n\n$/);
      waits.add(answer.body.toString());
    }
    expect(waits.size).not.toBe(1);
  });

  test('CACHE-15 a reader that leaves leaves the publisher, and a stream that ends has ended for its reader', async () => {
    world = await cachedWorld([way]);
    const [leaving, staying] = await Promise.all([opened(), opened('', { 'accept-encoding': 'gzip' })]);
    expect(await connections()).toBe(2);
    leaving.asked.destroy();
    await vi.waitFor(async () => expect(await connections()).toBe(1), { timeout: 10_000 });
    staying.response.resume();
    const end = once(staying.response, 'end');
    await world.stop();
    await end;
    expect(staying.response.complete).toBe(true);
  });

  test('CACHE-16 a reader for whom there is no room is told so, and where to poll, until there is', async () => {
    world = await cachedWorld([way], undefined, { limitConnections: 1 });
    const first = await opened();
    for (let reader = 0; reader < 2; reader += 1) {
      const refused = await ask(world.on(way, '/events'));
      expect(refused.status).toBe(503);
      expect(refused.headers).toMatchObject({
        'content-type': 'application/problem+json',
        'cache-control': 'no-store',
        'retry-after': expect.stringMatching(/^\d+$/),
      });
      const { latest, code } = JSON.parse(refused.body.toString()) as Record<string, string>;
      expect({ latest, code }).toEqual({ latest: `${world.publicUrl}vehicles/latest`, code: 'ERR_CONNECTIONS_FULL' });
    }
    first.asked.destroy();
    await vi.waitFor(
      async () => {
        const { asked, response } = await opened();
        asked.destroy();
        expect(response.statusCode).toBe(200);
      },
      { timeout: 10_000 },
    );
  });

  test.each([
    ['pull', 30],
    ['push', 1],
  ] as const)('CACHE-11 a client that follows by %s has every member once and in order', async (mode, mal) => {
    world = await cachedWorld([way], way);
    for (let commit = 0; commit < 130; commit += 1) await world.update();
    const stop = new AbortController();
    const follower = createLiveClient({ mal }).follow(`${world.publicUrl}vehicles`, {
      from: 'start',
      signal: stop.signal,
    });
    const sequences: number[] = [];
    const reading = (async () => {
      for await (const change of follower) if (change.kind !== 'gap') sequences.push(change.member.sequence);
    })().catch(() => undefined);
    const reaches = () =>
      vi.waitFor(() => expect(sequences.at(-1)).toBe(world.log.head.cursor.sequence), {
        timeout: 45_000,
        interval: 20,
      });
    await reaches();
    expect(follower.status.mode).toBe(mode);
    for (let update = 0; update < (mode === 'push' ? 3 : 0); update += 1) {
      await world.update();
      await reaches();
    }
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    stop.abort();
    await reading;
  });
});
