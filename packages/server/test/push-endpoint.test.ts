import { httpFields } from '@ldes-live/rdf-stream';
import { readEvents, readRaw } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { liveStreams, type PushOptions } from '../src/index.ts';
import { pushSettings } from '../src/options.ts';
import { readPushRequest } from '../src/push/request.ts';
import { liveServer, steppedPush } from './push-server.ts';
import { emptyStream, PUBLIC_URL, upsert } from './test-server.ts';

const MIB = 1024 * 1024;
const ALMOST_ONE = 1 - 2 ** -53;

const head = { epoch: 'e', sequence: 1000 };
const readAs = (headers: Record<string, string>, url = '/', held = {}, limits = {}) =>
  readPushRequest({ url, headers }, { head, published: head, heldFrom: 1, ...held }, pushSettings(limits));

// What is asked for, and where it goes on: with a gap at the head, where what follows is not here or too much.
const REQUESTS: [string, string, string, number, boolean, object?, object?][] = [
  ['PUSH-4 a cursor', '', 'e-400', 400, false],
  ['PUSH-5 Last-Event-ID before the query', 'e-600', 'e-400', 600, false],
  ['PUSH-5 Last-Event-ID before the whole state', 'e-600', 'latest', 600, false],
  ['PUSH-6 no cursor', '', '', 1000, false],
  ['PUSH-6 the head', '', 'e-1000', 1000, false],
  ['PUSH-7 a cursor of another life', 'otherlife-5', '', 1000, true],
  ['PUSH-7 a cursor past the head', '', 'e-1001', 1000, true],
  ['PUSH-64 what is published and not yet here', '', 'e-1001', 1001, false, { published: { ...head, sequence: 1500 } }],
  ['PUSH-64 as much as is published', '', 'e-1500', 1500, false, { published: { ...head, sequence: 1500 } }],
  ['PUSH-64 one more', '', 'e-1501', 1000, true, { published: { ...head, sequence: 1500 } }],
  ['DOC-30 one before what is held', '', 'e-249', 1000, true, { heldFrom: 251 }],
  ['DOC-30 where what is held begins', '', 'e-250', 250, false, { heldFrom: 251 }],
  ['PUSH-7 as many members as the limit', '', 'e-990', 990, false, {}, { limitReplayMembers: 10 }],
  ['PUSH-7 one more than the limit', '', 'e-989', 1000, true, {}, { limitReplayMembers: 10 }],
];

test.each(REQUESTS)(
  '%s (%j, ?from=%s) goes on after %d, with a gap: %s',
  (_name, last, from, after, isGap, held, limits) => {
    const { position } = readAs({ 'last-event-id': last }, `/?from=${from}`, held, limits);
    expect([position.after, position.gapFrom !== undefined, position.isState]).toEqual([after, isGap, false]);
  },
);

test('PUSH-12 `latest` is no Last-Event-ID', () => {
  const code = 'ERR_CURSOR_MALFORMED';
  expect(() => readAs({ 'last-event-id': 'latest' })).toThrow(expect.objectContaining({ code }));
});

test('PUSH-26 as many values as the limit are taken, and one more is refused', () => {
  const read = (values: number) => readAs({}, `/?${'entity=urn:a&'.repeat(values)}`, {}, { limitNarrowing: 2 });
  expect(read(2).filter).toBeDefined();
  expect(() => read(3)).toThrow(expect.objectContaining({ code: 'ERR_NARROWING_LIMIT' }));
});

test('PUSH-15 gzip is the only coding, whatever is preferred to it', () => {
  const encodings = ['zstd, gzip;q=0.5', 'zstd, br'].map(
    (accepted) => readAs({ 'accept-encoding': accepted }).encoding,
  );
  expect(encodings).toEqual(['gzip', 'identity']);
});

const DEFAULTS = {
  heartbeatMs: 15_000,
  retryMs: 1000,
  limitQueueBytes: MIB,
  limitStallMs: 60_000,
  limitFrameBytes: 32 * MIB,
  limitReplayBytes: 256 * MIB,
  limitReplayMembers: 100_000,
  limitNarrowing: 100,
  limitConnections: 50_000,
  limitConnectionsPerAddress: 1000,
  limitAcceptsPerSecond: 4000,
  limitWaitingAccepts: 20_000,
  limitAgeMs: 3_600_000,
  shutdownGraceMs: 8000,
};

test.each(Object.keys(DEFAULTS))('%s has a default and a range, and a value beside it is refused', (name) => {
  expect(pushSettings()).toEqual(DEFAULTS);
  const isHeartbeat = name === 'heartbeatMs';
  const min = name === 'shutdownGraceMs' ? 0 : 1;
  for (const value of [min, 1, isHeartbeat ? 15_000 : 2 ** 40]) {
    expect(pushSettings({ [name]: value })).toEqual({ ...DEFAULTS, [name]: value });
  }
  const code = isHeartbeat ? 'ERR_HEARTBEAT' : 'ERR_LIMIT';
  for (const value of [min - 1, -1, isHeartbeat ? 15_001 : 1.5, Number.NaN]) {
    expect(() => pushSettings({ [name]: value }), String(value)).toThrow(expect.objectContaining({ code }));
  }
});

