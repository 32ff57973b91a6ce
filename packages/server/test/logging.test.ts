import { StreamError } from '@ldes-live/rdf-stream';
import { channelPair } from '@ldes-live/test-support/channels';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createLiveServer, createWorkerServer, hashToken, liveStreams } from '../src/index.ts';
import { loggerOf, lossyLines, REPEAT_MS, RepeatedLines } from '../src/logging.ts';
import { keptLines, parsedLines } from './kept-lines.ts';
import { EPOCH, emptyStream, fill, PUBLIC_URL, testServer } from './test-server.ts';

/** A server of its own over a log that fails, with the lines that it logs. */
async function failingServer() {
  const { description, log, ...server } = await testServer();
  await fill({ ...server, description, log }, 3, 1);
  const { lines, logger } = parsedLines();
  const ingest = { tokenHashes: [hashToken('token')] };
  const live = await createLiveServer({
    publicUrl: description.publicUrl,
    streams: [{ description, log, ingest }],
    logger,
  });
  onTestFinished(() => live.close());
  const base = `http://127.0.0.1:${await live.listen({ host: '127.0.0.1', port: 0 })}`;
  const fail = () => Promise.reject(new Error('disk sdb1'));
  Object.assign(log, { readLatest: fail, read: fail, readMembers: fail, append: fail });
  return { live, base, lines, logger, log };
}

test('ERR-2, LOG-2 `request failed` has the error and the path, and what is refused leaves no line', async () => {
  const { base, lines } = await failingServer();
  expect((await fetch(`${base}/vehicles/nonsense`)).status).toBe(404);
  expect((await fetch(`${base}/vehicles/latest`, { headers: { accept: 'image/png' } })).status).toBe(406);
  expect(lines).toEqual([]);
  const failed = await fetch(`${base}/vehicles/latest?token=secret`);
  const problem = { status: 500, code: 'ERR_INTERNAL', path: '/vehicles/latest' };
  const body = await failed.text();
  expect(JSON.parse(body)).toMatchObject(problem);
  // It names no internals.
  expect(body).not.toContain('sdb1');
  expect(lines).toMatchObject([
    { level: 50, msg: 'request failed', method: 'GET', path: '/vehicles/latest', err: { message: 'disk sdb1' } },
  ]);
  expect(JSON.stringify(lines)).not.toContain('secret');
});

test.each([
  [new Error('disk sdb1'), 500, { level: 50, msg: 'request failed' }],
  [new StreamError('ERR_STORE_WRITE', 'disk sdb1'), 503, { level: 40, msg: 'post failed' }],
])(
  'ING-27 a post that fails by %s is answered by %d, and leaves a line, which is `post failed` where it may be repeated',
  async (error, status, line) => {
    const { base, lines, log } = await failingServer();
    log.append = () => Promise.reject(error);
    const headers = { authorization: 'Bearer token', 'content-type': 'application/n-quads' };
    const body = '<http://city.example/1> <http://city.example/level> "1" .';
    expect((await fetch(`${base}/vehicles`, { method: 'POST', body, headers })).status).toBe(status);
    expect(lines).toMatchObject([{ ...line, path: '/vehicles', err: { message: 'disk sdb1' } }]);
  },
);

test.each(['server', 'plugin'])(
  'of equal faults of requests in a minute one leaves a line: documents and added routes of a %s',
  async (way) => {
    const { lines, logger } = parsedLines();
    const extend = async (added: FastifyInstance) =>
      void added.get('/added', () => {
        throw new Error('of the route');
      });
    const stream = await emptyStream();
    stream.log.readLatest = () => Promise.reject(new Error('disk sdb1'));
    const options = { publicUrl: PUBLIC_URL, streams: [stream], extend };
    const app = Fastify({ logger, logController: new LogController({ disableRequestLogging: true }) });
    const live = await createLiveServer({ ...options, logger });
    if (way === 'plugin') await app.register(liveStreams, options);
    onTestFinished(() => Promise.all([live.close(), app.close()]).then(() => undefined));
    const address = { host: '127.0.0.1', port: 0 };
    const base = way === 'plugin' ? await app.listen(address) : `http://127.0.0.1:${await live.listen(address)}`;
    for (const path of ['/added', '/added?token=secret', '/vehicles/latest', '/added']) {
      expect((await fetch(`${base}${path}`, { headers: { accept: 'text/turtle' } })).status).toBe(500);
    }
    expect(lines).toMatchObject([
      { level: 50, msg: 'request failed', method: 'GET', path: '/added', err: { message: 'of the route' } },
    ]);
  },
);

test('PUSH-4 a push stream that fails is cut, so that its reader resumes, and `catch-up failed` is said, in the process that has the log and in a worker', async () => {
  const { live, base, lines, logger, log } = await failingServer();
  const [left, right] = channelPair();
  live.attachWorker(left, 1);
  const worker = await createWorkerServer({ channel: right, ownerUrl: base, logger: { ...logger, name: 'worker-1' } });
  onTestFinished(() => worker.close());
  const workerBase = `http://127.0.0.1:${await worker.listen({ host: '127.0.0.1', port: 0 })}`;
  const cut = async (at: string) => {
    const reader = await readEvents(`${at}/vehicles/events?from=${EPOCH}-0`);
    await eventually(() => expect(reader.state.ended).toBe(true));
  };
  await cut(base);
  // So is one whose log gives nothing.
  log.read = async () => [];
  await cut(base);
  expect(await live.countConnections()).toBe(0);
  await cut(workerBase);
  expect(lines.at(0)).toMatchObject({ level: 50, msg: 'catch-up failed', err: { message: 'disk sdb1' } });
  expect(lines.at(-1)).toMatchObject({ level: 50, msg: 'catch-up failed', name: 'worker-1' });
});

