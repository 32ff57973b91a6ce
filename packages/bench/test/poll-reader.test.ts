/* Clients that poll: answers that are cut anywhere, when they ask, and which versions they saw. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { eventually } from '@ldes-live/test-support/eventually';
import { httpServer } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { AnswerReader } from '../src/load/answers.ts';
import { sumPollReports } from '../src/load/poll-load.ts';
import { type PollBehaviour, pollPace, ReadEstimate } from '../src/load/poll-pace.ts';
import { openPollReaders, type PollReport } from '../src/load/poll-reader.ts';
import { monotonicMicros, stamp } from '../src/timing.ts';

const FIELDS = 'Date: Sun, 22 Nov 2026 01:00:00 GMT\r\nETAG: "a:1"\r\nnext-update:2026-11-22T01:00:05.127Z\r\n';
const body = Buffer.from(`{"at":"${stamp(123_456)}","more":"${stamp(9)}"}`);
/** What is read of pieces that come one after the other, all in the same memory. */
function read(pieces: readonly Buffer[]) {
  const reader = new AnswerReader();
  const shared = Buffer.alloc(4096, stamp(1));
  return pieces.flatMap((piece) => {
    piece.copy(shared);
    return reader.feed(shared.subarray(0, piece.length)) ?? [];
  });
}

test('an answer is read wherever it is cut, and the one after it', () => {
  const head = Buffer.from(`HTTP/1.1 200 OK\r\n${FIELDS}Content-Length: ${body.length}\r\n\r\n`);
  const bytes = Buffer.concat([head, body]);
  const expected = { status: 200, stampMicros: 123_456, wholeBytes: bytes.length };
  for (let cut = 1; cut <= bytes.length; cut += 1) {
    const answers = read([bytes.subarray(0, cut), bytes.subarray(cut), bytes].filter(({ length }) => length > 0));
    expect(answers, `cut at ${cut}`).toMatchObject([expected, expected]);
  }
  const [answer] = read([...bytes].map((byte) => Buffer.from([byte])));
  const fields = ['etag', 'date', 'next-update', 'age'].map((name) => answer?.field(name));
  expect(fields).toEqual(['"a:1"', 'Sun, 22 Nov 2026 01:00:00 GMT', '2026-11-22T01:00:05.127Z', undefined]);
});

test('an answer without a length never comes whole, and one in chunks is an error', () => {
  expect(read([Buffer.from('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')])).toEqual([]);
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
  expect(() => read([Buffer.from(chunked)])).toThrow('an answer in chunks: HTTP/1.1 200 OK');
});

test('an answer without a body has no stamp, whatever length it states', () => {
  const bytes = 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5200\r\nConnection: close\r\nX: y\r\n\r\n';
  const [answer] = read([Buffer.from(bytes)]);
  expect(answer).toMatchObject({ status: 304, stampMicros: undefined, wholeBytes: bytes.length });
  expect(answer?.field('connection')).toBe('close');
});

/** When a client asks next that asked at 900 and was answered at 1000 ms. */
function nextMs(
  behaviour: PollBehaviour,
  fields: Readonly<Record<string, string>>,
  phase = 0,
  isFirst = false,
): number {
  const answer = { status: 200, wholeBytes: 0, stampMicros: undefined, field: (name: string) => fields[name] };
  const pace = pollPace(behaviour, { phase, estimate: new ReadEstimate(), epochMs: 0 });
  return pace(answer, 900, 1000, isFirst);
}

const DATE = 'Sun, 22 Nov 2026 01:00:00 GMT';

