import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { httpServer } from '@ldes-live/test-support/net';
import { until, VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, onTestFinished, test } from 'vitest';
import { HttpClient } from '../../src/http/http-client.ts';
import { RequestBudget } from '../../src/http/request-budget.ts';
import { DEFAULT_LIMITS } from '../../src/options.ts';
import { testLimits } from '../support/setup-origin.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = await httpServer(listener);
  onTestFinished(() => server.close());
  return server.url;
}

function setUp({ capacity = 100, origin = 'http://127.0.0.1', fetch = globalThis.fetch } = {}) {
  const time = new VirtualTime({ waits: 'at once' });
  const { clock, sleep } = time;
  const budget = new RequestBudget({ capacity, refillMs: 60_000, clock, sleep });
  const limits = { ...DEFAULT_LIMITS, requestMs: testLimits.requestMs };
  const headers = { authorization: 'Bearer x', 'X-Api-Key': 'k' };
  const http = new HttpClient({ fetch, clock, sleep, budget, limits, headers, origin });
  const controller = new AbortController();
  const { signal } = controller;
  const get = (url: string) => http.get(url, { signal, accept: 'text/plain' });
  const limit = { ms: testLimits.openMs, late: () => new Error('late') };
  const send = (url: string) => http.send(url, { headers: { accept: 'text/event-stream' }, signal, limit });
  return { time, http, controller, get, send, budget };
}

/** Leads from the root to another place, which says hello. */
const redirecting: RequestListener = (request, response) => {
  if (request.url === '/') response.writeHead(302, { location: '/there' }).end();
  else response.end('hällo');
};

test('counts requests and bytes, a redirect as a request of its own', async () => {
  const url = await serve(redirecting);
  const { http, get } = setUp();
  expect(await get(url)).toMatchObject({ url: `${url}there`, status: 200, text: 'hällo' });
  expect([http.requests, http.bytes]).toEqual([2, 6]);
});

test('keeps characters whole that stand across chunks', async () => {
  const bytes = new TextEncoder().encode('€€');
  const body = ReadableStream.from([bytes.subarray(0, 4), bytes.subarray(4)]);
  const { get } = setUp({ fetch: async () => new Response(body) });
  expect((await get('http://a.example/')).text).toBe('€€');
});

const cutting: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('half', () => response.destroy());
};
const STATUS = { code: 'ERR_RESPONSE_STATUS', details: { status: 503, retryAfterMs: 3_000 } };

test.each<[string, RequestListener, object]>([
  ['a cut body', cutting, { code: 'ERR_UNREACHABLE' }],
  ['a status', (_, response) => response.writeHead(503, { 'retry-after': '3' }).end(), STATUS],
  ['a refused connection', (_, response) => response.destroy(), { code: 'ERR_UNREACHABLE' }],
])('names %s', async (_what, listener, error) => {
  await expect(setUp().get(await serve(listener))).rejects.toMatchObject(error);
});

test.each(['get', 'send'] as const)('%s gives up at its limit, or at an abort, and closes', async (way) => {
  let [asked, closed] = [0, 0];
  const url = await serve((_request, response) => {
    asked += 1;
    response.on('close', () => {
      closed += 1;
    });
  });
  const { time, controller, [way]: ask } = setUp();
  const late = ask(url);
  await until(() => asked === 1);
  time.expire(way === 'get' ? testLimits.requestMs : testLimits.openMs);
  await expect(late).rejects.toThrow(
    way === 'get' ? expect.objectContaining({ code: 'ERR_RESPONSE_TIMEOUT' }) : 'late',
  );
  if (way === 'get') await until(() => closed === 1);
  const aborted = ask(url);
  controller.abort('enough');
  await expect(aborted).rejects.toBe('enough');
});

test('learns the clock of the server from its dates', async () => {
  const { time, http, get } = setUp();
  const url = await serve((_request, response) => {
    response.setHeader('date', new Date(time.nowMs + 3_600_000).toUTCString());
    response.end();
  });
  await get(url);
  expect(http.clockOffsetMs).toBeGreaterThanOrEqual(3_598_000);
  expect(http.clockOffsetMs).toBeLessThanOrEqual(3_601_000);
});

