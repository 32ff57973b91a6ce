import { expect, test } from 'vitest';
import { readDocument } from '../../src/http/document.ts';
import { HttpClient } from '../../src/http/http-client.ts';
import { type ClientLimits, DEFAULT_LIMITS, type FollowOptions } from '../../src/options.ts';
import { answering } from '../support/scripted-origin.ts';
import { followOrigin, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';

test.each<[RegExp, number, number, FollowOptions]>([
  [/latest/, 200, 2, {}],
  [/latest/, 304, 2, {}],
  [/^\/s$/, 304, 1, { from: 'start' }],
  [/^\/s\/pages\//, 304, 1, { from: 'start' }],
])('an empty %s, by %d, is asked for again past caches', async (to, status, times, request) => {
  const { origin } = await setUpOrigin('a', 'b', 'c');
  const type = status === 200 ? { 'content-type': 'application/n-quads' } : {};
  origin.fault = answering(status, { to, times, headers: { 'ldes-cursor': 'e1-3', ...type } });
  expect(sequences(await take(reading(followOrigin(origin, {}, request)), 3))).toEqual([1, 2, 3]);
  const [first, ...again] = origin.requestsTo(to).map(({ headers }) => headers['cache-control']);
  expect([first, again]).toEqual([undefined, Array(times).fill('max-age=0')]);
});

test('the latest state of a stream of which nothing lives is a whole one', async () => {
  const { origin, time } = await setUpOrigin('a');
  origin.commit('-a');
  time.at(time.nowMs + 60_000, () => origin.commit('b'));
  expect(sequences(await take(reading(followOrigin(origin, {})), 1))).toEqual([3]);
  expect(origin.requestsTo(/latest/)).toHaveLength(1);
});

const { signal } = new AbortController();

const PAGE = JSON.stringify({
  '@context': ['http://contexts.example/tree', { ex: 'http://example.org/' }],
  '@id': 'http://example.org/stream',
  member: { '@id': 'ex:m1', 'ex:name': 'one' },
});
const CONTEXT = JSON.stringify({ '@context': { member: 'https://w3id.org/tree#member' } });

function reader(bodies: Record<string, string>, limits: Partial<ClientLimits> = {}, headers: object = {}) {
  const asked: string[] = [];
  const http = new HttpClient({
    fetch: async (url) => {
      asked.push(String(url));
      const body = bodies[String(url)];
      const status = body === undefined ? 404 : 200;
      return new Response(body ?? '', { status, headers: { 'content-type': 'application/ld+json', ...headers } });
    },
    ...{ clock: () => 0, sleep: () => new Promise(() => {}), headers: {}, origin: 'http://pages.example' },
    limits: { ...DEFAULT_LIMITS, ...limits },
  });
  return { asked, http };
}

const VALUES = '{"@id":"urn:s","urn:p":[1,2,3]}';
const PAGE_URL = 'http://pages.example/1';
const CONTEXT_URL = 'http://contexts.example/tree';

test('a context that documents refer to is loaded once', async () => {
  const other = 'http://pages.example/2';
  const { asked, http } = reader({ [PAGE_URL]: PAGE, [other]: PAGE, [CONTEXT_URL]: CONTEXT });
  for (const page of [PAGE_URL, other]) {
    const { quads = [] } = await readDocument(http, page, { signal });
    expect(quads.map(({ predicate }) => predicate.value)).toContain('https://w3id.org/tree#member');
  }
  expect(asked).toEqual([PAGE_URL, CONTEXT_URL, other]);
});

test.each([
  ['of values of its JSON', { documentQuads: 6 }, VALUES, PAGE_URL, 'ERR_RDF_TOO_MANY'],
  ['of bytes', { documentBytes: PAGE.length }, PAGE, PAGE_URL, 'ERR_RESPONSE_TOO_LARGE'],
  ['of bytes of a context', { contextBytes: CONTEXT.length }, PAGE, CONTEXT_URL, 'ERR_RESPONSE_TOO_LARGE'],
])('a document has no more than the limit %s', async (_what, limits, page, url, code) => {
  const read = (given: Partial<ClientLimits>) =>
    readDocument(reader({ [PAGE_URL]: page, [CONTEXT_URL]: CONTEXT }, given).http, PAGE_URL, { signal });
  expect((await read(limits)).quads?.length).toBeGreaterThan(1);
  const less = Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, value - 1]));
  await expect(read(less)).rejects.toMatchObject({ code, details: { url } });
});

test.each<[string | undefined, string]>([
  [undefined, 'ERR_RESPONSE_STATUS'],
  ['null', 'ERR_CONTEXT_MALFORMED'],
  ['"text"', 'ERR_CONTEXT_MALFORMED'],
  ['<html>', 'ERR_CONTEXT_MALFORMED'],
])('a context that is %j is told by its URL', async (text, code) => {
  const { http } = reader({ [PAGE_URL]: PAGE, ...(text === undefined ? {} : { [CONTEXT_URL]: text }) });
  await expect(readDocument(http, PAGE_URL, { signal })).rejects.toMatchObject({ code, details: { url: CONTEXT_URL } });
});

test('as many are loaded as the limit, and not one more', async () => {
  const urls = Array.from({ length: 33 }, (_, index) => `http://c.example/${index}`);
  const { asked, http } = reader(Object.fromEntries(urls.map((url) => [url, '{}'])));
  for (const url of urls.slice(0, 32)) expect(await http.loadContext(url, signal)).toEqual({});
  await expect(http.loadContext(urls[32] as string, signal)).rejects.toMatchObject({ code: 'ERR_CONTEXTS_TOO_MANY' });
  expect(await http.loadContext(urls[0] as string, signal)).toEqual({});
  expect(asked).toHaveLength(32);
});

const caching = (cacheControl: string, age = '') => ({ 'cache-control': cacheControl, ...(age && { age }) });
const DATE = 'Thu, 01 Jan 2026 00:00:01 GMT';

// Age is rounded down; what it says has passed of the time that the document may be kept. Expires is by the server's clock.
test.each([
  [caching('max-age=10', '3'), 4_000, 7_000, false],
  [caching('public, MAX-AGE=2', '9'), 10_000, 0, false],
  [caching('max-age=10, immutable'), 0, 10_000, true],
  [caching('x-max-age=10, not-immutable', '-1'), 0, undefined, false],
  [{ date: DATE, expires: 'Thu, 01 Jan 2026 00:00:06 GMT' }, 0, 5_000, false],
  [{ date: DATE, expires: DATE.replace('26', '25') }, 0, 0, false],
  [{ date: DATE, expires: 'never' }, 0, undefined, false],
])('MAL-50 of %o: at most %d ms old, may be kept until %s, for ever %s', async (headers, ...expected) => {
  const { http } = reader({ [PAGE_URL]: VALUES }, {}, headers);
  const { ageMs, freshUntilMs, isImmutable } = await readDocument(http, PAGE_URL, { signal });
  expect([ageMs, freshUntilMs, isImmutable]).toEqual(expected);
});
