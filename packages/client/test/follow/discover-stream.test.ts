import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { profileOf, pushOffer } from '../../src/follow/discover-stream.ts';
import { HttpReader } from '../../src/http/http-reader.ts';
import { parseLinks } from '../../src/http/link-header.ts';
import { ACCEPT, readDocument } from '../../src/http/read-document.ts';
import { followOrigin, reading, setUpOrigin, take } from '../support/setup-origin.ts';

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
    origin: 'http://inside.example',
    limitBytes: 10_000,
    limitMs: 1_000,
  });
}

const { signal } = new AbortController();

/** Drops the cursor of an answer. */
function withoutCursor(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = ((status: number, { 'ldes-cursor': _, ...others }: Record<string, string>) =>
    writeHead(status, others)) as typeof response.writeHead;
}

async function discovered(http: HttpReader, url: string) {
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
  });
  expect(profile).not.toHaveProperty('push');
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

test('MAL-56 requests that failed otherwise do not make a root that lacks something any LDES', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  // Two answers that lack the cursor, and many that are none, before, between and after.
  const answers = [503, 503, 503, 503, 200, 503, 503, 503, 200, 503];
  origin.fault = (_request, response) => {
    const status = answers.shift();
    if (status === 503) response.writeHead(503).end();
    if (status === 200) withoutCursor(response);
    return status === 503;
  };
  const follower = followOrigin(setup, {});
  expect(await take(reading(follower), 1)).toMatchObject([{ kind: 'upsert', cursor: 'e1-1' }]);
  expect(answers).toEqual([]);
  expect(follower.state).toEqual({ url: origin.url, cursor: 'e1-1' });
});

test('MAL-56 a root that lacks something is read as any LDES at the third time that it is asked for again', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  const answers = [200, 503, 200, 503, 200, 503, 200];
  let isOther = false;
  origin.fault = (_request, response) => {
    if (answers.shift() === 503) {
      response.writeHead(503).end();
      return true;
    }
    isOther = answers.length === 0;
    withoutCursor(response);
    return false;
  };
  const follower = followOrigin(setup, {});
  const caughtUp = new Promise((resolve) => follower.on('caught-up', resolve));
  void take(reading(follower), 1).catch(() => {});
  await caughtUp;
  expect(isOther).toBe(true);
  expect(follower.state.tree).toBeDefined();
});

/** Drops header fields of the first answers. */
function dropping(names: readonly string[], answers: number) {
  let left = answers;
  return (response: ServerResponse) => {
    if (left <= 0) return;
    left -= 1;
    const writeHead = response.writeHead.bind(response);
    response.writeHead = ((status: number, headers: Record<string, string> = {}) =>
      writeHead(
        status,
        Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))),
      )) as typeof response.writeHead;
  };
}

test.each([{ lost: ['ldes-cursor'] }, { lost: ['link'] }, { lost: ['ldes-cursor', 'link'] }])(
  'MAL-56 a root that lost $lost on the way is asked for again past caches, and read as what it is',
  async ({ lost }) => {
    const setup = await setUpOrigin();
    const { origin } = setup;
    origin.commit('a');
    const drop = dropping(lost, 2);
    origin.fault = (_request, response) => {
      drop(response);
      return false;
    };
    const follower = followOrigin(setup, { mal: 30 });
    const [change] = await take(reading(follower), 1);
    expect(change?.cursor).toBe('e1-1');
    expect(follower.state).toEqual({ url: origin.url, cursor: 'e1-1' });
    const roots = origin.requestsTo(/^\/s$/);
    expect(roots).toHaveLength(3);
    expect(roots.map(({ headers }) => headers['cache-control'])).toEqual([undefined, 'max-age=0', 'max-age=0']);
  },
);

test('MAL-56 a stream whose proxy always takes its fields away is read as any LDES', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  const drop = dropping(['ldes-cursor'], Number.POSITIVE_INFINITY);
  origin.fault = (_request, response) => {
    drop(response);
    return false;
  };
  const follower = followOrigin(setup, { mal: 30 });
  // Its root leads to its pages by ranges, of which the scripted one has none: it is read, and has nothing.
  const caughtUp = new Promise((resolve) => follower.on('caught-up', resolve));
  const iterator = reading(follower);
  void take(iterator, 1).catch(() => {});
  await caughtUp;
  expect(origin.requestsTo(/^\/s$/).length).toBeGreaterThanOrEqual(4);
  expect(follower.status.gaps).toBe(0);
  expect(follower.state).toEqual({ url: origin.url, cursor: 'tree-0', tree: expect.objectContaining({ version: 1 }) });
});

test('MAL-56 what was saved of a stream read as any LDES goes on as that, also where its fields are back', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  const drop = dropping(['ldes-cursor'], Number.POSITIVE_INFINITY);
  origin.fault = (_request, response) => {
    drop(response);
    return false;
  };
  const first = followOrigin(setup, { mal: 30 });
  const caughtUp = new Promise((resolve) => first.on('caught-up', resolve));
  void take(reading(first), 1).catch(() => {});
  await caughtUp;
  const { state } = first;
  origin.fault = () => false;
  const second = followOrigin(setup, { mal: 30 }, { state });
  const again = new Promise((resolve) => second.on('caught-up', resolve));
  void take(reading(second), 1).catch(() => {});
  await again;
  expect(second.state.tree).toBeDefined();
});
