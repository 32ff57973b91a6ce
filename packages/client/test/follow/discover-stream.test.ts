import { parseLinks } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { profileOf, pushOffer } from '../../src/follow/discover.ts';
import { ACCEPT, readDocument } from '../../src/http/document.ts';
import { HttpClient } from '../../src/http/http-client.ts';
import { DEFAULT_LIMITS } from '../../src/options.ts';
import type { ScriptedOrigin } from '../support/scripted-origin.ts';
import { followOrigin, reading, readToHead, setUpOrigin, take } from '../support/setup-origin.ts';

const ROOT = 'http://public.example/s';
const TURTLE = `
  @prefix ldes: <https://w3id.org/ldes#>. @prefix tree: <https://w3id.org/tree#>. @prefix ex: <http://example.org/>.
  <${ROOT}#stream> a ldes:EventStream; tree:view <${ROOT}>; ldes:timestampPath ex:time; ldes:versionOfPath ex:of;
    ldes:sequencePath ex:sequence; ldes:pollingInterval 5 .`;
const LINK = `<${ROOT}>; rel="collection", <s/latest>; rel="current", <s/pages>; rel="archives"`;

function reader(headers: Record<string, string>, seen: Headers[] = []): HttpClient {
  return new HttpClient({
    fetch: async (_url, init) => {
      seen.push(new Headers(init?.headers));
      return new Response(TURTLE, { headers: { 'content-type': 'text/turtle; charset=utf-8', ...headers } });
    },
    clock: () => 0,
    sleep: () => new Promise(() => {}),
    headers: { authorization: 'Bearer x', Accept: 'text/html' },
    origin: 'http://inside.example',
    limits: { ...DEFAULT_LIMITS, requestMs: 1_000 },
  });
}

const { signal } = new AbortController();

async function discovered(http: HttpClient, url: string) {
  return profileOf(await readDocument(http, url, { signal }), url);
}

test('finds out about a stream from its root, by whatever host name it was asked for', async () => {
  const seen: Headers[] = [];
  const http = reader({ link: LINK, 'ldes-cursor': 'e1-7' }, seen);
  const profile = await discovered(http, 'http://inside.example/s');
  expect(profile).toMatchObject({
    rootUrl: ROOT,
    cursor: { epoch: 'e1', sequence: 7 },
    latestUrl: 'http://inside.example/s/latest',
    pagesUrl: 'http://inside.example/s/pages',
    context: { stream: `${ROOT}#stream`, pollingIntervalSeconds: 5 },
    push: undefined,
  });
  expect([seen[0]?.get('accept'), seen[0]?.get('authorization')]).toEqual([ACCEPT, 'Bearer x']);
});

test('another document of a stream is refused by the name of the root', async () => {
  const link = LINK.replaceAll(ROOT, `${ROOT}2`);
  const error = await discovered(reader({ link, 'ldes-cursor': 'e1-7' }), ROOT).catch((thrown) => thrown);
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
  expect(await discovered(reader(headers), ROOT)).toEqual({ missing: expect.stringContaining(missing) });
});

test('MAL-5 the break-even of push is as stated, 10 s where it is not', () => {
  const offer = (attribute: string) =>
    pushOffer(parseLinks(`<e>; rel="alternate"; type="text/event-stream"${attribute}`, ROOT))?.breakEvenMs;
  expect([offer('; break-even="2.5"'), offer('; break-even="0"'), offer(''), offer('; break-even="x"')]).toEqual([
    2_500, 0, 10_000, 10_000,
  ]);
});

const CURSOR = ['ldes-cursor'];

/** Answers in turn: with a status, or as the origin does, but for some header fields. */
function answeringInTurn(origin: ScriptedOrigin, next: () => 503 | readonly string[]): void {
  origin.fault = (_request, response) => {
    const answer = next();
    if (answer === 503) {
      response.writeHead(503).end();
      return true;
    }
    const writeHead = response.writeHead.bind(response);
    response.writeHead = ((status: number, headers: Record<string, string> = {}) => {
      const left = Object.entries(headers).filter(([name]) => !answer.includes(name));
      return writeHead(status, Object.fromEntries(left));
    }) as typeof response.writeHead;
    return false;
  };
}

test.each<[string, (503 | string[])[]]>([
  ['without its cursor', [CURSOR, CURSOR]],
  ['without its links', [['link'], ['link']]],
  ['without either', [['ldes-cursor', 'link'], CURSOR]],
  // Requests that failed otherwise do not count, before, between and after.
  ['with failures', [503, 503, 503, 503, CURSOR, 503, 503, 503, CURSOR, 503]],
])('a root that came %s is asked for again past caches', async (_name, answers) => {
  const { origin } = await setUpOrigin('a');
  const asked = answers.length;
  answeringInTurn(origin, () => answers.shift() ?? []);
  const follower = followOrigin(origin, {});
  expect(await take(reading(follower), 1)).toMatchObject([{ kind: 'upsert', cursor: 'e1-1' }]);
  expect(follower.state).toEqual({ url: origin.url, cursor: 'e1-1' });
  const [first, ...again] = origin.requestsTo(/^\/s$/).map(({ headers }) => headers['cache-control']);
  expect([first, again.length, new Set(again)]).toEqual([undefined, asked, new Set(['max-age=0'])]);
});

test('a root that lacks something is read as any LDES at the third time that it is asked for again', async () => {
  const { origin } = await setUpOrigin('a');
  const answers = [CURSOR, 503, CURSOR, 503, CURSOR, 503, CURSOR] as (503 | string[])[];
  let isOther = false;
  answeringInTurn(origin, () => {
    const answer = answers.shift() ?? [];
    isOther = answers.length === 0;
    return answer;
  });
  const follower = followOrigin(origin, {});
  await readToHead(follower);
  expect(isOther).toBe(true);
  expect(follower.state.tree).toBeDefined();
});

test('a stream whose proxy takes its fields away is any LDES, and from its state also when they are back', async () => {
  const { origin } = await setUpOrigin('a');
  answeringInTurn(origin, () => CURSOR);
  const follower = followOrigin(origin, {});
  // Its root leads to its pages by ranges, of which the scripted one has none: it is read, and has nothing.
  await readToHead(follower);
  expect(origin.requestsTo(/^\/s$/).length).toBeGreaterThanOrEqual(4);
  expect(follower.status.gaps).toBe(0);
  const { state } = follower;
  expect(state).toEqual({ url: origin.url, cursor: 'tree-0', tree: expect.objectContaining({ version: 1 }) });
  origin.fault = undefined;
  const second = followOrigin(origin, {}, { state });
  await readToHead(second);
  expect(second.state.tree).toBeDefined();
});