/** What a request for the stream is refused with. */
async function refusalAt(base: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${base}/vehicles/events`, { headers });
  const problem = (await response.json()) as Record<string, unknown>;
  expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
    503,
    {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'retry-after': String(problem.retryAfterSeconds),
    },
  ]);
  expect(problem).toMatchObject({ status: 503, latest: `${PUBLIC_URL}vehicles/latest` });
  return problem;
}

test('PUSH-27, PUSH-28 past the limits of all and of one address a request is refused, and who is connected stays', async () => {
  const { base, read } = await liveServer({
    push: { limitConnections: 4, limitConnectionsPerAddress: 1 },
    logger: false,
  });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  // Without a public address nothing is counted.
  const readers = [await read(), await read(), await read('', from('203.0.113.7'))];
  const ofAddress = await refusalAt(base, from('198.51.100.1, 203.0.113.7, 10.0.0.1'));
  expect(ofAddress).toMatchObject({ code: 'ERR_CONNECTIONS_ADDRESS', limitConnectionsPerAddress: 1 });
  readers.push(await read('', from('2001:db8::1')));
  expect(await refusalAt(base)).toMatchObject({ code: 'ERR_CONNECTIONS_FULL', limitConnections: 4 });
  expect(readers.map(({ response, state }) => [response.status, state.ended])).toEqual(Array(4).fill([200, false]));
  // HEAD opens no stream.
  expect((await fetch(`${base}/vehicles/events`, { method: 'HEAD' })).status).toBe(200);
  readers[2]?.close();
  await eventually(async () => expect((await read('', from('203.0.113.7'))).response.status).toBe(200));
  expect(await refusalAt(base)).toMatchObject({ code: 'ERR_CONNECTIONS_FULL' });
});

test('who waits goes on from where the stream is then, and a client that goes meanwhile takes no turn', async () => {
  const { base, read, log, time, waiting, cursor } = await steppedPush({
    limitAcceptsPerSecond: 10,
    limitWaitingAccepts: 1,
  });
  await read();
  const client = new AbortController();
  const gone = fetch(`${base}/vehicles/events`, { signal: client.signal }).catch(() => 'gone');
  await waiting(1);
  expect(await refusalAt(base)).toMatchObject({ code: 'ERR_ACCEPTS_WAITING', limitWaitingAccepts: 1 });
  client.abort();
  expect(await gone).toBe('gone');
  await waiting(0);
  // There is room for another one to wait, long before its turn would have come.
  const next = read();
  await waiting(1);
  await log.append([upsert(1, 1)]);
  time.nowMs += 1000;
  expect((await next).response.headers.get(httpFields.cursor)).toBe(cursor(1));
});

test('PUSH-10 the more are connected, the later each is told to come back', async () => {
  const { read } = await steppedPush({ retryMs: 100, limitAcceptsPerSecond: 40 }, () => ALMOST_ONE);
  const retries: number[] = [];
  for (let count = 1; count <= 4; count += 1) {
    const reader = await read();
    await eventually(() => expect(reader.retries).toHaveLength(1));
    retries.push(...reader.retries);
  }
  // Two seconds for each forty, and at least as much again as the wait.
  expect(retries).toEqual([200, 200, 250, 300]);
});

test('PUSH-32 streams end in turn, the last within the grace period, and who is left gets every commit', async () => {
  const { endpoint, log, read, time, cursor } = await steppedPush({ shutdownGraceMs: 40 });
  const readers = await Promise.all(Array.from({ length: 5 }, () => read()));
  const draining = endpoint.drain();
  for (let ended = 1; ended <= readers.length; ended += 1) {
    await log.append([upsert(1, ended)]);
    const going = readers.filter(({ state }) => !state.ended);
    await eventually(() => expect(going.map(({ events }) => events.length)).toEqual(going.map(() => ended)));
    time.nowMs += 7.9;
    await eventually(() => expect(readers.filter(({ state }) => state.ended)).toHaveLength(ended));
  }
  await draining;
  // Each has all from the first on, and no half of one.
  const ids = readers.map(({ events }) => events.map(({ id }) => id)).sort((one, other) => one.length - other.length);
  const all = [1, 2, 3, 4, 5].map(cursor);
  expect(ids).toEqual(all.map((_, index) => all.slice(0, index + 1)));
  expect(endpoint.admission.size).toBe(0);
});

/** An app of somebody else, which goes on answering while it closes. */
async function appWith(push: PushOptions) {
  const app = Fastify({ return503OnClosing: false, forceCloseConnections: true });
  await app.register(liveStreams, { publicUrl: PUBLIC_URL, streams: [await emptyStream()], push });
  return { base: await app.listen({ host: '127.0.0.1', port: 0 }), server: app };
}

test.each([
  ['a server of its own', (push: PushOptions) => liveServer({ push })],
  ['an app', appWith],
])(
  'PUSH-33, PUSH-34 while %s stops, who comes is told to come later, and documents are answered',
  async (_name, start) => {
    const graceMs = 3000;
    const { base, server } = await start({ shutdownGraceMs: graceMs, retryMs: 50 });
    const readers = await Promise.all(Array.from({ length: 60 }, () => readEvents(`${base}/vehicles/events`)));
    const health = async () => {
      const { status, headers } = await fetch(`${base}/health`);
      return [status, headers.get('cache-control')];
    };
    expect(await health()).toEqual([200, 'no-store']);
    const begunMs = performance.now();
    const closing = server.close();
    expect(await health()).toEqual([503, 'no-store']);
    const late = await readEvents(`${base}/vehicles/events`);
    const restMs = graceMs - (performance.now() - begunMs);
    expect([late.response.status, late.response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await late.ended;
    expect([late.events, late.retries.length]).toEqual([[], 1]);
    expect(late.retries[0]).toBeGreaterThan(restMs);
    const statuses: number[] = [];
    while (readers.some(({ state }) => !state.ended)) {
      // Ready bytes, and a document that has to be made. The last stream may end, and the server with it, while it asks.
      for (const [path, accept] of [
        ['latest', '*/*'],
        ['', 'text/turtle'],
      ] as const) {
        await fetch(`${base}/vehicles/${path}`.replace(/\/$/, ''), { headers: { accept } }).then(
          ({ status }) => statuses.push(status),
          () => Promise.all(readers.map(({ ended }) => ended)),
        );
      }
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    await closing;
    await expect(fetch(`${base}/health`)).rejects.toThrow();
  },
);

test('PUSH-33 who waits for a turn when the server is told to stop is told to come later', async () => {
  const { endpoint, read, waiting, time } = await steppedPush({ limitAcceptsPerSecond: 1, retryMs: 50 });
  await read();
  const late = read();
  await waiting(1);
  const draining = endpoint.drain();
  const reader = await late;
  await reader.ended;
  expect([reader.response.status, reader.retries.length]).toEqual([200, 1]);
  expect(endpoint.counters.get('vehicles')?.refused.stopping).toBe(1);
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
    [899, [false, false]],
    [2, [false, true]],
    [300, [true, true]],
  ] as const) {
    time.nowMs += passedMs;
    // It is looked every 20 ms.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await eventually(() => expect([whole, short].map(({ state }) => state.ended)).toEqual(ended));
  }
});

test('`push limit reached` is said at once and then once a minute, with how many were refused', async () => {
  const { base, read, time, lines, endpoint } = await steppedPush({ limitConnections: 1, heartbeatMs: 50 });
  await read();
  for (let count = 0; count < 3; count += 1) await refusalAt(base);
  const line = { level: 'warn', event: 'push limit reached', limit: 'limitConnections', connections: 1 };
  const expectSaid = (counts: readonly number[]) =>
    expect(lines.filter(({ event }) => event === line.event)).toEqual(counts.map((refused) => ({ ...line, refused })));
  expectSaid([1]);
  time.nowMs += 60_000;
  await eventually(() => expectSaid([1, 2]));
  expect(endpoint.counters.get('vehicles')?.refused.connections).toBe(3);
});

test('PUSH-32 a stream that is taken from a server ends for its readers, and one of its name takes its place', async () => {
  const push = { shutdownGraceMs: 40, limitAcceptsPerSecond: 20 };
  const { endpoint, read, log, stream, time, waiting } = await steppedPush(push);
  const before = [await read(), await read()];
  // Its turn comes when the stream is ending.
  const late = read();
  await waiting(1);
  const ended = endpoint.end('vehicles');
  endpoint.open(stream);
  time.nowMs += 100;
  before.push(await late);
  const after = await read();
  await ended;
  await Promise.all(before.map((reader) => reader.ended));
  expect(before.map(({ retries }) => retries.length)).toEqual([1, 1, 1]);
  await log.append([upsert(1, 1)]);
  await after.count(1);
  expect([endpoint.connections('vehicles'), endpoint.admission.size]).toEqual([1, 1]);
  await endpoint.end('unknown');
});

test('PUSH-27 who lacks what would have to be read is refused while there is no room for it, and others are not', async () => {
  const { base, read, endpoint, log, cursor, time } = await steppedPush({ limitReplayBytes: 1 });
  // More than the buffers between them take.
  await log.append([upsert(1, 1, 'x'.repeat(20_000_000))]);
  const slow = await readRaw(Number(new URL(base).port), `/vehicles/events?from=${cursor(0)}`);
  onTestFinished(() => slow.close());
  slow.pause();
  const statuses = () =>
    Promise.all(['latest', cursor(0), cursor(1)].map(async (from) => (await read(`?from=${from}`)).response.status));
  await eventually(async () => expect(await statuses()).toEqual([503, 503, 200]));
  expect(endpoint.counters.get('vehicles')?.refused.replays).toBeGreaterThan(1);
  // One that takes nothing does not keep the server from stopping (PUSH-32).
  let isDrained = false;
  void endpoint.drain().then(() => {
    isDrained = true;
  });
  await eventually(() => {
    time.nowMs += 1000;
    expect([isDrained, endpoint.admission.size]).toEqual([true, 0]);
  });
});
