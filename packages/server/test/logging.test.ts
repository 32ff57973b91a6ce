import { StreamError } from '@ldes-live/rdf-stream';
import { channelPair } from '@ldes-live/test-support/channels';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createLiveServer, createWorkerServer, hashToken } from '../src/index.ts';
import { loggerOf, lossyLines, REPEAT_MS, RepeatedLines } from '../src/logging.ts';
import { keptLines } from './kept-lines.ts';
import { EPOCH, fill, testServer } from './test-server.ts';

/** A server of its own over a log that fails, with the lines that it logs. */
async function failingServer() {
  const { description, log, ...server } = await testServer();
  await fill({ ...server, description, log }, 3, 1);
  const lines: Record<string, unknown>[] = [];
  const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(JSON.parse(line)) } };
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

test('ERR-2, LOG-2, LOG-5 `request failed` has the error and the path, and what is refused leaves no line', async () => {
  const { base, lines } = await failingServer();
  expect((await fetch(`${base}/vehicles/nonsense`)).status).toBe(404);
  expect((await fetch(`${base}/vehicles/latest`, { headers: { accept: 'image/png' } })).status).toBe(406);
  expect(lines).toEqual([]);
  expect((await fetch(`${base}/vehicles/latest?token=secret`)).status).toBe(500);
  expect(lines).toMatchObject([
    { level: 50, msg: 'request failed', method: 'GET', path: '/vehicles/latest', err: { message: 'disk sdb1' } },
  ]);
  expect(JSON.stringify(lines)).not.toContain('secret');
});

test.each([
  [new Error('disk sdb1'), 500, { level: 50, msg: 'request failed' }],
  [new StreamError('ERR_STORE_WRITE', 'disk sdb1'), 503, { level: 40, msg: 'post failed' }],
])(
  'ING-26 a post that fails by %s is answered by %d, and leaves a line, which is `post failed` where it may be repeated',
  async (error, status, line) => {
    const { base, lines, log } = await failingServer();
    log.append = () => Promise.reject(error);
    const headers = { authorization: 'Bearer token', 'content-type': 'application/n-quads' };
    const body = '<http://city.example/1> <http://city.example/level> "1" .';
    expect((await fetch(`${base}/vehicles`, { method: 'POST', body, headers })).status).toBe(status);
    expect(lines).toMatchObject([{ ...line, path: '/vehicles', err: { message: 'disk sdb1' } }]);
  },
);

test('LOG-5 `catch-up failed` is said of a push stream that fails, in the process that has the log and in a worker', async () => {
  const { live, base, lines, logger } = await failingServer();
  const [left, right] = channelPair();
  live.attachWorker(left, 1);
  const worker = await createWorkerServer({ channel: right, ownerUrl: base, logger: { ...logger, name: 'worker-1' } });
  onTestFinished(() => worker.close());
  const workerBase = `http://127.0.0.1:${await worker.listen({ host: '127.0.0.1', port: 0 })}`;
  for (const at of [base, workerBase]) {
    const reader = await readEvents(`${at}/vehicles/events?from=${EPOCH}-0`);
    await eventually(() => expect(reader.state.ended).toBe(true));
  }
  expect(lines.at(0)).toMatchObject({ level: 50, msg: 'catch-up failed', err: { message: 'disk sdb1' } });
  expect(lines.at(-1)).toMatchObject({ level: 50, msg: 'catch-up failed', name: 'worker-1' });
});

const FAULT = { stream: 'vehicles', origin: 'a.example', code: 'ERR_FEED_STATUS' };

test('LOG-3 of 1,000 equal faults in 100 s two are written, with how many were not', () => {
  const { lines, logger, time, clock } = keptLines();
  const repeated = new RepeatedLines(logger, clock);
  for (let nth = 0; nth < 1000; nth += 1, time.nowMs += 100) repeated.warn({ ...FAULT, nth }, 'source failing');
  const line = { level: 'warn', event: 'source failing', ...FAULT };
  expect(lines).toEqual([
    { ...line, nth: 0 },
    { ...line, nth: 600, suppressed: 599 },
  ]);
  repeated.flush('vehicles-2');
  expect(lines).toHaveLength(2);
  repeated.flush('vehicles');
  expect(lines.slice(2)).toEqual([{ ...line, nth: 999, suppressed: 398 }]);
  repeated.flush();
  expect(lines).toHaveLength(3);
});

test.each([
  [{ stream: 'stations' }, 'source failing'],
  [{ origin: 'b.example' }, 'source failing'],
  [{ code: 'ERR_FEED_TIMEOUT' }, 'source failing'],
  [{}, 'append failed'],
])('LOG-3 a fault that differs by %j, or as %s, is written at once', (difference, event) => {
  const { lines, logger, clock } = keptLines();
  const repeated = new RepeatedLines(logger, clock);
  repeated.warn(FAULT, 'source failing');
  repeated.error({ ...FAULT, ...difference }, event);
  expect(lines).toHaveLength(2);
});

test('LOG-3 an equal fault is written again when the minute is over, and not before', () => {
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
  const repeated = new RepeatedLines(logger, clock, 2);
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

test('LOG-4 what standard error does not take is counted, and `log lines lost` comes before the next line', () => {
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
