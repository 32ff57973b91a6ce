import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { LOOPBACK_LIMITS, REMOTE_LIMITS } from '../../src/capacity/measure-limits.ts';
import { measureUrl } from '../../src/capacity/measure-url.ts';
import { measuredServer } from './measured-server.ts';

/** A clock that moves by so many milliseconds each time that it is read, and waits that are noted and over at once. */
function edgeOf({ stepMs = 1, fetch: fetchIt = fetch }: { stepMs?: number; fetch?: typeof fetch } = {}) {
  const waits: number[] = [];
  let nowMs = Date.UTC(2026, 0, 1);
  return {
    waits,
    fetch: fetchIt,
    clock: () => {
      nowMs += stepMs;
      return nowMs;
    },
    // The time for all never passes; others do at once.
    sleep: (ms: number, signal: AbortSignal) => {
      if (ms > 10_000) return new Promise((_, reject) => signal.addEventListener('abort', reject));
      waits.push(ms);
      return Promise.resolve();
    },
    interrupted: new AbortController().signal,
    cpuMicros: () => 0,
    userAgent: 'test',
  };
}

const FEW = { ...LOOPBACK_LIMITS, requests: 200, connections: 4 };
const BODY = 'x'.repeat(5000);

test('CAP-10 a server of this machine is asked by so many connections and no more often than stated', async () => {
  const server = await measuredServer((_, response) => void setImmediate(() => response.end(BODY)));
  const measured = await measureUrl(server.url, edgeOf({ stepMs: 0.01 }), FEW);
  expect(server.requests).toBe(200);
  expect(server.mostAtOnce).toBeLessThanOrEqual(4);
  expect(measured).toMatchObject({ url: server.url, isRemote: false, requests: 200, payloadBytes: 5000 });
  expect(measured.requestsPerSecond).toBeCloseTo(198 / measured.seconds, 6);
});

test('CAP-10 it ends when its time is over', async () => {
  const server = await measuredServer((_, response) => response.end(BODY));
  await measureUrl(server.url, edgeOf({ stepMs: 100 }), FEW);
  expect(server.requests).toBeLessThan(40);
});

test('CAP-10 another machine is asked five times at most, one at a time and a second apart', async () => {
  const server = await measuredServer((_, response) => response.end(BODY));
  let atOnce = 0;
  const edge = edgeOf({
    fetch: async (url, options) => {
      atOnce += 1;
      expect(atOnce).toBe(1);
      try {
        return await fetch(String(url).replace('http://live.example.org/latest', server.url), options);
      } finally {
        atOnce -= 1;
      }
    },
  });
  const measured = await measureUrl('http://live.example.org/latest', edge);
  expect(server.requests).toBe(REMOTE_LIMITS.requests);
  expect(edge.waits.filter((ms) => ms === 1000).length).toBeGreaterThanOrEqual(REMOTE_LIMITS.requests - 1);
  expect(measured).toMatchObject({ isRemote: true, requests: 5, connections: 1 });
  expect(measured).not.toHaveProperty('requestsPerSecond');
});

test.each([
  [429, 1],
  [503, 1],
  [503, 3],
  [429, 30],
])('CAP-11 nothing more is asked after %d as answer %d', async (status, when) => {
  const server = await measuredServer((_, response, count) =>
    count >= when ? response.writeHead(status, { 'retry-after': '7' }).end() : response.end(BODY),
  );
  await expect(measureUrl(server.url, edgeOf({ stepMs: 0.01 }), FEW)).rejects.toMatchObject({
    code: 'ERR_MEASURE',
    message: expect.stringContaining(`it answers with status ${status}, to come back after 7 s`),
  });
  // Those that were under way have come.
  expect(server.requests).toBeLessThan(when + FEW.connections);
});

test.each([
  [404, {}, 'it answers with status 404'],
  [302, { location: 'http://live.example.org/' }, 'it redirects to http://live.example.org/: give that URL'],
])('CAP-12 an answer by %d is asked for once', async (status, headers, reason) => {
  const server = await measuredServer((_, response) => response.writeHead(status, headers).end());
  await expect(measureUrl(server.url, edgeOf(), FEW)).rejects.toThrow(reason);
  expect(server.requests).toBe(1);
});

test('CAP-12 a stream of events is told by its type, and not waited for', async () => {
  const server = await measuredServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write(': \n\n');
  });
  await expect(measureUrl(server.url, edgeOf(), FEW)).rejects.toThrow(/is a stream of events \(text\/event-stream\)/);
  expect(server.requests).toBe(1);
});

test('CAP-9 a redirect is not followed', async () => {
  const other = await measuredServer((_, response) => response.end(BODY));
  const server = await measuredServer((_, response) => response.writeHead(301, { location: other.url }).end());
  await expect(measureUrl(server.url, edgeOf(), FEW)).rejects.toMatchObject({ code: 'ERR_MEASURE' });
  expect(other.requests).toBe(0);
});

test.each([
  [50, true],
  [150, false],
])('CAP-12 one failure in %d answers refuses figures: %s', async (each, isRefused) => {
  const server = await measuredServer((_, response, count) =>
    count % each === 0 ? response.writeHead(500).end() : response.end(BODY),
  );
  const measured = measureUrl(server.url, edgeOf({ stepMs: 0.01 }), { ...FEW, requests: 202 });
  if (isRefused)
    await expect(measured).rejects.toThrow(/4 of 200 answers failed, the last: it answers with status 500/);
  else expect((await measured).requestsPerSecond).toBeGreaterThan(0);
});

test('CAP-12 who does not answer is given up', async () => {
  const server = await measuredServer(() => undefined);
  const edge = { ...edgeOf(), sleep: () => Promise.resolve() };
  await expect(measureUrl(server.url, edge, FEW)).rejects.toThrow(/does not answer in time/);
});

test('CAP-12 an answer that is too long is not read on', async () => {
  const server = await measuredServer((_, response) => response.end(BODY));
  await expect(measureUrl(server.url, edgeOf(), { ...FEW, answerBytes: 100 })).rejects.toThrow(/larger than 100 bytes/);
});

test('CAP-13 it tells the sizes, the interval and the break-even of the latest state that an answer links to', async () => {
  const zipped = gzipSync(BODY);
  const server = await measuredServer((request, response) => {
    if (request.url === '/latest') {
      response
        .setHeader('link', '</current>; rel="current", </events>; rel="alternate"; break-even="12.5"')
        .end('root');
      return;
    }
    const isZipped = request.headers['accept-encoding'] === 'gzip';
    response.writeHead(200, {
      'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
      date: 'Thu, 01 Jan 2026 00:00:05 GMT',
      'next-update': '2026-01-01T00:00:20.000Z',
      ...(isZipped && { 'content-encoding': 'gzip', 'content-length': zipped.length }),
    });
    response.end(isZipped ? zipped : BODY);
  });
  expect(await measureUrl(server.url, edgeOf({ stepMs: 0.01 }), { ...FEW, requests: 20 })).toMatchObject({
    url: server.url.replace('/latest', '/current'),
    payloadBytes: 5000,
    compressedBytes: zipped.length,
    intervalSeconds: 20,
    breakEvenSeconds: 12.5,
    requests: 20,
  });
});
