import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { eventually } from '@ldes-live/test-support/eventually';
import { afterEach, describe, expect, test } from 'vitest';
import { AnswerReader } from '../src/load/answer-reader.ts';
import { LatencyHistogram } from '../src/load/latency-histogram.ts';
import { mergePollReports } from '../src/load/merge-poll-reports.ts';
import { monotonicMicros } from '../src/load/monotonic-micros.ts';
import type { PollPlan, PollReport } from '../src/load/poll-messages.ts';
import { Pollers } from '../src/load/pollers.ts';
import { stamp } from '../src/load/stamp.ts';
import { VersionWatch } from '../src/load/version-watch.ts';

const BODY = `{"at":"${stamp(123_456)}","more":"${stamp(9)}"}`;
const FIELDS = 'Date: Sun, 22 Nov 2026 01:00:00 GMT\r\nETAG: "a:1"\r\nnext-update:2026-11-22T01:00:05.127Z\r\n';

const head = (status: string, fields: string) => Buffer.from(`HTTP/1.1 ${status}\r\n${fields}\r\n`);
const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const END = Buffer.from('0\r\n\r\n');
const body = Buffer.from(BODY);
const zipped = gzipSync(body);

const ANSWERS: Readonly<Record<string, Buffer>> = {
  'of a length': Buffer.concat([head('200 OK', `${FIELDS}Content-Length: ${body.length}\r\n`), body]),
  'in chunks': Buffer.concat([
    head('200 OK', `Transfer-Encoding: chunked\r\n${FIELDS}`),
    // A stamp that is cut by a chunk.
    chunk(body.subarray(0, 14)),
    chunk(body.subarray(14)),
    END,
  ]),
  zipped: Buffer.concat([
    head('200 OK', `${FIELDS}content-encoding: gzip\r\ncontent-length: ${zipped.length}\r\n`),
    zipped,
  ]),
  'zipped and in chunks': Buffer.concat([
    head('200 OK', `${FIELDS}content-encoding: gzip\r\ntransfer-encoding: chunked\r\n`),
    chunk(zipped),
    END,
  ]),
};

/** What is read of two answers in a row that come in pieces, all in the same memory. */
function read(pieces: readonly Buffer[]) {
  const reader = new AnswerReader();
  const shared = Buffer.alloc(4096, stamp(1));
  return pieces.flatMap((piece) => {
    piece.copy(shared);
    return reader.feed(shared, piece.length) ?? [];
  });
}

test.each(Object.entries(ANSWERS))('an answer %s is read wherever it is cut', (_, bytes) => {
  const expected = {
    status: 200,
    stampMicros: 123_456,
    wholeBytes: bytes.length,
    etag: '"a:1"',
    date: 'Sun, 22 Nov 2026 01:00:00 GMT',
    nextUpdate: '2026-11-22T01:00:05.127Z',
    isLast: false,
  };
  for (let cut = 1; cut <= bytes.length; cut += 1) {
    const answers = read([bytes.subarray(0, cut), bytes.subarray(cut), bytes].filter(({ length }) => length > 0));
    expect(answers, `cut at ${cut}`).toMatchObject([expected, expected]);
  }
  expect(read([...bytes].map((byte) => Buffer.from([byte])))).toMatchObject([expected]);
});

test('an answer without a body has no stamp, whatever length it states', () => {
  const bytes = head('304 Not Modified', 'Content-Length: 5200\r\nAge: 3\r\nConnection: close\r\nX: y\r\n');
  expect(read([bytes])).toMatchObject([{ status: 304, ageSeconds: 3, isLast: true, stampMicros: undefined }]);
});

const INTERVAL = 1000;
const SINCE = 10_500;

function watched(stamps: readonly (number | undefined)[], since = SINCE) {
  const watch = new VersionWatch();
  return stamps.map((stamp) => {
    const { kind, skipped } = watch.take(stamp, INTERVAL, since);
    return skipped > 0 ? `${kind} after ${skipped}` : kind;
  });
}

test('the first version tells nothing, the next ones are news once each', () => {
  expect(watched([11_000, 11_000, 12_000, 12_000, 13_000])).toEqual(['same', 'same', 'news', 'same', 'news']);
});

