/* Clients that poll: answers that are cut anywhere, which versions they saw, and what a stalled server owes them. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { eventually } from '@ldes-live/test-support/eventually';
import { httpServer } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { AnswerReader } from '../src/load/answer-reader.ts';
import { LatencyHistogram } from '../src/load/latency-histogram.ts';
import { mergePollReports } from '../src/load/merge-poll-reports.ts';
import { monotonicMicros } from '../src/load/monotonic-micros.ts';
import type { PollReport } from '../src/load/poll-messages.ts';
import { Pollers } from '../src/load/pollers.ts';
import { stamp } from '../src/load/stamp.ts';
import { VersionWatch } from '../src/load/version-watch.ts';

const FIELDS = 'Date: Sun, 22 Nov 2026 01:00:00 GMT\r\nETAG: "a:1"\r\nnext-update:2026-11-22T01:00:05.127Z\r\n';
const body = Buffer.from(`{"at":"${stamp(123_456)}","more":"${stamp(9)}"}`);
const zipped = gzipSync(body);

const head = (fields: string) => Buffer.from(`HTTP/1.1 200 OK\r\n${FIELDS}${fields}\r\n`);
const chunks = (...parts: Buffer[]) =>
  Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n'),
  ]);

/** What is read of pieces that come one after the other, all in the same memory. */
function read(pieces: readonly Buffer[]) {
  const reader = new AnswerReader();
  const shared = Buffer.alloc(4096, stamp(1));
  return pieces.flatMap((piece) => {
    piece.copy(shared);
    return reader.feed(shared, piece.length) ?? [];
  });
}

test.each([
  ['of a length', head(`Content-Length: ${body.length}\r\n`), body],
  // The stamp is cut by a chunk.
  ['in chunks', head('Transfer-Encoding: chunked\r\n'), chunks(body.subarray(0, 14), body.subarray(14))],
  ['zipped', head(`content-encoding: gzip\r\ncontent-length: ${zipped.length}\r\n`), zipped],
  ['zipped and in chunks', head('content-encoding: gzip\r\ntransfer-encoding: chunked\r\n'), chunks(zipped)],
])('an answer %s is read wherever it is cut, and the one after it', (_, ...parts) => {
  const bytes = Buffer.concat(parts);
  const fields = { etag: '"a:1"', date: 'Sun, 22 Nov 2026 01:00:00 GMT', nextUpdate: '2026-11-22T01:00:05.127Z' };
  const expected = { status: 200, stampMicros: 123_456, wholeBytes: bytes.length, isLast: false, ...fields };
  for (let cut = 1; cut <= bytes.length; cut += 1) {
    const answers = read([bytes.subarray(0, cut), bytes.subarray(cut), bytes].filter(({ length }) => length > 0));
    expect(answers, `cut at ${cut}`).toMatchObject([expected, expected]);
  }
  expect(read([...bytes].map((byte) => Buffer.from([byte])))).toMatchObject([expected]);
});

test('an answer without a body has no stamp, whatever length it states', () => {
  const bytes = 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5200\r\nAge: 3\r\nConnection: close\r\nX: y\r\n\r\n';
  const expected = { status: 304, ageSeconds: 3, isLast: true, stampMicros: undefined };
  expect(read([Buffer.from(bytes)])).toMatchObject([expected]);
});

// Updates are a thousand apart, and the readers have been there since 10,500.
test.each([
  ['the first version tells nothing, the next ones are news once', [11, 11, 12, 12, 13], 'same same news same news'],
  ['versions between two are skipped', [11, 14, 15, 17], 'same news+2 news news+1'],
  ['an older version is told as such', [11, 13, 12, 13, 14], 'same news+1 older same news'],
  ['nothing before the readers is skipped', [undefined, 11], 'same news'],
  ['nothing before the readers is skipped', [undefined, 13], 'same news+2'],
  ['nothing before the readers is skipped', [0.017, 11], 'same news'],
  ['nothing before the readers is skipped', [2, 13], 'same news+2'],
])('%s: %j are %s', (_, thousands, kinds) => {
  const watch = new VersionWatch();
  const told = thousands.map((one) => {
    const { kind, skipped } = watch.take(one === undefined ? one : one * 1000, 1000, 10_500);
    return skipped > 0 ? `${kind}+${skipped}` : kind;
  });
  expect(told.join(' ')).toBe(kinds);
});

const INTERVAL_MS = 1000;

/** Readers of a server, and what they have met in all. */
async function poll(readers: number, answer: (response: ServerResponse) => void) {
  const server = await httpServer((_request, response) => answer(response));
  onTestFinished(() => server.close());
  const port = Number(new URL(server.url).port);
  const common = { firstReader: 0, headers: {}, opening: 2, seed: 1, localAddress: '127.0.0.1' };
  const targets = [{ port, path: '/latest' }];
  const behaviour = { kind: 'every', everyMs: 10 } as const;
  const pollers = new Pollers({ ...common, readers, targets, behaviour, updateIntervalMs: INTERVAL_MS });
  onTestFinished(() => pollers.stop());
  expect(await pollers.open()).toBe(readers);
  pollers.begin();
  let met: PollReport = pollers.report(monotonicMicros());
  return () => {
    met = mergePollReports([met, pollers.report(0)]);
    return met;
  };
}

const answer = (response: ServerResponse, stampMicros: number) =>
  response.writeHead(200).end(JSON.stringify({ at: stamp(stampMicros) }));

test('versions are news once to each reader, and those that a reader never had are counted', async () => {
  const beginMicros = monotonicMicros() + 1_000_000_000;
  let stampMicros = beginMicros;
  const met = await poll(2, (response) => answer(response, stampMicros));
  stampMicros = beginMicros + INTERVAL_MS * 1000;
  await eventually(() => expect(met()).toMatchObject({ news: 2, skipped: 0, older: 0 }));
  stampMicros = beginMicros + 4 * INTERVAL_MS * 1000;
  await eventually(() => expect(met()).toMatchObject({ news: 4, skipped: 4, older: 0 }));
  expect(met()).toMatchObject({ failed: 0, statuses: { 200: met().requests } });
  stampMicros = beginMicros;
  await eventually(() => expect(met().older).toBeGreaterThan(1));
});

test('what a stalled server owes is late from when it was due, of each request', async () => {
  const held: ServerResponse[] = [];
  let isStalled = false;
  const met = await poll(1, (response) => {
    if (isStalled) held.push(response);
    else answer(response, 1);
  });
  isStalled = true;
  const STALLED = 8;
  await eventually(() => expect(met().waiting).toBeGreaterThan(0));
  const since = monotonicMicros();
  // One request is with the server, and those after it wait for their connection.
  await eventually(() => expect(monotonicMicros() - since).toBeGreaterThan(STALLED * 10_000));
  expect(held).toHaveLength(1);
  const before = met();
  isStalled = false;
  for (const response of held) answer(response, 1);
  await eventually(() => expect(met().requests).toBeGreaterThan(before.requests + STALLED));
  const { responseTime, lateRequests } = met();
  const times = new LatencyHistogram();
  times.add(responseTime);
  expect(times.max).toBeGreaterThan((STALLED - 1) * 10_000);
  expect(lateRequests).toBeGreaterThanOrEqual(STALLED - 2);
});
