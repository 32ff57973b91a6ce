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

function setUp(limitBytes = 1_000, capacity = 100, origin = 'http://127.0.0.1') {
  const time = new VirtualTime({ waits: 'at once' });
  const { clock, sleep } = time;
  const budget = new RequestBudget({ capacity, refillMs: 60_000, clock, sleep });
  const reading = {
    fetch,
    clock,
    sleep,
    budget,
    limits: { ...DEFAULT_LIMITS, documentBytes: limitBytes, requestMs: testLimits.requestMs },
  };
  const http = new HttpClient({ ...reading, headers: { authorization: 'Bearer x', 'X-Api-Key': 'k' }, origin });
  const controller = new AbortController();
  const get = (url: string) => http.get(url, { signal: controller.signal, accept: 'text/plain' });
  return { time, http, controller, get, budget };
}

test('counts requests and bytes, a redirect as a request of its own', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/') response.writeHead(302, { location: '/there' }).end();
    else response.end('hällo');
  });
  const { http, get } = setUp();
  expect(await get(url)).toMatchObject({ url: `${url}there`, status: 200, text: 'hällo' });
  expect([http.requests, http.bytes]).toEqual([2, 6]);
});

test('reads a body up to the limit and none above it', async () => {
  const url = await serve((request, response) => response.end('x'.repeat(Number(request.url?.slice(1)))));
  const { get } = setUp(1_000);
  expect((await get(`${url}1000`)).text).toHaveLength(1_000);
  await expect(get(`${url}1001`)).rejects.toMatchObject({
    code: 'ERR_RESPONSE_TOO_LARGE',
    details: { limitBytes: 1_000 },
  });
});

test('keeps characters whole that stand across chunks', async () => {
  const bytes = new TextEncoder().encode('€€');
  const url = await serve((_request, response) => {
    response.write(bytes.subarray(0, 4), () => setImmediate(() => response.end(bytes.subarray(4))));
  });
  expect((await setUp().get(url)).text).toBe('€€');
});

test('names a redirect loop, a refused connection, a cut body and a status', async () => {
  const loop = await serve((_request, response) => response.writeHead(302, { location: '/' }).end());
  await expect(setUp().get(loop)).rejects.toMatchObject({ code: 'ERR_REDIRECT_LOOP' });
  const cut = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.destroy());
  });
  await expect(setUp().get(cut)).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' });
  const busy = await serve((_request, response) => response.writeHead(503, { 'retry-after': '3' }).end());
  await expect(setUp().get(busy)).rejects.toMatchObject({
    code: 'ERR_RESPONSE_STATUS',
    details: { status: 503, retryAfterMs: 3_000 },
  });
  const gone = await httpServer(() => {});
  await gone.close();
  await expect(setUp().get(gone.url)).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' });
});

test('gives a stalled response up at the limit and closes its connection', async () => {
  let isAsked = false;
  let isClosed = false;
  const url = await serve((_request, response) => {
    isAsked = true;
    response.on('close', () => {
      isClosed = true;
    });
  });
  const { time, get } = setUp();
  const got = get(url);
  await until(() => isAsked);
  time.expire(testLimits.requestMs);
  await expect(got).rejects.toMatchObject({ code: 'ERR_RESPONSE_TIMEOUT' });
  await until(() => isClosed);
});

test('an abort ends a request with its reason', async () => {
  const url = await serve(() => {});
  const { controller, get } = setUp();
  const got = get(url);
  controller.abort('enough');
  await expect(got).rejects.toBe('enough');
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

test('MAL-65 a request waits for the budget before its time begins, and a redirected one costs two', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/') response.writeHead(302, { location: '/there' }).end();
    else response.end();
  });
  const { time, http, get, controller, budget } = setUp(1_000, 1);
  const startedMs = time.nowMs;
  expect(await get(url)).toMatchObject({ receipt: { requests: 2 }, sentMs: startedMs });
  expect(budget.tokens).toBe(-1);
  expect(await get(`${url}there`)).toMatchObject({ receipt: { requests: 1 }, sentMs: startedMs + 120_000 });
  const late = () => new Error('late');
  const limit = { ms: testLimits.openMs, late };
  const response = await http.send(`${url}there`, { headers: {}, signal: controller.signal, limit });
  expect(response.status).toBe(200);
  expect(time.nowMs).toBe(startedMs + 180_000);
  expect(time.waits).toEqual([120_000, 60_000]);
});

test('MAL-65 an abort ends the wait for the budget, and nothing is sent', async () => {
  const { http, get, controller, budget } = setUp(1_000, 1);
  budget.spend();
  controller.abort('enough');
  await expect(get('http://127.0.0.1:9/')).rejects.toBe('enough');
  expect(http.requests).toBe(0);
});

test('a response that does not come in the time given fails as the asker says', async () => {
  let isAsked = false;
  const url = await serve(() => {
    isAsked = true;
  });
  const { time, http, controller } = setUp();
  const limit = { ms: testLimits.openMs, late: () => new Error('late') };
  const sent = http.send(url, { headers: {}, signal: controller.signal, limit });
  await until(() => isAsked);
  time.expire(testLimits.openMs);
  await expect(sent).rejects.toThrow('late');
  controller.abort();
});

test('MAL-65 redirects without end count as the twenty that are followed, and later requests wait for them', async () => {
  let asked = 0;
  const url = await serve((_request, response) => {
    asked += 1;
    response.writeHead(302, { location: '/' }).end();
  });
  const { http, get, budget } = setUp(1_000, 20);
  await expect(get(url)).rejects.toMatchObject({ code: 'ERR_REDIRECT_LOOP' });
  expect(http.requests).toBe(asked);
  expect(budget.tokens).toBe(20 - asked);
});

test('MAL-83 header fields go to the origin that is followed, and to no other', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const listener: RequestListener = ({ headers }, response) => {
    seen.push(headers);
    response.end();
  };
  const [own, other] = [await serve(listener), await serve(listener)];
  const { http, get, controller } = setUp(1_000, 100, new URL(own).origin);
  const limit = { ms: testLimits.openMs, late: () => new Error('late') };
  await get(own);
  await get(other);
  await http.send(`${own}events`, { headers: { accept: 'text/event-stream' }, signal: controller.signal, limit });
  await http.send(`${other}events`, { headers: { accept: 'text/event-stream' }, signal: controller.signal, limit });
  expect(seen.map(({ authorization, 'x-api-key': key, accept }) => [authorization, key, accept])).toEqual([
    ['Bearer x', 'k', 'text/plain'],
    [undefined, undefined, 'text/plain'],
    ['Bearer x', 'k', 'text/event-stream'],
    [undefined, undefined, 'text/event-stream'],
  ]);
});