test('versions that lie between two are counted as skipped', () => {
  expect(watched([11_000, 14_000, 15_000, 17_000])).toEqual(['same', 'news after 2', 'news', 'news after 1']);
});

test('an older version is told as such, and what was newer stays what the reader has', () => {
  expect(watched([11_000, 13_000, 12_000, 13_000, 14_000])).toEqual(['same', 'news after 1', 'older', 'same', 'news']);
});

test.each([[undefined], [17], [2000]])(
  'what was scheduled before the readers were there is not skipped (%s)',
  (first) => {
    expect(watched([first, 11_000])).toEqual(['same', 'news']);
    expect(watched([first, 13_000])).toEqual(['same', 'news after 2']);
  },
);

describe('pollers', () => {
  /** Waits for what comes; the limit is for what hangs. */
  const until = (holds: () => void) => eventually(holds);

  const INTERVAL_MS = 1000;
  const closings: (() => void)[] = [];
  afterEach(() => {
    for (const close of closings.splice(0)) close();
  });

  type Handler = (response: ServerResponse, request: IncomingMessage) => void;

  async function serve(handler: Handler): Promise<number> {
    const server = createServer((request, response) => handler(response, request));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closings.push(() => {
      server.close();
      server.closeAllConnections();
    });
    return (server.address() as AddressInfo).port;
  }

  /** Readers of a server, and what they have met in all. */
  async function poll(port: number, more: Partial<PollPlan> = {}) {
    const pollers = new Pollers({
      readers: 2,
      firstReader: 0,
      targets: [{ port, path: '/latest' }],
      headers: {},
      behaviour: { kind: 'every', everyMs: 10 },
      updateIntervalMs: INTERVAL_MS,
      opening: 2,
      seed: 1,
      localAddress: '127.0.0.1',
      ...more,
    });
    closings.push(() => pollers.stop());
    const opened = await pollers.open();
    pollers.begin();
    let met: PollReport = pollers.report(monotonicMicros());
    return {
      opened,
      met: (sinceMicros = 0) => {
        met = mergePollReports([met, pollers.report(sinceMicros)]);
        return met;
      },
    };
  }

  const answer = (response: ServerResponse, stampMicros: number, headers: Record<string, string> = {}) =>
    response.writeHead(200, headers).end(JSON.stringify({ at: stamp(stampMicros) }));

  test('versions are news once to each reader, and those that a reader never had are counted', async () => {
    const beginMicros = monotonicMicros() + 1_000_000_000;
    let stampMicros = beginMicros;
    const { opened, met } = await poll(await serve((response) => answer(response, stampMicros)));
    expect(opened).toBe(2);
    stampMicros = beginMicros + INTERVAL_MS * 1000;
    await until(() => expect(met()).toMatchObject({ news: 2, skipped: 0, older: 0 }));
    stampMicros = beginMicros + 4 * INTERVAL_MS * 1000;
    await until(() => expect(met()).toMatchObject({ news: 4, skipped: 4, older: 0 }));
    expect(met()).toMatchObject({ failed: 0, statuses: { 200: met().requests } });
    stampMicros = beginMicros;
    await until(() => expect(met().older).toBeGreaterThan(1));
  });

  test('what a stalled server owes is late from when it was due, of each request', async () => {
    const held: ServerResponse[] = [];
    let isStalled = false;
    const port = await serve((response) => {
      if (isStalled) held.push(response);
      else answer(response, 1);
    });
    const { met } = await poll(port, { readers: 1 });
    isStalled = true;
    const STALLED = 8;
    await until(() => expect(met().waiting).toBeGreaterThan(0));
    const since = monotonicMicros();
    // One request is with the server, and those after it wait for their connection.
    await until(() => expect(monotonicMicros() - since).toBeGreaterThan(STALLED * 10_000));
    expect(held).toHaveLength(1);
    const before = met();
    isStalled = false;
    for (const response of held) answer(response, 1);
    await until(() => expect(met().requests).toBeGreaterThan(before.requests + STALLED));
    const { responseTime, lateRequests } = met();
    const times = new LatencyHistogram();
    times.add(responseTime);
    expect(times.max).toBeGreaterThan((STALLED - 1) * 10_000);
    expect(lateRequests).toBeGreaterThanOrEqual(STALLED - 2);
  });
});