const FAULT = { stream: 'vehicles', origin: 'a.example', code: 'ERR_FEED_STATUS' };

test('of 1,000 equal faults in 100 s two are written, with how many were not', () => {
  const { lines, logger, time, clock } = keptLines();
  const repeated = new RepeatedLines(logger, clock);
  for (let nth = 0; nth < 1000; nth += 1, time.nowMs += 100) repeated.warn({ ...FAULT, nth }, 'source failing');
  const line = { level: 'warn', event: 'source failing', ...FAULT };
  expect(lines).toEqual([
    { ...line, nth: 0 },
    { ...line, nth: 600, suppressed: 599 },
  ]);
  repeated.flush();
  expect(lines.slice(2)).toEqual([{ ...line, nth: 999, suppressed: 398 }]);
  repeated.flush();
  expect(lines).toHaveLength(3);
});

test.each([
  [{ stream: 'stations' }, 'source failing'],
  [{ origin: 'b.example' }, 'source failing'],
  [{ code: 'ERR_FEED_TIMEOUT' }, 'source failing'],
  [{}, 'append failed'],
])('a fault that differs by %j, or as %s, is written at once', (difference, event) => {
  const { lines, logger, clock } = keptLines();
  const repeated = new RepeatedLines(logger, clock);
  repeated.warn(FAULT, 'source failing');
  repeated.error({ ...FAULT, ...difference }, event);
  expect(lines).toHaveLength(2);
});

test('what is held back is written when the minute is over, though no other comes', () => {
  const { lines, logger, time, clock } = keptLines();
  const timers: [run: () => void, afterMs: number][] = [];
  const repeated = new RepeatedLines(logger, clock, (...timer) => void timers.push(timer));
  const fail = (nth: number, fields: object = {}) => repeated.warn({ ...FAULT, nth, ...fields }, 'source failing');
  fail(0);
  time.nowMs = 20_000;
  for (const nth of [1, 2, 3]) fail(nth);
  fail(4, { reason: 'another' });
  expect([lines.length, timers.map(([, afterMs]) => afterMs)]).toEqual([2, [40_000]]);
  time.nowMs = REPEAT_MS;
  timers[0]?.[0]();
  expect(lines.slice(2)).toMatchObject([{ nth: 3, suppressed: 2 }]);
  // The minute begins anew.
  fail(5);
  expect([lines.length, timers[1]?.[1]]).toEqual([3, REPEAT_MS]);
  repeated.flush();
  timers[1]?.[0]();
  expect(lines.slice(3)).toMatchObject([{ nth: 5 }]);
});

test('an equal fault is written again when the minute is over, and not before', () => {
  const { lines, logger, time, clock } = keptLines();
  const repeated = new RepeatedLines(logger, clock);
  for (const nowMs of [0, REPEAT_MS - 1, REPEAT_MS]) {
    time.nowMs = nowMs;
    repeated.warn(FAULT, 'source failing');
  }
  expect(lines).toMatchObject([{}, { suppressed: 1 }]);
});

test('past the kinds that are told apart, the one that was written longest ago is forgotten, and its number written', () => {
  const { lines, logger, clock } = keptLines();
  const repeated = new RepeatedLines(logger, clock, () => undefined, 2);
  for (const code of ['A', 'B', 'A', 'A', 'C', 'B', 'A']) repeated.warn({ code }, 'retention failed');
  expect(lines).toMatchObject([
    { code: 'A' },
    { code: 'B' },
    { code: 'A', suppressed: 1 },
    { code: 'C' },
    { code: 'B' },
    { code: 'A' },
  ]);
});

test('what standard error does not take is counted, and `log lines lost` comes before the next line', () => {
  const taken: string[] = [];
  let room = 5;
  const { write } = lossyLines((bytes) => {
    if (room === 0) throw new Error('EAGAIN');
    const part = Buffer.from(bytes.subarray(0, room));
    taken.push(part.toString());
    return part.length;
  });
  write('line 1\n');
  room = 0;
  write('line 2\n');
  write('line 3\n');
  room = 1000;
  write('line 4\n');
  write('line 5\n');
  expect(taken).toEqual(['line ', '1\n', '{"level":40,"msg":"log lines lost","lines":2}\nline 4\n', 'line 5\n']);
});

test.each([
  [{ logger: { level: 'warn', stream: { write: () => undefined } } }, { warn: true, info: false }],
  [{ logger: false as const }, { warn: true, info: true }],
])('the logger of an app with %j tells which levels are written', (options, levels) => {
  const logger = loggerOf(Fastify(options).log);
  for (const [level, isEnabled] of Object.entries(levels)) {
    expect(logger.isLevelEnabled(level as 'warn' | 'info')).toBe(isEnabled);
  }
});
