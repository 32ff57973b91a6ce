import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { LOOPBACK_LIMITS, measureUrl } from '../../src/capacity/capacity-measure.ts';

const URL_HERE = 'http://127.0.0.1:81/s';
const URL_ELSEWHERE = 'http://a.example/s';
const FEW = { ...LOOPBACK_LIMITS, requests: 200, connections: 4 };
const BODY = 'x'.repeat(5000);

interface Machine {
  readonly stepMs?: number;
  readonly cores?: number;
  readonly othersCores?: number;
}

/** A server, and a clock that moves by so many milliseconds each time that it is read; waits are noted and over at once. */
function world(
  answer: (count: number, url: string, headers: Headers) => Response | Promise<Response>,
  machine: Machine = {},
) {
  const { stepMs = 0.01, cores = 2, othersCores = 0 } = machine;
  const seen = { requests: 0, atOnce: 0, mostAtOnce: 0, waits: [] as number[] };
  let nowMs = Date.UTC(2026, 0, 1, 0, 0, 5);
  const environment = {
    fetch: async (url, { headers, redirect } = {}) => {
      expect(redirect).toBe('manual');
      seen.requests += 1;
      seen.atOnce += 1;
      seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.atOnce);
      try {
        return await answer(seen.requests, String(url), new Headers(headers));
      } finally {
        seen.atOnce -= 1;
      }
    },
    clock: () => {
      nowMs += stepMs;
      return nowMs;
    },
    // The time for all never passes.
    sleep: (ms, signal) => {
      if (ms > 10_000) return new Promise((_, reject) => signal.addEventListener('abort', reject));
      seen.waits.push(ms);
      nowMs += ms;
      return Promise.resolve();
    },
    machine: () => ({ busySeconds: (nowMs / 1000) * othersCores, cores }),
    interrupted: new AbortController().signal,
    userAgent: 'test',
  } satisfies Parameters<typeof measureUrl>[1];
  return { seen, environment, measure: (url: string, limits?: typeof FEW) => measureUrl(url, environment, limits) };
}

test('CAP-10 a server of this machine is asked by so many connections and no more often than stated', async () => {
  const { seen, measure } = world(() => new Response(BODY));
  const measured = await measure(URL_HERE, FEW);
  expect(seen).toMatchObject({ requests: 200, mostAtOnce: 4 });
  expect(measured).toMatchObject({ url: URL_HERE, isRemote: false, requests: 200, payloadBytes: 5000 });
  expect(measured.requestsPerSecond).toBeCloseTo(198 / measured.seconds, 6);
});

test('CAP-10 it ends when its time is over', async () => {
  const { seen, measure } = world(() => new Response(BODY), { stepMs: 100 });
  await measure(URL_HERE, FEW);
  expect(seen.requests).toBeLessThan(40);
});

test('CAP-10 another machine is asked five times at most, one at a time and a second apart', async () => {
  const { seen, measure } = world(() => new Response(BODY));
  const measured = await measure(URL_ELSEWHERE);
  expect(seen).toMatchObject({ requests: 5, mostAtOnce: 1 });
  expect(seen.waits.filter((ms) => ms === 1000).length).toBeGreaterThanOrEqual(4);
  expect(measured).toMatchObject({ isRemote: true, requests: 5, connections: 1 });
  expect(measured).not.toHaveProperty('requestsPerSecond');
});

test.each([
  [429, 1],
  [503, 3],
  [429, 30],
])('CAP-10 nothing more is asked after %d as answer %d', async (status, when) => {
  const { seen, measure } = world((count) =>
    count >= when ? new Response('', { status, headers: { 'retry-after': '7' } }) : new Response(BODY),
  );
  await expect(measure(URL_HERE, FEW)).rejects.toMatchObject({
    code: 'ERR_MEASURE',
    message: expect.stringContaining(`it answers with status ${status}, to come back after 7 s`),
  });
  // Those that were under way have come.
  expect(seen.requests).toBeLessThan(when + FEW.connections);
});

const never = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(10)) });

test.each([
  [() => new Response('', { status: 404 }), 'it answers with status 404'],
  [
    () => new Response(null, { status: 302, headers: { location: 'http://b.example/' } }),
    'it redirects to http://b.example/: give that URL',
  ],
  [
    () => new Response(never, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }),
    'it is a stream of events (text/event-stream)',
  ],
  [() => new Response('x'.repeat(100_001)), 'an answer is larger than 100000 bytes'],
])('CAP-9 what cannot be measured is asked for once: %#', async (answer, reason) => {
  const { seen, measure } = world(answer);
  await expect(measure(URL_HERE, { ...FEW, answerBytes: 100_000 })).rejects.toThrow(reason);
  expect(seen.requests).toBe(1);
});

test('a server that does not answer is given up', async () => {
  const { environment } = world(() => new Response(BODY));
  const silent: typeof fetch = (_, init) =>
    new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
  const edge = { ...environment, fetch: silent, sleep: () => Promise.resolve() };
  await expect(measureUrl(URL_HERE, edge, FEW)).rejects.toThrow(/does not answer in time/);
});