test('MAL-64 a request waits for the budget before its time begins, and a redirected one costs two', async () => {
  const url = await serve(redirecting);
  const { time, get, send, budget } = setUp({ capacity: 1 });
  const startedMs = time.nowMs;
  expect(await get(url)).toMatchObject({ receipt: { requests: 2 }, sentMs: startedMs });
  expect(budget.tokens).toBe(-1);
  expect(await get(`${url}there`)).toMatchObject({ receipt: { requests: 1 }, sentMs: startedMs + 120_000 });
  expect(await send(`${url}there`)).toMatchObject({ status: 200 });
  expect(time.nowMs).toBe(startedMs + 180_000);
  expect(time.waits).toEqual([120_000, 60_000]);
});

test('MAL-64 an abort ends the wait for the budget, and nothing is sent', async () => {
  const { http, get, controller, budget } = setUp({ capacity: 1 });
  budget.spend();
  controller.abort('enough');
  await expect(get('http://127.0.0.1:9/')).rejects.toBe('enough');
  expect(http.requests).toBe(0);
});

test('MAL-83 header fields go to the origin that is followed, and to no other', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const listener: RequestListener = ({ headers }, response) => {
    seen.push(headers);
    response.end();
  };
  const [own, other] = [await serve(listener), await serve(listener)];
  const { get, send } = setUp({ origin: new URL(own).origin });
  for (const ask of [get, send]) for (const url of [own, other]) await ask(url);
  expect(seen.map(({ authorization, 'x-api-key': key, accept }) => [authorization, key, accept])).toEqual([
    ['Bearer x', 'k', 'text/plain'],
    [undefined, undefined, 'text/plain'],
    ['Bearer x', 'k', 'text/event-stream'],
    [undefined, undefined, 'text/event-stream'],
  ]);
});

test.each([false, true])(
  'MAL-83 a redirect takes them to no other origin, nor back: in a browser %s',
  async (isBrowser) => {
    const seen: IncomingHttpHeaders[] = [];
    const urls: string[] = [];
    // To its own origin, to another, and back.
    const listener: RequestListener = ({ headers, url }, response) => {
      seen.push(headers);
      const location = { '/': '/there', '/there': `${urls[1]}far`, '/far': `${urls[0]}back` }[url as string];
      response.writeHead(location ? 302 : 200, location ? { location } : {}).end();
    };
    urls.push(await serve(listener), await serve(listener));
    const [own = ''] = urls;
    const opaque = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
    let asked = 0;
    const browserFetch: typeof fetch = async (url, init) => {
      asked += 1;
      return init?.redirect === 'manual' ? opaque : await fetch(url, init);
    };
    const { http, get } = setUp({ origin: new URL(own).origin, ...(isBrowser && { fetch: browserFetch }) });
    expect(await get(own)).toMatchObject({ url: `${own}back`, status: 200 });
    const own1 = ['Bearer x', 'k'];
    const keys = seen.map(({ authorization, 'x-api-key': key }) => [authorization, key]);
    if (!isBrowser) expect(keys).toEqual([own1, own1, [undefined, undefined], own1]);
    // What it does with them is for the browser to say; it is asked in vain once.
    else expect([keys[0], asked, (await get(own)).status, asked]).toEqual([own1, 2, 200, 3]);
    expect(http.requests).toBeGreaterThanOrEqual(3);
  },
);

test('MAL-64 what a request cost is given back once, however many it brought something new to', async () => {
  const { http, get, budget } = setUp();
  const url = await serve((_request, response) => response.end());
  const [{ receipt }] = await Promise.all([get(url), get(url)]);
  await get(url);
  expect(budget.tokens).toBe(98);
  for (let reader = 0; reader < 2; reader += 1) http.refund(receipt);
  expect(budget.tokens).toBe(99);
});
