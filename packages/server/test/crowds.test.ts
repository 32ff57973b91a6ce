import { formatCursor, type SourceHealth, type StreamError } from '@ldes-live/rdf-stream';
import { readEvents, readRaw } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { httpServer } from '@ldes-live/test-support/net';
import Fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MemberTexts } from '../src/documents/member-texts.ts';
import { writeProblem } from '../src/http/problem.ts';
import { type LiveStreamsOptions, liveStreams } from '../src/index.ts';
import { RepeatedLines } from '../src/logging.ts';
import { pushSettings } from '../src/options.ts';
import { EncodedCommits } from '../src/push/encoded-commits.ts';
import { PushEndpoint } from '../src/push/endpoint.ts';
import { Snapshots } from '../src/push/snapshots.ts';
import { keptLines } from './kept-lines.ts';
import { listening, liveServer } from './push-server.ts';
import { emptyStream, PUBLIC_URL, quietSource, testServer, upsert } from './test-server.ts';

type Push = NonNullable<LiveStreamsOptions['push']>;

const ALMOST_ONE = 1 - 2 ** -53;

/** Push over HTTP whose clock a test sets: what it would wait for comes when the test says so. */
async function steppedPush(push: Push = {}, random: () => number = () => 0) {
  const { log, description } = await testServer();
  const settings = pushSettings(push);
  const texts = new MemberTexts(log, { description, prefixes: {} });
  const commits = new EncodedCommits(log, texts, settings.limitFrameBytes);
  const time = { nowMs: 1 };
  const { lines, logger } = keptLines();
  const parts = {
    settings,
    random,
  };
  const endpoint = new PushEndpoint({
    ...parts,
    clock: () => time.nowMs,
    logger,
    lines: new RepeatedLines(logger, () => time.nowMs),
  });
  const stream = {
    description,
    breakEvenSeconds: 10,
    contextUrls: [],
    commits,
    snapshots: new Snapshots(log, texts),
  };
  endpoint.open(stream);
  const { url, close } = await httpServer(async (request, response) => {
    try {
      await endpoint.serve('vehicles', { request, response });
    } catch (error) {
      writeProblem(response, error as StreamError);
    }
  });
  onTestFinished(async () => {
    endpoint.close();
    commits.close();
    await close();
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
  const base = url.slice(0, -1);
  const read = async () => {
    const reader = await readEvents(`${base}/vehicles/events`);
    onTestFinished(() => reader.close());
    return reader;
  };
  const waiting = (count: number) => eventually(() => expect(endpoint.admission.waiting).toBe(count));
  return { log, time, endpoint, base, read, waiting, lines, stream };
}

/** What a request for the stream is refused with. */
async function refusalAt(base: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${base}/vehicles/events`, { headers });
  expect(response.status).toBe(503);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  const problem = (await response.json()) as Record<string, unknown>;
  expect(problem).toMatchObject({ status: 503, latest: `${PUBLIC_URL}vehicles/latest` });
  expect(response.headers.get('retry-after')).toBe(String(problem.retryAfterSeconds));
  expect(problem.retryAfterSeconds).toBeGreaterThanOrEqual(5);
  return problem;
}

const SERVERS = [
  ['a server of its own', (push: Push) => liveServer({ push })],
  ['the plugin', (push: Push) => listening({ push })],
] as const;

describe.each(SERVERS)('%s', (_name, start) => {
  test('PUSH-27 past the limit on connections a request is refused, and those who are connected stay', async () => {
    const { base, read } = await start({ limitConnections: 2 });
    const readers = [await read(), await read()];
    expect(await refusalAt(base)).toMatchObject({ code: 'ERR_CONNECTIONS_FULL', limitConnections: 2 });
    expect(readers.map(({ state }) => state.ended)).toEqual([false, false]);
    // HEAD opens no stream.
    expect((await fetch(`${base}/vehicles/events`, { method: 'HEAD' })).status).toBe(200);
    readers[0]?.close();
    await eventually(async () => {
      const reader = await read();
      expect(reader.response.status).toBe(200);
    });
    expect(await refusalAt(base)).toMatchObject({ code: 'ERR_CONNECTIONS_FULL' });
  });

  test('PUSH-27, PUSH-28 past the limit of one address a request is refused, as a local proxy says who it is from', async () => {
    const { base, read } = await start({ limitConnectionsPerAddress: 1 });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    for (const address of ['203.0.113.7', '203.0.113.8', '2001:db8::1', '2001:db8:0:1::1', '10.0.0.1', '10.0.0.1']) {
      expect((await read('', from(address))).response.status, address).toBe(200);
    }
    for (const address of ['203.0.113.7', '198.51.100.1, 203.0.113.7', '2001:db8::2', '203.0.113.8, 10.0.0.1']) {
      const refused = await refusalAt(base, from(address));
      expect(refused, address).toMatchObject({ code: 'ERR_CONNECTIONS_ADDRESS', limitConnectionsPerAddress: 1 });
    }
    // Without a public address nothing is counted.
    for (let count = 0; count < 3; count += 1) expect((await read()).response.status).toBe(200);
  });
});

test('PUSH-30 connections above the accept rate are opened in their turn, and refused when too many wait', async () => {
  const { base, read, time, waiting } = await steppedPush({ limitAcceptsPerSecond: 50, limitWaitingAccepts: 2 });
  for (let burst = 0; burst < 5; burst += 1) await read();
  const late = [read(), read()];
  await waiting(2);
  expect(await refusalAt(base)).toMatchObject({ code: 'ERR_ACCEPTS_WAITING', limitWaitingAccepts: 2 });
  time.nowMs += 1000;
  for (const reader of await Promise.all(late)) expect(reader.response.status).toBe(200);
});

test('PUSH-30 a client that goes while it waits takes no turn', async () => {
  const { base, read, time, waiting } = await steppedPush({ limitAcceptsPerSecond: 10, limitWaitingAccepts: 1 });
  await read();
  const client = new AbortController();
  const gone = fetch(`${base}/vehicles/events`, { signal: client.signal }).catch(() => 'gone');
  await waiting(1);
  client.abort();
  expect(await gone).toBe('gone');
  await waiting(0);
  // There is room for another one to wait, long before its turn would have come.
  const next = read();
  await waiting(1);
  time.nowMs += 1000;
  expect((await next).response.status).toBe(200);
});

test('PUSH-29 the more are connected, the later each is told to come back', async () => {
  const { read } = await steppedPush({ retryMs: 100, limitAcceptsPerSecond: 40 }, () => ALMOST_ONE);
  const retries: (number | undefined)[] = [];
  for (let count = 0; count < 4; count += 1) {
    const reader = await read();
    await eventually(() => expect(reader.retries).toHaveLength(1));
    retries.push(reader.retries[0]);
  }
  // Two seconds for each forty, and at least as much again as the wait.
  expect(retries).toEqual([200, 200, 250, 300]);
});

test.each([
  ['ten milliseconds for each', 8000, 10],
  ['the last within the grace period', 40, 7.9],
])('PUSH-32 streams end in turn, %s, and who is left gets every commit', async (_, shutdownGraceMs, eachMs) => {
  const { endpoint, log, read, time } = await steppedPush({ shutdownGraceMs });
  const readers = await Promise.all(Array.from({ length: 5 }, () => read()));
  const draining = endpoint.drain();
  for (let ended = 1; ended <= readers.length; ended += 1) {
    await log.append([upsert(1, ended)]);
    const going = readers.filter(({ state }) => !state.ended);
    await eventually(() => expect(going.map(({ events }) => events.length)).toEqual(going.map(() => ended)));
    time.nowMs += eachMs;
    await eventually(() => expect(readers.filter(({ state }) => state.ended)).toHaveLength(ended));
  }
  await draining;
  expect(readers.map(({ events }) => events.length).sort()).toEqual([1, 2, 3, 4, 5]);
  // Each has all from the first on, and no half of one.
  for (const { events } of readers) {
    expect(events.map(({ id }) => id)).toEqual(
      events.map((_, index) => formatCursor({ ...log.head.cursor, sequence: index + 1 })),
    );
  }
  expect(endpoint.admission.size).toBe(0);
});

test('PUSH-33, PUSH-34 while a server stops, who comes is told to come later, and documents are answered', async () => {
  const graceMs = 700;
  const push = { shutdownGraceMs: graceMs, retryMs: 50 };
  let state: SourceHealth['state'] = 'ok';
  const health = () => ({ origin: 'feed', state, polls: { good: 1, bad: 0 }, errors: {}, findings: {} });
  const { server, base, log, read } = await liveServer({ push }, { sources: [quietSource('feed', health)] });
  await log.append([upsert(1, 1)]);
  await Promise.all(Array.from({ length: 60 }, () => read()));
  await eventually(() => expect(server.pushConnections).toBe(60));
  const report = async () => {
    const response = await fetch(`${base}/health`);
    expect(response.headers.get('cache-control')).toBe('no-store');
    return [response.status, ((await response.json()) as { status: string }).status];
  };
  expect(await report()).toEqual([200, 'ok']);
  state = 'failing';
  expect(await report()).toEqual([200, 'degraded']);

  const begunMs = performance.now();
  const closing = server.close();
  expect(await report()).toEqual([503, 'stopping']);
  const late = await read();
  const restMs = graceMs - (performance.now() - begunMs);
  expect(late.response.status).toBe(200);
  expect(late.response.headers.get('content-type')).toBe('text/event-stream');
  await eventually(() => expect(late.state.ended).toBe(true));
  expect(late.events).toEqual([]);
  expect(late.retries).toHaveLength(1);
  expect(late.retries[0]).toBeGreaterThan(restMs);
  // Ready bytes, and a document that has to be made.
  let answered = 0;
  const ask = async (path: string, headers = {}) => {
    const response = await fetch(`${base}${path}`, { headers }).catch((error: unknown) => {
      // The last stream may end, and the server with it, between looking and asking.
      if (server.pushConnections > 0) throw error;
    });
    if (!response) return;
    expect(response.status).toBe(200);
    answered += 1;
  };
  while (server.pushConnections > 0) {
    await ask('/vehicles/latest');
    await ask('/vehicles', { accept: 'text/turtle' });
  }
  expect(answered).toBeGreaterThan(0);
  await closing;
  await expect(fetch(`${base}/health`)).rejects.toThrow();
});

test('PUSH-33, PUSH-34 an app that goes on answering while it closes does so too', async () => {
  const app = Fastify({ return503OnClosing: false, forceCloseConnections: true });
  await app.register(liveStreams, {
    publicUrl: PUBLIC_URL,
    streams: [await emptyStream()],
    // Long enough for two requests, on a busy machine too.
    push: { shutdownGraceMs: 3000 },
  });
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  const readers = await Promise.all(Array.from({ length: 20 }, () => readEvents(`${base}/vehicles/events`)));
  const closing = app.close();
  expect(await (await fetch(`${base}/health`)).json()).toMatchObject({ status: 'stopping' });
  const late = await readEvents(`${base}/vehicles/events`);
  await eventually(() => expect(late.state.ended).toBe(true));
  expect([late.response.status, late.retries.length]).toEqual([200, 1]);
  await closing;
  await eventually(() => expect(readers.every(({ state }) => state.ended)).toBe(true));
});

test('PUSH-33 who waits for a turn when the server is told to stop is told to come later', async () => {
  const { endpoint, read, waiting, time } = await steppedPush({ limitAcceptsPerSecond: 1, retryMs: 50 });
  await read();
  const late = read();
  await waiting(1);
  const draining = endpoint.drain();
  const reader = await late;
  await eventually(() => expect(reader.state.ended).toBe(true));
  expect([reader.response.status, reader.retries.length]).toEqual([200, 1]);
  time.nowMs += 10_000;
  await draining;
});

test('PUSH-35 a stream ends after three quarters to the whole of the longest life, each at a moment of its own', async () => {
  let random = 0;
  const { read, endpoint, time } = await steppedPush({ limitAgeMs: 1200, heartbeatMs: 100 }, () => random);
  const whole = await read();
  await eventually(() => expect(endpoint.admission.size).toBe(1));
  random = ALMOST_ONE;
  const short = await read();
  for (const [passedMs, ended] of [
    [901, [false, true]],
    [300, [true, true]],
  ] as const) {
    time.nowMs += passedMs;
    await eventually(() => expect([whole, short].map(({ state }) => state.ended)).toEqual(ended));
  }
});

test('`push limit reached` is said at once and then once a minute, with how many were refused', async () => {
  const { base, read, time, lines } = await steppedPush({ limitConnections: 1, heartbeatMs: 50 });
  await read();
  for (let count = 0; count < 3; count += 1) await refusalAt(base);
  const said = () => lines.filter(({ event }) => event === 'push limit reached');
  const line = { level: 'warn', event: 'push limit reached', limit: 'limitConnections', connections: 1 };
  expect(said()).toEqual([{ ...line, refused: 1 }]);
  time.nowMs += 60_000;
  await eventually(() =>
    expect(said()).toEqual([
      { ...line, refused: 1 },
      { ...line, refused: 2 },
    ]),
  );
});

test('PUSH-32 a stream that is taken from a server ends for its readers, and one of its name takes its place', async () => {
  const { endpoint, read, log, stream, time } = await steppedPush({ shutdownGraceMs: 40 });
  const before = [await read(), await read()];
  await eventually(() => expect(endpoint.connections('vehicles')).toBe(2));
  const ended = endpoint.end('vehicles');
  endpoint.open(stream);
  const after = await read();
  time.nowMs += 20;
  await eventually(() => expect(before.map(({ state }) => state.ended)).toEqual([true, true]));
  await ended;
  await log.append([upsert(1, 1)]);
  await eventually(() => expect(after.events).toHaveLength(1));
  expect([endpoint.connections('vehicles'), endpoint.admission.size]).toEqual([1, 1]);
  await endpoint.end('unknown');
});

test('PUSH-66 who lacks what would have to be read is refused while there is no room for it, and others are not', async () => {
  const { base, read, endpoint, log } = await steppedPush({ limitReplayBytes: 1 });
  for (let value = 1; value <= 2; value += 1) await log.append([upsert(1, value, 'x'.repeat(20_000_000))]);
  const slow = await readRaw(
    Number(new URL(base).port),
    `/vehicles/events?from=${formatCursor({ ...log.head.cursor, sequence: 0 })}`,
  );
  onTestFinished(() => slow.close());
  slow.pause();
  await eventually(async () => {
    const response = await fetch(`${base}/vehicles/events?from=latest`);
    await response.body?.cancel();
    expect(response.status).toBe(503);
    expect(await endpoint.counters.get('vehicles')?.refused.replays).toBeGreaterThan(0);
  });
  expect((await read()).response.status).toBe(200);
});
