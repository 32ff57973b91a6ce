import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { httpServer } from '@ldes-live/test-support/net';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, onTestFinished, test } from 'vitest';
import { hostEnvironment } from '../../src/environment.ts';
import { type AddressesOf, type Hosts, hostGuard } from '../../src/http/hosts.ts';
import { HttpClient } from '../../src/http/http-client.ts';
import { RequestBudget } from '../../src/http/request-budget.ts';
import { isPublicAddress } from '../../src/index.ts';
import { DEFAULT_LIMITS } from '../../src/options.ts';
import { followOrigin, reading, setUpOrigin, take, testLimits } from '../support/setup-origin.ts';

// The first and the last address of each block that is not public, then those beside it that are.
test.each([
  ['0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '255.255.255.255', '223.255.255.255'],
  ['::', '1fff:ffff::', '2000::'],
  ['2001::', '2001:1ff:ffff::', '2000:ffff::', '2001:200::'],
  ['2001:db8::', '2001:db8:ffff:ffff::1', '2001:db7:ffff::', '2001:db9::'],
  ['2002::', '2002:ffff::', '2001:ffff::', '2003::'],
  ['3fff::', '3fff:fff::', '3ffe:ffff::', '3fff:1000::'],
  ['4000::', 'fe80::1%eth0', '3fff:ffff::'],
  ['fc00::', 'ff02::1', '2606:4700::1111'],
  ['::ffff:10.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8'],
  ['64:ff9b::192.168.1.1', '64:ff9b:1::8.8.8.8', '64:ff9b::808:808'],
])('MAL-106 from %s to %s addresses are not public, beside them they are', (first, last, ...beside) => {
  expect([first, last].map(isPublicAddress)).toEqual([false, false]);
  expect(beside.map(isPublicAddress)).toEqual(beside.map(() => true));
});

const names: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'other.example': ['93.184.215.15'],
  'inside.example': ['93.184.215.14', '10.0.0.7'],
};
const lookup: AddressesOf = async (name) => {
  const found = names[name];
  if (!found) throw new Error(`getaddrinfo ENOTFOUND ${name}`);
  return found;
};

const ROOT = 'https://public.example/s';
const codeOf = async (hosts: Hosts, url: string, addressesOf = lookup) => {
  const checked = hostGuard(hosts, ROOT, addressesOf)?.(url).then(() => 'asked');
  return await checked?.catch((error) => error.code);
};

test.each([
  ['https://public.example:8443/x', 'asked', 'asked'],
  ['https://other.example/x', 'asked', 'ERR_HOST_FORBIDDEN'],
  ['https://inside.example/x', 'ERR_HOST_FORBIDDEN', 'ERR_HOST_FORBIDDEN'],
  ['http://169.254.169.254/latest/meta-data', 'ERR_HOST_FORBIDDEN', 'ERR_HOST_FORBIDDEN'],
  ['http://0x7f.1/', 'ERR_HOST_FORBIDDEN', 'ERR_HOST_FORBIDDEN'],
  ['http://2130706433/', 'ERR_HOST_FORBIDDEN', 'ERR_HOST_FORBIDDEN'],
  ['http://[::1]:3000/', 'ERR_HOST_FORBIDDEN', 'ERR_HOST_FORBIDDEN'],
  ['http://[::ffff:10.0.0.1]/', 'ERR_HOST_FORBIDDEN', 'ERR_HOST_FORBIDDEN'],
  ['http://LOCALHOST./', 'ERR_HOST_FORBIDDEN', 'ERR_HOST_FORBIDDEN'],
  ['http://8.8.8.8/', 'asked', 'ERR_HOST_FORBIDDEN'],
  ['http://unknown.example/', 'ERR_UNREACHABLE', 'ERR_HOST_FORBIDDEN'],
])('MAL-106 %s is %s where hosts have to be public, and %s where they have to be the same', async (url, open, same) => {
  expect([await codeOf('public', url), await codeOf('same', url)]).toEqual([open, same]);
  expect(hostGuard('any', ROOT, lookup)).toBeUndefined();
});

test('MAL-106 names are looked up in Node.js, and where nobody can, only those of this machine are known', async () => {
  expect(await hostEnvironment().addressesOf('127.0.0.1')).toEqual(['127.0.0.1']);
  const { addressesOf } = hostEnvironment({ host: {} });
  expect(await addressesOf('inside.example')).toBeUndefined();
  expect(await codeOf('public', 'https://inside.example/', addressesOf)).toBe('asked');
  expect(await codeOf('public', 'http://a.localhost/', addressesOf)).toBe('ERR_HOST_FORBIDDEN');
  expect(await codeOf('public', 'http://10.1.2.3/', addressesOf)).toBe('ERR_HOST_FORBIDDEN');
});