test.each([
  [{}, 1500],
  [{ 'cache-control': 'max-age=0' }, 1500],
  // Fresh until 1,900.
  [{ 'cache-control': 'public, max-age=1' }, 2000],
  // Fresh until 5,900: the steps at 1,500 to 5,500 are answered by the copy.
  [{ 'cache-control': 'max-age=5, stale-if-error=300' }, 6000],
  [{ 'cache-control': 'max-age=5', age: '4' }, 2000],
  [{ 'cache-control': 'max-age=5', age: '9' }, 1500],
  [{ 'cache-control': 'no-store, max-age=5' }, 1500],
  [{ date: DATE, expires: 'Sun, 22 Nov 2026 01:00:05 GMT' }, 6000],
  [{ date: DATE, expires: 'Sun, 22 Nov 2026 01:00:05 GMT', 'cache-control': 'max-age=1' }, 2000],
  [{ date: DATE, expires: 'Sun, 22 Nov 2026 00:00:05 GMT' }, 1500],
])("the article's client asks for a copy with %j again at the first step at which it is stale, %d", (fields, ms) => {
  expect(nextMs({ kind: 'article', stepMs: 500 }, fields)).toBe(ms);
});

test('clients of the article begin at any moment of a pause', () => {
  expect(nextMs({ kind: 'article', stepMs: 500 }, {}, 0.5, true)).toBe(1250);
});

test('a client with a MAL asks at its phase after the update that an answer names', () => {
  const fields = { 'cache-control': 'public, max-age=4', 'next-update': new Date(5000).toISOString() };
  expect(nextMs({ kind: 'mal', stepMs: 2000 }, fields, 0)).toBe(5000);
  const atMs = nextMs({ kind: 'mal', stepMs: 2000 }, fields, 0.5);
  expect(atMs).toBeGreaterThan(5000);
  expect(atMs).toBeLessThanOrEqual(7000);
});

const INTERVAL_MS = 1000;

/** Clients of a server, and what they have met in all. */
async function poll(readers: number, answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const server = await httpServer((request, response) => answer(response, request));
  onTestFinished(() => server.close());
  const target = { ports: [Number(new URL(server.url).port)], path: '/latest' };
  const common = { firstReader: 0, seed: 1, localAddress: '127.0.0.1', updateIntervalMs: INTERVAL_MS };
  const follow = await openPollReaders({ ...target, ...common, readers, behaviour: { kind: 'article', stepMs: 10 } });
  onTestFinished(() => void follow({ order: 'stop' }));
  const report = (sinceMicros: number) => follow({ order: 'report', sinceMicros }) as PollReport;
  let met = report(monotonicMicros());
  expect(met).toMatchObject({ requests: readers, failed: 0 });
  follow({ order: 'begin' });
  return () => {
    met = sumPollReports([met, report(0)]);
    return met;
  };
}

const answer = (response: ServerResponse, stampMicros: number) =>
  response.end(JSON.stringify({ at: stamp(stampMicros) }));

test('versions are news once to each client, and those that a client never had are skipped', async () => {
  const beginMicros = monotonicMicros() + 1_000_000_000;
  let stampMicros = beginMicros;
  const met = await poll(2, (response) => answer(response, stampMicros));
  stampMicros = beginMicros + INTERVAL_MS * 1000;
  await eventually(() => expect(met()).toMatchObject({ news: 2, skipped: 0, older: 0 }));
  stampMicros = beginMicros + 4 * INTERVAL_MS * 1000;
  await eventually(() => expect(met()).toMatchObject({ news: 4, skipped: 4, older: 0 }));
  expect(met().failed).toBe(0);
  stampMicros = beginMicros;
  await eventually(() => expect(met().older).toBeGreaterThan(1));
});

test('a client asks by its tag, again after a failure, and anew where its connection was ended', async () => {
  const asked: (string | undefined)[] = [];
  const met = await poll(1, (response, request) => {
    asked.push(request.headers['if-none-match']);
    if (asked.length === 1) response.setHeader('etag', '"1"').end('{}');
    else if (asked.length === 2) response.writeHead(304, { connection: 'close' }).end();
    // One that has come in part is not asked again at once.
    else if (asked.length === 3) response.writeHead(200, { 'content-length': 5 }).write('{', () => response.destroy());
    else response.writeHead(503, { 'content-length': 0 }).end();
  });
  await eventually(() => expect(met().failed).toBeGreaterThan(3));
  expect(asked.slice(0, 4)).toEqual([undefined, '"1"', '"1"', '"1"']);
  // Two answers were right, and one request was never answered.
  const { requests, failed, news } = met();
  expect({ news, requests: requests - failed }).toEqual({ news: 0, requests: 1 });
});
