import { expect, test } from 'vitest';
import { discoverStream, pushOffer } from '../src/discover-stream.ts';
import { HttpReader } from '../src/http-reader.ts';
import { parseLinks } from '../src/link-header.ts';
import { ACCEPT } from '../src/read-document.ts';

const ROOT = 'http://public.example/s';
const TURTLE = `
  @prefix ldes: <https://w3id.org/ldes#>. @prefix tree: <https://w3id.org/tree#>. @prefix ex: <http://example.org/>.
  <${ROOT}#stream> a ldes:EventStream; tree:view <${ROOT}>; ldes:timestampPath ex:time; ldes:versionOfPath ex:of;
    ldes:sequencePath ex:sequence; ldes:pollingInterval 5 .`;
const LINK = `<${ROOT}>; rel="collection", <s/latest>; rel="current", <s/pages>; rel="archives"`;

function reader(headers: Record<string, string>, seen: Headers[] = []): HttpReader {
  return new HttpReader({
    fetch: async (_url, init) => {
      seen.push(new Headers(init?.headers));
      return new Response(TURTLE, { headers: { 'content-type': 'text/turtle; charset=utf-8', ...headers } });
    },
    clock: () => 0,
    sleep: () => new Promise(() => {}),
    headers: { authorization: 'Bearer x', Accept: 'text/html' },
    limitBytes: 10_000,
    limitMs: 1_000,
  });
}

const { signal } = new AbortController();

test('finds out about a stream from its root, by whatever host name it was asked for', async () => {
  const seen: Headers[] = [];
  const http = reader({ link: LINK, 'ldes-cursor': 'e1-7' }, seen);
  const profile = await discoverStream(http, 'http://inside.example/s', signal);
  expect(profile).toMatchObject({
    rootUrl: ROOT,
    cursor: { epoch: 'e1', sequence: 7 },
    latestUrl: 'http://inside.example/s/latest',
    pagesUrl: 'http://inside.example/s/pages',
    context: { stream: `${ROOT}#stream`, pollingIntervalSeconds: 5 },
  });
  expect(profile.push).toBeUndefined();
  expect([seen[0]?.get('accept'), seen[0]?.get('authorization')]).toEqual([ACCEPT, 'Bearer x']);
});

test('another document of a stream is refused by the name of the root', async () => {
  const link = LINK.replaceAll(ROOT, `${ROOT}2`);
  const error = await discoverStream(reader({ link, 'ldes-cursor': 'e1-7' }), ROOT, signal).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'ERR_NOT_ROOT', details: { url: ROOT, rootUrl: `${ROOT}2` } });
});

test('asks for N-Quads first and takes all five formats', () => {
  expect(ACCEPT).toBe(
    'application/n-quads, application/trig;q=0.9, text/turtle;q=0.8, application/n-triples;q=0.7, application/ld+json;q=0.6',
  );
});

test.each([
  [{ link: LINK }, 'ldes-cursor'],
  [{ link: LINK, 'ldes-cursor': 'not a cursor' }, 'ldes-cursor'],
  [{ 'ldes-cursor': 'e1-7', link: `<${ROOT}>; rel="collection", <s/pages>; rel="archives"` }, 'rel="current"'],
  [{ 'ldes-cursor': 'e1-7', link: `<${ROOT}>; rel="collection", <s/latest>; rel="current"` }, 'rel="archives"'],
])('a root with %o lacks %s', async (headers, missing) => {
  const error = await discoverStream(reader(headers), ROOT, signal).catch((thrown) => thrown);
  expect(error.code).toBe('ERR_NOT_LIVE');
  expect(error.message).toContain(missing);
});

test('MAL-5 the break-even of push is as stated, 10 s where it is not', () => {
  const offer = (attribute: string) =>
    pushOffer(parseLinks(`<e>; rel="alternate"; type="text/event-stream"${attribute}`, ROOT))?.breakEvenMs;
  expect([offer('; break-even="2.5"'), offer('; break-even="0"'), offer(''), offer('; break-even="x"')]).toEqual([
    2_500, 0, 10_000, 10_000,
  ]);
});