test.each([
  [50, true],
  [150, false],
])('one failure in %d answers refuses figures: %s', async (each, isRefused) => {
  const { measure } = world((count) => (count % each === 0 ? new Response('', { status: 500 }) : new Response(BODY)));
  const measured = measure(URL_HERE, { ...FEW, requests: 202 });
  const reason = /4 of 200 answers failed, the last: it answers with status 500/;
  if (isRefused) await expect(measured).rejects.toThrow(reason);
  else expect((await measured).requestsPerSecond).toBeGreaterThan(0);
});

const DATE = 'Thu, 01 Jan 2026 00:00:05 GMT';
const MODIFIED = 'Thu, 01 Jan 2026 00:00:00 GMT';

test('it tells the sizes, the interval and the break-even of the latest state that an answer links to', async () => {
  const zipped = gzipSync(BODY);
  const links = '</latest>; rel="current", </events>; rel="alternate"; break-even="12.5"';
  const { measure } = world((_, url, headers) => {
    if (url === URL_HERE) return new Response('root', { headers: { link: links } });
    const fields = { 'last-modified': MODIFIED, date: DATE, 'next-update': '2026-01-01T00:00:20.000Z' };
    if (headers.get('accept-encoding') !== 'gzip') return new Response(BODY, { headers: fields });
    const compressed = { 'content-encoding': 'gzip', 'content-length': String(zipped.length) };
    return new Response(BODY, { headers: { ...fields, ...compressed } });
  });
  expect(await measure(URL_HERE, { ...FEW, requests: 20 })).toMatchObject({
    url: 'http://127.0.0.1:81/latest',
    payloadBytes: 5000,
    compressedBytes: zipped.length,
    intervalSeconds: 20,
    breakEvenSeconds: 12.5,
    requests: 20,
  });
});

test.each<[Record<string, string>, number | undefined]>([
  [{}, undefined],
  [{ date: DATE, 'cache-control': 'public, max-age=1' }, undefined],
  [{ 'cache-control': 'max-age=15' }, 15],
  [{ 'cache-control': 's-maxage=15' }, undefined],
  [{ date: DATE, 'cache-control': 'max-age=15', 'last-modified': MODIFIED }, 20],
  [{ date: DATE, 'last-modified': MODIFIED, 'next-update': '2026-01-01T00:00:30.500Z' }, 30.5],
  // An update that is late says nothing of the interval.
  [{ date: DATE, 'next-update': '2026-01-01T00:00:04.000Z' }, undefined],
  [{ date: 'never', 'next-update': 'soon' }, undefined],
])('the interval of %j is %d s', async (headers, intervalSeconds) => {
  const { measure } = world(() => new Response('', { headers }), { stepMs: 0 });
  expect((await measure(URL_ELSEWHERE)).intervalSeconds).toBe(intervalSeconds);
});

test.each([
  [URL_ELSEWHERE, '</s/latest>; rel="current"', 'http://a.example/s/latest'],
  [URL_ELSEWHERE, '<http://b.example/t>; rel="current"', URL_ELSEWHERE],
  [URL_ELSEWHERE, '</t>; rel="currently"', URL_ELSEWHERE],
  // A server on this machine may have several names.
  [URL_HERE, '<http://localhost:81/t>; rel="current"', 'http://127.0.0.1:81/t'],
  [URL_HERE, '<http://[::1]:81/t>; rel="current"', 'http://127.0.0.1:81/t'],
  [URL_HERE, '<http://localhost:82/t>; rel="current"', URL_HERE],
  [URL_HERE, '<https://localhost:81/t>; rel="current"', URL_HERE],
  [URL_HERE, '<http://a.example:81/t>; rel="current"', URL_HERE],
  [URL_HERE, '<mailto:a@a.example>; rel="current"', URL_HERE],
  [URL_HERE, '<//[>; rel="current"', URL_HERE],
])('CAP-9 of %s with the link %s this is measured: %s', async (url, link, measured) => {
  const { measure } = world(() => new Response('', { headers: { link } }));
  expect((await measure(url, { ...FEW, requests: 9 })).url).toBe(measured);
});

test.each([
  [1, 0.1, false],
  [1, 0.3, true],
  [2, 0.2, false],
  [2, 0.5, true],
  [8, 5.9, false],
  [8, 6.9, true],
])('of %i cores others take %d: they are told where they leave too few: %s', async (cores, othersCores, isTold) => {
  const { measure } = world(() => new Response(''), { cores, othersCores });
  const { otherLoad } = await measure(URL_HERE, { ...FEW, requests: 9 });
  expect(otherLoad?.cores).toBe(isTold ? cores : undefined);
  if (isTold) expect(otherLoad?.busyCores).toBeCloseTo(othersCores, 2);
  expect(await measure(URL_ELSEWHERE)).not.toHaveProperty('otherLoad');
});
