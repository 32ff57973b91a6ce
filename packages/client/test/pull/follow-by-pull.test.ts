import type { ServerResponse } from 'node:http';
import { tree } from '@ldes-live/rdf-stream';
import { until, VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { answering, meeting } from '../support/scripted-origin.ts';
import {
  clientOf,
  following,
  followOrigin,
  publishRegularly,
  reading,
  sequences,
  setUpOrigin,
  take,
  testLimits,
} from '../support/setup-origin.ts';

const PAGES = /^\/s\/pages/;
const A_PAGE = /^\/s\/pages\//;

test('MAL-8 pulls with one request an update, none before the predicted one, each within the MAL', async () => {
  const { origin } = await setUpOrigin('a');
  publishRegularly(origin, 'a');
  const follower = followOrigin(origin, { mal: 4, random: () => 0.9 });
  origin.offersPush = false;
  const iterator = reading(follower);
  const updates = (await take(iterator, 21)).slice(1);
  expect(sequences(updates)).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
  for (const change of updates) {
    expect(change.via).toBe('pull');
    expect(change.lagMs).toBeGreaterThanOrEqual(0);
    expect(change.lagMs).toBeLessThanOrEqual(4_000);
  }
  // Each fourth update seals a page, and the first poll is led to its page by a redirect.
  const polls = origin.requestsTo(PAGES);
  expect(new Set(polls.map(({ atMs }) => atMs)).size).toBe(20);
  expect(polls).toHaveLength(1 + 20 + 5);
  expect(follower.status).toMatchObject({ mode: 'pull', malMisses: 0, reason: 'the stream offers no push endpoint' });
  expect(follower.status.lagBoundMs).toBeLessThanOrEqual(4_000);
});

test('MAL-116 an endless list of pages with something new on each is read at the pace of the limit', async () => {
  const time = new VirtualTime({ waits: 'at once' });
  const seenMs: number[] = [];
  const endless = async (input: unknown) => {
    const url = new URL(String(input));
    seenMs.push(time.nowMs);
    const next = `${url.origin}/?page=${seenMs.length}`;
    const text = `<urn:s> <${tree.view}> <${url.origin}/> ; <${tree.member}> <#m> . <#m> <urn:p> 1 .
      <${url.href}> <${tree.relation}> [ <${tree.node}> <${next}> ] .`;
    const response = new Response(text, { headers: { 'content-type': 'text/turtle' } });
    return Object.defineProperty(response, 'url', { value: url.href });
  };
  const limits = { requestsPerSecond: 2 };
  const iterator = reading(
    clientOf({ time }, { fetch: endless, limits }).follow('http://a.example/', { from: 'start' }),
  );
  await take(iterator, 120);
  const after = (request: number) => ((seenMs[request] as number) - (seenMs[0] as number)) / 1000;
  // What 50 seconds allow at once, then one each half second.
  expect([after(99), after(101), after(119)]).toEqual([0, 1, 10]);
});

test('MAL-8 reads several updates at once when the MAL is longer than the interval', async () => {
  const { origin } = await setUpOrigin();
  origin.pollingIntervalSeconds = 5;
  origin.commit('a');
  publishRegularly(origin, 'a');
  const follower = followOrigin(origin, { mal: 30 });
  const updates = (await take(reading(follower), 41)).slice(1);
  expect(sequences(updates)).toEqual(Array.from({ length: 40 }, (_, index) => index + 2));
  const polls = new Set(origin.requestsTo(PAGES).map(({ atMs }) => atMs));
  expect(polls.size).toBeLessThanOrEqual(9);
  expect(Math.max(...updates.map((change) => change.lagMs ?? 0))).toBeLessThanOrEqual(30_000);
});

test('MAL-14 asks for a sealed page once, and for the open page with its ETag', async () => {
  const { origin, time } = await setUpOrigin();
  for (const name of 'abcdefghij') origin.commit(name);
  const iterator = reading(followOrigin(origin, {}, { from: 'start' }));
  expect(sequences(await take(iterator, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  time.at(time.nowMs + 60_000, () => origin.commit('k'));
  expect(sequences(await take(iterator, 1))).toEqual([11]);
  const pages = origin.requestsTo(A_PAGE);
  expect(pages.filter(({ path }) => path.endsWith('/0'))).toHaveLength(1);
  expect(pages.filter(({ path }) => path.endsWith('/1'))).toHaveLength(1);
  const open = pages.filter(({ path }) => path.endsWith('/2')).map(({ headers }) => headers['if-none-match']);
  expect(open[0]).toBeUndefined();
  expect(new Set(open.slice(1))).toEqual(new Set(['"e1-10.nq"']));
});

test.each([
  [500, undefined],
  [503, '7'],
  [429, '7'],
])('status %s is waited out, as long as Retry-After asks', async (status, retryAfter) => {
  const { origin, time } = await setUpOrigin('a');
  origin.fault = answering(status, {
    to: PAGES,
    times: 3,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  });
  const follower = followOrigin(origin, {});
  const iterator = reading(follower);
  await take(iterator, 1);
  time.at(time.nowMs + 1_000, () => origin.commit('b'));
  const lost = time.waits.length;
  expect(sequences(await take(iterator, 1))).toEqual([2]);
  const [, ...waits] = time.waits.slice(lost);
  expect(waits).toHaveLength(3);
  for (const [index, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(retryAfter === undefined ? 500 * 2 ** index : 7_000);
  }
  expect(follower.status.malMisses).toBe(retryAfter === undefined ? 0 : 1);
});

test('MAL-15 a body that lost its last lines on the way is told by the cursor, and asked for past caches', async () => {
  const { origin } = await setUpOrigin('a', 'b');
  origin.fault = answering(200, {
    to: A_PAGE,
    times: 1,
    headers: { 'content-type': 'application/n-quads', 'ldes-cursor': 'e1-2' },
  });
  expect(sequences(await take(reading(followOrigin(origin, {}, { from: 'start' })), 2))).toEqual([1, 2]);
  const [first, second] = origin.requestsTo(A_PAGE);
  expect(first?.headers['cache-control']).toBeUndefined();
  expect(second?.headers['cache-control']).toBe('max-age=0');
});

test('a stalled response is given up after the limit', async () => {
  const { origin, time } = await setUpOrigin('a');
  origin.fault = meeting({ times: 1 }, () => {});
  const follower = followOrigin(origin, {});
  const taken = take(reading(follower), 1);
  await until(() => origin.seen.length === 1 && time.running(testLimits.requestMs) === 1);
  time.expire(testLimits.requestMs);
  expect(sequences(await taken)).toEqual([1]);
});

test('pages that lead nowhere are not walked for ever', async () => {
  const { origin, time } = await setUpOrigin('a');
  origin.fault = (request, response) => {
    if (!A_PAGE.test(request.url ?? '')) return false;
    const link = `<${request.url}>; rel="next"`;
    response.writeHead(200, { 'content-type': 'application/n-quads', 'ldes-cursor': 'e1-0', link }).end();
    return true;
  };
  const follower = followOrigin(origin, {}, { from: 'start' });
  time.at(time.nowMs + 10_000, () => {
    expect(follower.status.reason).toMatch(/links to pages without further members/);
    expect(origin.seen.length).toBeLessThan(20);
    origin.fault = undefined;
  });
  expect(sequences(await take(reading(follower), 1))).toEqual([1]);
});

test('MAL-7 the mode follows the break-even that the publisher states, with some hysteresis', async () => {
  const { origin, time, follower, iterator } = await following({ mal: 12 });
  // Every document states it anew.
  origin.breakEvenSeconds = 14;
  time.at(time.nowMs + 100_000, () => {
    expect(follower.status).toMatchObject({ mode: 'pull', reason: expect.stringContaining('pull stays') });
    expect(origin.requestsTo(/events/)).toHaveLength(0);
    origin.breakEvenSeconds = 100;
    origin.commit('b');
  });
  expect((await take(iterator, 1))[0]).toMatchObject({ via: 'pull', cursor: 'e1-2' });
  const pushed = iterator.next();
  await until(() => origin.pushed.size === 1);
  origin.commit('c');
  expect((await pushed).value).toMatchObject({ via: 'push', cursor: 'e1-3' });
});

test('MAL-19 requests that failed otherwise do not make a page that is behind a gap', async () => {
  const { origin, time, follower, iterator } = await following({}, { commit: ['a', 'b'] });
  const answer = (status: number, response: ServerResponse) => {
    if (status === 200) response.writeHead(200, { 'content-type': 'application/n-quads', 'ldes-cursor': 'e1-1' }).end();
    else response.writeHead(status).end();
  };
  const passing = [503, 503, 503, 503, 200, 503, 200, 503, 503, 200];
  const lasting = [200, 503, 200, 503, 503, 200, 503, 200];
  let answers = passing;
  origin.fault = (request, response) => {
    const status = PAGES.test(request.url ?? '') ? answers.shift() : undefined;
    if (status !== undefined) answer(status, response);
    return status !== undefined;
  };
  time.at(time.nowMs + 1_000, () => origin.commit('c'));
  expect(await take(iterator, 1)).toMatchObject([{ kind: 'upsert', cursor: 'e1-3' }]);
  expect(passing).toEqual([]);
  expect(follower.status.gaps).toBe(0);
  answers = lasting;
  const asked = origin.requestsTo(PAGES).length;
  expect(await take(iterator, 1)).toMatchObject([{ kind: 'gap', from: 'e1-3' }]);
  expect(lasting).toEqual([]);
  const [first, ...again] = origin.requestsTo(PAGES).slice(asked);
  expect(first?.headers['cache-control']).not.toBe('max-age=0');
  expect(new Set(again.map(({ headers }) => headers['cache-control']))).toEqual(new Set(['max-age=0']));
});

function empty(response: ServerResponse, url: string): void {
  response.writeHead(200, { 'content-type': 'application/n-quads', 'cache-control': 'public, max-age=60' });
  response.end(`<${url}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://w3id.org/tree#Node> .\n`);
}

async function setUpTwoPages() {
  const { origin } = await setUpOrigin(...'abcdef');
  origin.offersPush = false;
  return origin;
}

const LOST = '/s/pages?after=0 /s/pages/0 /s/pages/1 /s/pages?after=4 /s/pages/1';

test.each<[string, string, number, number, string]>([
  ['states no cursor is looked for from the position', '1', 200, 1, LOST],
  ['is not there is looked for from the position', '1', 404, 1, LOST],
  // The position itself leads to it.
  ['states no cursor is asked for again', '0', 200, 2, `${'/s/pages?after=0 /s/pages/0 '.repeat(3)}/s/pages/1`],
])('DOC-30 a page that %s: /pages/%s, %d', async (_what, page, status, times, expected) => {
  const origin = await setUpTwoPages();
  origin.fault = meeting({ to: new RegExp(`^/s/pages/${page}$`), times }, (response) => {
    if (status === 404) response.writeHead(404).end();
    else empty(response, `${origin.url}/pages/${page}`);
  });
  const follower = followOrigin(origin, {}, { from: 'start' });
  expect(sequences(await take(reading(follower), 6))).toEqual([1, 2, 3, 4, 5, 6]);
  const paths = origin.requestsTo(PAGES).map(({ path }) => path.replace(/after=.*-/, 'after='));
  expect(paths.join(' ')).toBe(expected);
  expect(follower.status.gaps).toBe(0);
});

test('DOC-30 where the way from the position is gone too, the reader is told of a gap and of the state', async () => {
  const origin = await setUpTwoPages();
  origin.fault = (request, response) => {
    if (request.url === '/s/pages/1') {
      empty(response, `${origin.url}/pages/1`);
      return true;
    }
    if (!/after=.*-4$/.test(request.url ?? '')) return false;
    response.writeHead(410).end();
    return true;
  };
  const iterator = reading(followOrigin(origin, {}, { from: 'start' }));
  expect(sequences(await take(iterator, 4))).toEqual([1, 2, 3, 4]);
  const [gap, ...state] = await take(iterator, 7);
  expect(gap).toMatchObject({ kind: 'gap', from: 'e1-4' });
  expect(state.map(({ member }) => member?.entity)).toEqual([...'abcdef'].map((name) => origin.entity(name)));
});

test('DOC-11 what a 304 leaves out is what the document said before: the reader stays at its tail', async () => {
  const { origin, time } = await setUpOrigin('a', 'b');
  Object.assign(origin, { offersTails: true, offersPush: false });
  const iterator = reading(followOrigin(origin, {}, { from: 'start' }));
  await take(iterator, 2);
  time.at(time.nowMs + 60_000, () => origin.commit('c'));
  expect(sequences(await take(iterator, 1))).toEqual([3]);
  const asked = origin.requestsTo(A_PAGE);
  const first = asked.findIndex(({ path }) => path.endsWith('/after-2'));
  expect(asked.slice(first + 1).every(({ headers }) => headers['if-none-match'] === '"e1-2.nq"')).toBe(true);
  expect(asked.slice(first).map(({ path }) => path)).toEqual(asked.slice(first).map(() => '/s/pages/after-2'));
});
