import { expect, test } from 'vitest';
import { readDocument } from '../../src/http/document.ts';
import { HttpClient } from '../../src/http/http-client.ts';
import { type ClientLimits, DEFAULT_LIMITS } from '../../src/options.ts';
import { answering, type ScriptedOrigin, type SeenRequest } from '../support/scripted-origin.ts';
import { followOrigin, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';

/** Answers the first requests that a pattern meets with nothing, in place of the origin. */
function answerEmpty(origin: ScriptedOrigin, pattern: RegExp, times: number, status: 200 | 304): void {
  const type = status === 200 ? { 'content-type': 'application/n-quads' } : {};
  origin.fault = answering(status, { to: pattern, times, headers: { 'ldes-cursor': 'e1-3', ...type } });
}

const directives = (seen: readonly SeenRequest[]) => seen.map(({ headers }) => headers['cache-control']);

test.each([
  ['is empty', 200],
  ['is 304, though nothing was known of it,', 304],
] as const)('MAL-80 a latest state that %s is asked for again past caches', async (_what, status) => {
  const { origin } = await setUpOrigin('a', 'b', 'c');
  answerEmpty(origin, /latest/, 2, status);
  const changes = await take(reading(followOrigin(origin, {})), 3);
  expect(sequences(changes)).toEqual([1, 2, 3]);
  expect(directives(origin.requestsTo(/latest/))).toEqual([undefined, 'max-age=0', 'max-age=0']);
});

test('MAL-80 the latest state of a stream of which nothing lives is a whole one', async () => {
  const { origin, time } = await setUpOrigin('a');
  origin.commit('-a');
  time.at(time.nowMs + 60_000, () => origin.commit('b'));
  expect(sequences(await take(reading(followOrigin(origin, {})), 1))).toEqual([3]);
  expect(origin.requestsTo(/latest/)).toHaveLength(1);
});

test.each([/^\/s$/, /^\/s\/pages\//])(
  'MAL-80 304 to a request for %s without an entity tag is no document',
  async (pattern) => {
    const { origin } = await setUpOrigin('a', 'b');
    answerEmpty(origin, pattern, 1, 304);
    const changes = await take(reading(followOrigin(origin, {}, { from: 'start' })), 2);
    expect(sequences(changes)).toEqual([1, 2]);
    expect(directives(origin.requestsTo(pattern))).toEqual([undefined, 'max-age=0']);
  },
);

const PAGE = JSON.stringify({
  '@context': ['http://contexts.example/tree', { ex: 'http://example.org/' }],
  '@id': 'http://example.org/stream',
  member: { '@id': 'ex:m1', 'ex:name': 'one' },
});
const CONTEXT = JSON.stringify({ '@context': { member: 'https://w3id.org/tree#member' } });

function reader(bodies: Record<string, string>, limits: Partial<ClientLimits> = {}) {
  const asked: string[] = [];
  const http = new HttpClient({
    fetch: async (url) => {
      asked.push(String(url));
      const body = bodies[String(url)];
      return new Response(body ?? '', {
        status: body === undefined ? 404 : 200,
        headers: { 'content-type': 'application/ld+json' },
      });
    },
    clock: () => 0,
    sleep: () => new Promise(() => {}),
    headers: {},
    origin: 'http://pages.example',
    limits: { ...DEFAULT_LIMITS, requestMs: 1_000, ...limits },
  });
  return { asked, http };
}

const { signal } = new AbortController();

test('READ-34 a context that documents refer to is loaded once', async () => {
  const { asked, http } = reader({
    'http://pages.example/1': PAGE,
    'http://pages.example/2': PAGE,
    'http://contexts.example/tree': CONTEXT,
  });
  for (const page of ['1', '2']) {
    const { quads = [] } = await readDocument(http, `http://pages.example/${page}`, { signal });
    expect(quads.map(({ predicate }) => predicate.value)).toContain('https://w3id.org/tree#member');
  }
  expect(asked).toEqual(['http://pages.example/1', 'http://contexts.example/tree', 'http://pages.example/2']);
});

test('MAL-105 a document has no more statements than the limit, in JSON no more values', async () => {
  const url = 'http://pages.example/1';
  const values = '{"@id":"urn:s","urn:p":[1,2,3]}';
  const { quads } = await readDocument(reader({ [url]: values }, { documentQuads: 6 }).http, url, { signal });
  expect(quads).toHaveLength(3);
  await expect(
    readDocument(reader({ [url]: values }, { documentQuads: 5 }).http, url, { signal }),
  ).rejects.toMatchObject({ code: 'ERR_RDF_TOO_MANY', details: { url, limitQuads: 5 } });
});

test('MAL-105 a context has no more bytes than its own limit, and a document no more than its', async () => {
  const bodies = { 'http://pages.example/1': PAGE, 'http://contexts.example/tree': CONTEXT };
  const limits = { documentBytes: PAGE.length, contextBytes: CONTEXT.length };
  const { http } = reader(bodies, limits);
  expect((await readDocument(http, 'http://pages.example/1', { signal })).quads).toHaveLength(2);
  for (const [limit, url] of [
    ['contextBytes', 'http://contexts.example/tree'],
    ['documentBytes', 'http://pages.example/1'],
  ] as const) {
    const less = reader(bodies, { ...limits, [limit]: limits[limit] - 1 });
    await expect(readDocument(less.http, 'http://pages.example/1', { signal })).rejects.toMatchObject({
      code: 'ERR_RESPONSE_TOO_LARGE',
      details: { url, limit, limitBytes: limits[limit] - 1 },
    });
  }
});

test('READ-34 one that is not there, or is no JSON object, is told by its URL', async () => {
  const missing = reader({ 'http://pages.example/1': PAGE });
  await expect(readDocument(missing.http, 'http://pages.example/1', { signal })).rejects.toMatchObject({
    code: 'ERR_RESPONSE_STATUS',
    details: { url: 'http://contexts.example/tree', status: 404 },
  });
  for (const text of ['null', '"text"', '<html>']) {
    const wrong = reader({ 'http://pages.example/1': PAGE, 'http://contexts.example/tree': text });
    await expect(readDocument(wrong.http, 'http://pages.example/1', { signal })).rejects.toMatchObject({
      code: 'ERR_CONTEXT_MALFORMED',
      details: { url: 'http://contexts.example/tree' },
    });
  }
});

test('READ-34 as many are loaded as the limit, and not one more', async () => {
  const urls = Array.from({ length: 33 }, (_, index) => `http://c.example/${index}`);
  const { asked, http } = reader(Object.fromEntries(urls.map((url) => [url, '{}'])));
  for (const url of urls.slice(0, 32)) expect(await http.loadContext(url, signal)).toEqual({});
  await expect(http.loadContext(urls[32] as string, signal)).rejects.toMatchObject({ code: 'ERR_CONTEXTS_TOO_MANY' });
  expect(await http.loadContext(urls[0] as string, signal)).toEqual({});
  expect(asked).toHaveLength(32);
});
