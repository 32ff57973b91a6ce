import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { StreamError } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { httpServer } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { createLiveServer, hashToken } from '../src/index.ts';
import type { LiveServerOptions, LiveStream } from '../src/options.ts';
import { cutOff, FakeCluster, follower, WRITER } from './fake-cluster.ts';
import { stateLines } from './ingest/posting-server.ts';
import { parsedLines } from './kept-lines.ts';
import { parseMetrics } from './parse-metrics.ts';
import { liveServer } from './push-server.ts';
import { EPOCH, emptyStream, PUBLIC_URL, upsert } from './test-server.ts';

const SINCE_MS = Date.parse('2026-01-01T00:00:05.250Z');
const TOKEN = 'token';
const INGEST = { tokenHashes: [hashToken(TOKEN)] };
const POSTED = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/n-quads' };

/** A node that takes posts, with its place among the others. */
async function nodeServer(
  { name = 'b', ...options }: Partial<LiveServerOptions> & { name?: string } = {},
  more: Partial<LiveStream> = {},
) {
  const cluster = new FakeCluster(name);
  const lines = parsedLines('info');
  // The 5 s for which a node waits are not waited for here.
  const sleep = (ms: number, signal: AbortSignal) => setTimeout(ms === 5000 ? 100 : ms, undefined, { signal });
  const own = { cluster, logger: lines.logger, sleep, ...options };
  const server = await liveServer(own, { ingest: INGEST, ...more });
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${server.base}/vehicles`, { method: 'POST', body, headers: { ...POSTED, ...headers } });
  return { ...server, cluster, post, lines: lines.lines };
}

test('CLU-21 a post to a node that follows is answered by the writer, whose log has the members', async () => {
  const a = await nodeServer({ name: 'a' });
  const b = await nodeServer({ name: 'b' });
  b.cluster.become({ role: follower(a.base) });
  const answer = await b.post(stateLines('1', 5), { 'x-forwarded-for': '203.0.113.7' });
  expect([answer.status, await answer.json()]).toEqual([
    201,
    { stored: 1, unchanged: 0, held: 0, cursor: `${EPOCH}-1` },
  ]);
  expect([a.log.head.cursor.sequence, b.log.head.cursor.sequence]).toEqual([1, 0]);
  // Who may post the writer judges.
  expect((await b.post(stateLines('1', 6), { authorization: 'Bearer other' })).status).toBe(401);
  const counted = parseMetrics(await (await fetch(`${b.base}/metrics`)).text()).get('ldes_live_requests_total');
  const posts = counted?.samples.filter(({ labels }) => labels.kind === 'post');
  expect(posts).toMatchObject([
    { labels: { status: '2xx' }, value: 1 },
    { labels: { status: '4xx' }, value: 1 },
  ]);
  // What is read stays here.
  expect((await fetch(`${b.base}/vehicles/latest`)).headers.get('ldes-cursor')).toBe(`${EPOCH}-0`);
});

test('CLU-21 the URL, the content and where it came from are passed on as they came, and the writer may change', async () => {
  const seen: unknown[] = [];
  const recorder = (name: string) =>
    httpServer(async (request, response) => {
      const { 'ldes-forwarded': by, 'x-forwarded-for': from, 'content-type': type } = request.headers;
      seen.push([name, request.url, by, from, type, await text(request)]);
      response.writeHead(202, { 'x-own': name }).end('taken');
    });
  const [one, other] = [await recorder('one'), await recorder('other')];
  onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
  const b = await nodeServer();
  const ask = async () => {
    const answer = await b.post('a body');
    return [answer.status, answer.headers.get('x-own'), await answer.text()];
  };
  b.cluster.become({ role: follower(one.url.slice(0, -1)) });
  expect(await ask()).toEqual([202, 'one', 'taken']);
  b.cluster.become({ role: follower(other.url.slice(0, -1)) });
  expect(await ask()).toEqual([202, 'other', 'taken']);
  const rest = ['/vehicles', 'b', '127.0.0.1', 'application/n-quads', 'a body'];
  expect(seen).toEqual([
    ['one', ...rest],
    ['other', ...rest],
  ]);
});

test('CLU-22 without a writer a post is answered by 503, and nothing of it is stored, cached or logged', async () => {
  const b = await nodeServer();
  b.cluster.become({ role: cutOff(SINCE_MS) });
  const answer = await b.post(stateLines('1', 5));
  const { status, headers } = answer;
  const fields = ['retry-after', 'cache-control'].map((name) => headers.get(name));
  expect([status, ...fields, await answer.json()]).toMatchObject([
    503,
    '5',
    'no-store',
    { code: 'ERR_WRITER_UNKNOWN', stored: 0, problem: 'this node is cut off from the others' },
  ]);
  const warned = b.lines.filter(({ level }) => (level as number) >= 40).map(({ msg }) => msg);
  expect([b.log.head.cursor.sequence, warned]).toEqual([0, ['role changed']]);
  b.cluster.become({ role: WRITER });
  expect((await b.post(stateLines('1', 5))).status).toBe(201);
});

test('CLU-22 two nodes that take each other for the writer pass a post on once', async () => {
  const [a, b] = [await nodeServer({ name: 'a' }), await nodeServer({ name: 'b' })];
  a.cluster.become({ role: follower(b.base) });
  b.cluster.become({ role: follower(a.base) });
  const answer = await a.post(stateLines('1', 5));
  const problem = 'another node took this one for the writer';
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'ERR_WRITER_UNKNOWN', problem }]);
});

test('CLU-22 a writer that does not answer is 503 and `cluster problem`, also one that hangs after it was the writer', async () => {
  const b = await nodeServer();
  b.cluster.become({ role: follower('http://127.0.0.1:1') });
  const refused = await b.post('a');
  const problem = 'node "a" writes, but does not answer at http://127.0.0.1:1 (ECONNREFUSED)';
  const details = { node: 'a', url: 'http://127.0.0.1:1', reason: 'ECONNREFUSED' };
  expect([refused.status, await refused.json()]).toMatchObject([
    503,
    { code: 'ERR_WRITER_UNKNOWN', problem, ...details },
  ]);
  await b.post('a');
  const warned = b.lines.filter(({ level }) => level === 40);
  const message = expect.stringContaining(problem);
  expect(warned).toMatchObject([{ msg: 'cluster problem', node: 'b', code: 'ERR_WRITER_UNKNOWN', message }]);
  let reached = () => {};
  const passedOn = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const hanging = await httpServer(() => reached());
  onTestFinished(() => hanging.close());
  b.cluster.become({ role: follower(hanging.url.slice(0, -1)) });
  const asked = b.post('a');
  // Before the post has reached the writer, a change of roles would give another reason.
  await passedOn;
  b.cluster.become({ role: cutOff(SINCE_MS) });
  const broken = await asked;
  expect([broken.status, await broken.json()]).toMatchObject([
    503,
    { code: 'ERR_WRITER_UNKNOWN', reason: 'ABORT_ERR' },
  ]);
}, 15_000);

test('CLU-22 a post during which the writer loses its place is 503 with what is stored of it', async () => {
  const a = await nodeServer({}, { ingest: { ...INGEST, limits: { limitBatchMembers: 1 } } });
  const { append } = a.log;
  let appends = 0;
  a.log.append = (drafts) => {
    appends += 1;
    if (appends > 1) return Promise.reject(new StreamError('ERR_LOG_FENCED', 'Another node writes.'));
    return append.call(a.log, drafts);
  };
  const answer = await a.post(stateLines('1', 5) + stateLines('2', 5) + stateLines('3', 5));
  expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toMatchObject([
    503,
    '5',
    { code: 'ERR_WRITER_UNKNOWN', stored: 1 },
  ]);
});

test('CLU-22 a body that waits to be asked for is not asked for where no node takes it', async () => {
  const b = await nodeServer();
  b.cluster.become({ role: cutOff(SINCE_MS) });
  const heard: string[] = [];
  const status = await new Promise((resolve, reject) => {
    const headers = { ...POSTED, expect: '100-continue', 'content-length': '9' };
    const asked = httpRequest(`${b.base}/vehicles`, { method: 'POST', headers });
    asked.on('continue', () => heard.push('continue')).on('error', reject);
    asked.on('response', (response) => resolve([response.resume().statusCode, response.headers.connection]));
    asked.flushHeaders();
    onTestFinished(() => void asked.destroy());
  });
  expect([status, heard]).toEqual([[503, 'close'], []]);
});

test('CLU-24 a document of a node that is cut off is kept by no cache, predicts nothing, and says since when it may lack', async () => {
  const schedule = { kind: 'interval', intervalMs: 20_000, nextMs: Date.now() + 15_000 } as const;
  const b = await nodeServer({}, { schedule: () => schedule });
  await b.log.append([upsert(1, 1)]);
  const paths = ['', '/latest', `/pages/${EPOCH}/0`, `/pages/${EPOCH}/after-0`, '/tiles', '/entities/1'];
  const fieldsOf = async (path: string, headers = {}) => {
    const answer = await fetch(`${b.base}/vehicles${path}`, { headers });
    const names = ['cache-control', 'next-update', 'ldes-source', 'etag'];
    const [caching, next, source, etag] = names.map((name) => answer.headers.get(name));
    const keptMs = Date.parse(answer.headers.get('expires') ?? '') - Date.parse(answer.headers.get('date') ?? '');
    return { status: answer.status, caching, next, source, etag: etag as string, keptMs };
  };
  for (const path of paths)
    expect(await fieldsOf(path), path).toMatchObject({ status: 200, next: expect.any(String), source: 'ok' });
  b.cluster.become({ role: cutOff(SINCE_MS) });
  const seconds = Math.floor(SINCE_MS / 1000);
  const uncertain = {
    caching: 'public, max-age=0, stale-if-error=300',
    next: null,
    source: `failing;since=@${seconds};complete-to=@${seconds}`,
    keptMs: 0,
  };
  for (const path of paths) {
    const fields = await fieldsOf(path);
    expect(fields, path).toMatchObject({ status: 200, ...uncertain });
    expect(await fieldsOf(path, { 'if-none-match': fields.etag }), path).toMatchObject({ status: 304, ...uncertain });
  }
  b.cluster.become({ role: WRITER });
  expect(await fieldsOf('/latest')).toMatchObject({ next: expect.any(String), source: 'ok' });
});

test('CLU-24 a reader of push stays connected through all roles, and is told when its node is cut off', async () => {
  const b = await nodeServer();
  const reader = await b.read();
  b.cluster.become({ role: follower(), told: { streams: { vehicles: { sources: [] } } } });
  b.cluster.become({ role: cutOff(SINCE_MS) });
  await eventually(() => expect(reader.events).toHaveLength(1));
  const late = await b.read();
  await late.count(1);
  b.cluster.become({ role: WRITER });
  await b.log.append([upsert(1, 1)]);
  await eventually(() => expect(reader.events).toHaveLength(3));
  const since = '2026-01-01T00:00:05.000Z';
  const events = reader.events.map(({ event, data }) => (event === 'status' ? JSON.parse(data) : event));
  expect(events).toEqual([{ source: 'failing', since, completeTo: since }, { source: 'ok' }, 'update']);
  expect([reader.state.ended, JSON.parse(late.events[0]?.data ?? '')]).toEqual([false, events[0]]);
});

/** A node that stands at #3, whose log learns of what follows when the test says so. */
async function behindNode() {
  const b = await nodeServer();
  for (const number of [1, 2, 3]) await b.log.append([upsert(number, 1)]);
  b.cluster.become({ role: follower(), told: { streams: { vehicles: { sources: [] } } } });
  type Asked = Readonly<Record<'resolve' | 'reject', () => void>>;
  const asked: Asked[] = [];
  b.log.caughtUp = () =>
    new Promise((resolve, reject) => void asked.push({ resolve, reject: () => reject(new Error('lost')) }));
  const append = (number: number) => b.log.append([upsert(number, 2)]);
  /** What it asks of the others next. */
  const next = async () => {
    await eventually(() => expect(asked).toHaveLength(1), { everyMs: 5 });
    return asked.pop() as Asked;
  };
  return { ...b, append, next };
}

test('CLU-30 who comes by push with a cursor that another node has goes on without a gap', async () => {
  const b = await behindNode();
  const reading = b.read(`?from=${EPOCH}-4`);
  const known = await b.next();
  await b.append(4);
  known.resolve();
  const reader = await reading;
  await b.append(5);
  await reader.count(1);
  expect(reader.events).toMatchObject([{ event: 'update', id: `${EPOCH}-5` }]);
});

test('CLU-30 what no node has is a gap', async () => {
  const b = await behindNode();
  const reading = b.read(`?from=${EPOCH}-9`);
  (await b.next()).resolve();
  const reader = await reading;
  await reader.count(1);
  expect(reader.events).toMatchObject([{ event: 'gap', id: `${EPOCH}-3` }]);
});

type Node = Awaited<ReturnType<typeof behindNode>>;

test.each<[string, (b: Node, known: Awaited<ReturnType<Node['next']>>) => void]>([
  ['cannot find out', (_, known) => known.reject()],
  ['waits for some seconds', () => {}],
  [
    'is cut off',
    (b, known) => {
      b.cluster.become({ role: cutOff(SINCE_MS) });
      known.resolve();
    },
  ],
])(
  'CLU-30 where a node %s, who knows more is sent on: no gap, and a place that is free again',
  async (_why, end) => {
    const b = await behindNode();
    const reading = b.read(`?from=${EPOCH}-9`);
    end(b, await b.next());
    const reader = await reading;
    await eventually(() => expect(reader.state.ended).toBe(true), { forMs: 9000 });
    expect([reader.response.status, reader.events, reader.retries.length]).toEqual([200, [], 1]);
    expect(b.server.pushConnections).toBe(0);
  },
  15_000,
);

const AHEAD = [`/pages?after=${EPOCH}-4`, `/pages/${EPOCH}/after-4`, `/pages/${EPOCH}/1`, `/pages/${EPOCH}/range-1`];

test.each(AHEAD.slice(0, 2))('CLU-31 %s, which another node has, waits for that', async (path) => {
  const b = await behindNode();
  const asking = fetch(`${b.base}/vehicles${path}`, { redirect: 'manual' });
  const known = await b.next();
  await b.append(4);
  known.resolve();
  const { status, headers } = await asking;
  expect([status, headers.get('ldes-cursor')]).toEqual(path.includes('?') ? [307, null] : [200, `${EPOCH}-4`]);
});

test.each(AHEAD)('CLU-31 %s, which no node has, is answered as on a server by itself; else by 503', async (path) => {
  const b = await behindNode();
  const ask = async (outcome: 'resolve' | 'reject') => {
    const asking = fetch(`${b.base}/vehicles${path}`);
    (await b.next())[outcome]();
    const answer = await asking;
    const { code } = (await answer.json()) as { code: string };
    return [answer.status, answer.headers.get('retry-after'), code];
  };
  const alone = path.includes('after') ? [410, null, 'ERR_CURSOR_GONE'] : [404, null, 'ERR_DOCUMENT_UNKNOWN'];
  expect(await ask('resolve')).toEqual(alone);
  expect(await ask('reject')).toEqual([503, '1', 'ERR_NODE_BEHIND']);
});

test('CLU-32 who has a later state of a document waits for it some seconds, then gets what there is', async () => {
  const b = await behindNode();
  const ask = () => fetch(`${b.base}/vehicles/latest`, { headers: { 'if-none-match': `W/"x", "${EPOCH}-4.gz"` } });
  const asking = ask();
  const known = await b.next();
  await b.append(4);
  known.resolve();
  expect((await asking).status).toBe(304);
  // What is not of this life of the log, or not later, is answered at once.
  b.log.caughtUp = () => Promise.reject(new Error('asked'));
  for (const tag of [`"${EPOCH}-3.nq"`, '"other-9"', '*', 'W/"x"']) {
    const answer = await fetch(`${b.base}/vehicles/latest`, { headers: { 'if-none-match': tag } });
    expect([answer.status, answer.headers.get('ldes-cursor')]).toEqual([tag === '*' ? 304 : 200, `${EPOCH}-4`]);
  }
  b.log.caughtUp = () => Promise.resolve();
  const older = await fetch(`${b.base}/vehicles/latest`, { headers: { 'if-none-match': `"${EPOCH}-7"` } });
  expect([older.status, older.headers.get('ldes-cursor')]).toEqual([200, `${EPOCH}-4`]);
});

test('a node that follows listens once it has what the writer has', async () => {
  const stream = await emptyStream();
  let isKnown = () => {};
  stream.log.caughtUp = () =>
    new Promise((resolve) => {
      isKnown = resolve;
    });
  const cluster = new FakeCluster('b', follower());
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams: [stream], cluster, logger: false });
  onTestFinished(() => server.close());
  let isListening = false;
  const listening = server.listen({ host: '127.0.0.1', port: 0 }).then(() => {
    isListening = true;
  });
  await setTimeout(100);
  expect(isListening).toBe(false);
  isKnown();
  await listening;
});

test('CLU-23 a node tells the others of all its streams, as they are then', async () => {
  const b = await nodeServer();
  const posts = expect.objectContaining({ origin: 'post', state: 'ok' });
  expect(b.cluster.status()).toEqual({ streams: { vehicles: { sources: [posts] } } });
});