const limits = { ...DEFAULT_LIMITS, ...testLimits };
const { signal } = new AbortController();

/** A server, and a client that may ask it, and others of its host. */
async function guarded(listener: RequestListener, isGuarded = true) {
  const server = await httpServer(listener);
  onTestFinished(() => server.close());
  const { clock, sleep } = new VirtualTime({ waits: 'at once' });
  const asked: string[] = [];
  const budget = new RequestBudget({ capacity: 100, refillMs: 60_000, clock, sleep });
  const { origin } = new URL(server.url);
  const guard = async (url: string) => {
    asked.push(url);
    await hostGuard('same', server.url, lookup)?.(url);
  };
  const given = { fetch, clock, sleep, headers: { 'x-key': 'k' }, origin, budget, limits };
  const http = new HttpClient({ ...given, ...(isGuarded && { guard }) });
  const get = () => http.get(server.url, { signal, accept: 'text/plain' });
  return { url: server.url, http, get, asked, budget };
}

test('MAL-106 a redirect is checked before it is followed, and counts as a request', async () => {
  const { url, http, get, asked, budget } = await guarded((request, response) => {
    if (request.url === '/') response.writeHead(302, { location: '/a' }).end('moved');
    else if (request.url === '/a') response.writeHead(308, { location: '/b' }).end();
    else response.end('there');
  });
  expect(await get()).toMatchObject({ url: `${url}b`, status: 200, text: 'there', receipt: { requests: 3 } });
  expect(asked).toEqual([url, `${url}a`, `${url}b`]);
  expect([http.requests, budget.tokens]).toEqual([3, 97]);
});

test.each([
  ['http://169.254.169.254/latest', 'ERR_HOST_FORBIDDEN', 'http://169.254.169.254/latest'],
  ['file:///etc/passwd', 'ERR_UNREACHABLE', undefined],
  ['http://[', 'ERR_UNREACHABLE', undefined],
])('MAL-106 a redirect to %s is not followed', async (location, code, at) => {
  const { url, http, get } = await guarded((_request, response) => response.writeHead(307, { location }).end());
  await expect(get()).rejects.toMatchObject({ code, details: { url: at ?? url } });
  expect(http.requests).toBe(1);
});

// Without a guard, fetch follows redirects by itself.
test.each([true, false])('MAL-64 MAL-106 redirects without end are given up: guarded %s', async (isGuarded) => {
  let count = 0;
  const { http, get, budget } = await guarded((_request, response) => {
    count += 1;
    response.writeHead(302, { location: `/${count}` }).end();
  }, isGuarded);
  await expect(get()).rejects.toMatchObject({ code: 'ERR_REDIRECT_LOOP' });
  expect([http.requests, count, budget.tokens]).toEqual([21, 21, 79]);
});

test('MAL-106 header fields of the reader leave its origin by no redirect', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const other = await httpServer(({ headers }, response) => {
    seen.push(headers);
    response.end();
  });
  onTestFinished(() => other.close());
  const { get } = await guarded(({ headers }, response) => {
    seen.push(headers);
    response.writeHead(302, { location: other.url }).end();
  });
  await get();
  expect(seen.map((headers) => headers['x-key'])).toEqual(['k', undefined]);
});

test('MAL-106 where nobody tells where a redirect leads to, as in a browser, it is not followed', async () => {
  const { clock, sleep } = new VirtualTime({ waits: 'at once' });
  const guard = hostGuard('public', ROOT, lookup);
  const opaque = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
  const http = new HttpClient({ fetch: async () => opaque, clock, sleep, headers: {}, origin: ROOT, guard, limits });
  await expect(http.get(ROOT, { signal, accept: '' })).rejects.toMatchObject({
    code: 'ERR_HOST_FORBIDDEN',
    details: { hosts: 'public', problem: expect.stringContaining('browser') },
  });
});

test('MAL-106 a client of public hosts asks nothing of this machine, and ends the reading', async () => {
  const { origin } = await setUpOrigin('a');
  const next = take(reading(followOrigin(origin, { hosts: 'public' })), 1);
  await expect(next).rejects.toMatchObject({ code: 'ERR_HOST_FORBIDDEN', details: { url: origin.url } });
  expect(origin.seen).toEqual([]);
});

test('MAL-106 a push endpoint that may not be asked is not opened', async () => {
  const { http, asked } = await guarded((_request, response) => response.end());
  const limit = { ms: testLimits.openMs, late: () => new Error('late') };
  const opened = http.send('http://other.example/events', { headers: {}, signal, limit });
  await expect(opened).rejects.toMatchObject({ code: 'ERR_HOST_FORBIDDEN' });
  expect([asked, http.requests]).toEqual([['http://other.example/events'], 0]);
});
