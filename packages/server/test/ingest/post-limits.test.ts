import { gzipSync } from 'node:zlib';
import { as, prov, rdf, StreamError } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { type IngestLimits, ingestLimits } from '../../src/options.ts';
import { ex, postingServer, stateLines, versionLines } from './posting-server.ts';

const JSON_LD = { 'content-type': 'application/ld+json' };
const NDJSON = { 'content-type': 'application/x-ndjson' };
const gzip = { 'content-encoding': 'gzip' };

async function answers(limits: Partial<IngestLimits>, body: string | Buffer, headers: Record<string, string> = {}) {
  const server = await postingServer({ ingest: { limits } });
  const answer = await server.post(body, headers);
  return [answer.statusCode, answer.json().code, answer.json().limit];
}

const TWO = stateLines('a', 1) + stateLines('b', 2);
const TERMS =
  3 * ex('a').length +
  ex('value').length +
  1 +
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'.length +
  ex('Sensor').length -
  ex('a').length;
const DOCUMENT = `{"@id":"${ex('a')}","${ex('p')}":1}`;

test('ING-40 a body and its members are within their limits', async () => {
  const rows: [keyof IngestLimits, number, string, string | Buffer, Record<string, string>?][] = [
    ['limitBodyBytes', TWO.length, 'ERR_POST_TOO_LARGE', TWO],
    ['limitBodyBytes', TWO.length, 'ERR_POST_TOO_LARGE', gzipSync(TWO), gzip],
    ['limitBodyMembers', 2, 'ERR_POST_TOO_LARGE', TWO],
    ['limitDocumentBytes', DOCUMENT.length, 'ERR_POST_TOO_LARGE', DOCUMENT, JSON_LD],
    ['limitMemberQuads', 2, 'ERR_POST_MEMBER_TOO_LARGE', TWO],
    ['limitMemberCharacters', TERMS, 'ERR_POST_MEMBER_TOO_LARGE', TWO],
    ['limitMemberCharacters', DOCUMENT.length, 'ERR_POST_MEMBER_TOO_LARGE', `${DOCUMENT}\n`, NDJSON],
  ];
  for (const [limit, value, code, body, headers] of rows) {
    expect(await answers({ [limit]: value }, body, headers)).toEqual([201, undefined, undefined]);
    expect(await answers({ [limit]: value - 1 }, body, headers)).toEqual([413, code, limit]);
  }
});

test('ING-40 an IRI has a limit, what prefixes stand for included', async () => {
  const iri = (length: number) => `http://e/${'x'.repeat(length - 9)}`;
  const line = (length: number) => `<${iri(length)}> <http://e/p> "1" .\n`;
  const turtle = (length: number) => `@prefix p: <${iri(length - 1)}> . p:a <http://e/p> 1 .`;
  const refused = [400, 'ERR_POST_TERM', undefined];
  expect((await answers({}, line(4096)))[0]).toBe(201);
  expect(await answers({}, line(4097))).toEqual(refused);
  expect((await answers({}, turtle(4096), { 'content-type': 'text/turtle' }))[0]).toBe(201);
  expect(await answers({}, turtle(4097), { 'content-type': 'text/turtle' })).toEqual(refused);
});

test.each([
  ['application/n-quads', `<${ex('a')}> <${ex('p')}> "`],
  ['text/turtle', `<${ex('a')}> <${ex('p')}> "`],
  ['application/x-ndjson', '{"@id": "'],
])('ING-40 a statement of %s that does not end is not read on', async (type, begin) => {
  const body = begin + 'x'.repeat(3000);
  const refused = await answers({ limitMemberCharacters: 1000 }, body, { 'content-type': type });
  expect(refused.slice(0, 2)).toEqual([413, 'ERR_POST_MEMBER_TOO_LARGE']);
});

test('ING-40 limits are integers of 1 or more', () => {
  expect(ingestLimits({ limitPosts: 1 }).limitPosts).toBe(1);
  for (const limitPosts of [0, -1, 1.5, Number.NaN]) expect(() => ingestLimits({ limitPosts })).toThrow('limitPosts');
});

test('ING-40 refuses JSON that is nested too deep, before it is parsed', async () => {
  const nested = (depth: number) => `${`{"${ex('p')}":`.repeat(depth - 1)}{"@id":"${ex('a')}"${'}'.repeat(depth)}`;
  const body = (depth: number) =>
    nested(depth)
      .replace('{', `{"@id":"${ex('a')}",`)
      .replace(`{"@id":"${ex('a')}"}`, `{"${ex('q')}":1}`);
  expect(await answers({ limitDepth: 5 }, body(5), JSON_LD)).toEqual([201, undefined, undefined]);
  expect(await answers({ limitDepth: 5 }, body(6), JSON_LD)).toEqual([400, 'ERR_POST_TOO_DEEP', undefined]);
  expect(await answers({}, '['.repeat(1_000_000), JSON_LD)).toEqual([400, 'ERR_POST_TOO_DEEP', undefined]);
  expect(await answers({}, '[{"a":'.repeat(100_000), NDJSON)).toEqual([400, 'ERR_POST_TOO_DEEP', undefined]);
});

const terms = (count: number, definition = (name: string): unknown => ex(name)) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, definition(`t${index}`)]));
const scoped = (name: string) => ({ '@id': ex(name), '@context': { inner: ex('inner') } });

test('ING-40 takes contexts up to their limits, and refuses those past them before they are processed', async () => {
  const document = (context: unknown, node: object = {}) =>
    JSON.stringify({ '@context': context, '@id': ex('a'), t0: { [ex('p')]: 1 }, ...node });
  const tooLarge = (limit: string) => [413, 'ERR_POST_CONTEXT_TOO_LARGE', limit];
  const taken = [201, undefined, undefined];
  const refused = async (limits: Partial<IngestLimits>, body: string, limit: string, value: number) => {
    expect(await answers({ ...limits, [limit]: value }, body, JSON_LD)).toEqual(taken);
    expect(await answers({ ...limits, [limit]: value - 1 }, body, JSON_LD)).toEqual(tooLarge(limit));
  };
  await refused({}, document(terms(10)), 'limitContextTerms', 10);
  await refused({}, document([terms(6), terms(4)]), 'limitContextTerms', 10);
  // Four terms and what is in them: 4 * (2 + 1); four contexts within, two nodes.
  await refused({}, document(terms(4, scoped)), 'limitContextWork', 8 * (1 + 4 + 2));
  // Each of them makes a copy of the terms, without a term of its own.
  await refused({}, document([terms(10), {}, {}, {}]), 'limitContextWork', 10 * (1 + 3 + 2));
  await refused({}, document(terms(10), { t1: { '@context': {}, t2: 1 } }), 'limitContextWork', 10 * (1 + 1 + 3));
  expect(await answers({}, document(terms(2000, scoped)), JSON_LD)).toEqual(tooLarge('limitContextWork'));
  const graph = JSON.stringify({ '@context': terms(2000, scoped), '@graph': [{ '@id': ex('a'), t0: 1 }] });
  expect(await answers({}, graph, JSON_LD)).toEqual(tooLarge('limitContextWork'));
  expect(await answers({}, document(terms(2000, scoped)), NDJSON)).toEqual(tooLarge('limitContextWork'));
});

test('lets others have their turn within a large document', async () => {
  const server = await postingServer();
  const nodes = Array.from({ length: 1000 }, (_, index) => ({ '@id': ex(`a${index}`), t0: { inner: index } }));
  const posted = server.post(JSON.stringify({ '@context': terms(20, scoped), '@graph': nodes }), JSON_LD);
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect((await posted).json()).toMatchObject({ stored: 1000 });
  isOver = true;
  expect(turns).toBeGreaterThan(10);
});

const filler = (name: string, count: number) => ({
  '@graph': Array.from({ length: count }, (_, index) => ({
    '@id': ex(`${name}${index}`),
    [ex('p')]: 'x'.repeat(1000),
  })),
});

test('large documents are worked on one at a time, and others do not wait for them', async () => {
  const server = await postingServer();
  const body = (name: string, count: number) => JSON.stringify(filler(name, count));
  const bodies = [body('a', 1100), body('b', 1100), body('c', 1)];
  const all = await Promise.all(bodies.map((each) => server.post(each, JSON_LD)));
  expect(all.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201]);
  const names = (await server.members()).map(({ entity }) => entity.slice(ex('').length, ex('a').length));
  expect(names.filter((name) => name !== 'c').join('')).toBe('a'.repeat(1100) + 'b'.repeat(1100));
  expect(names.indexOf('c')).toBeLessThan(names.indexOf('b'));
});

test('ING-40 a large document that is refused lets the next one have its turn', async () => {
  const server = await postingServer();
  const wrong = JSON.stringify(filler('a', 1100)).replace(ex('a7"'), 'relative"');
  const all = await Promise.all([wrong, JSON.stringify(filler('b', 1100))].map((each) => server.post(each, JSON_LD)));
  expect(all.map(({ statusCode }) => statusCode)).toEqual([400, 201]);
});

test('ING-28 a commit has members up to a number of characters, 64 for each statement included', async () => {
  const commits = async (limitBatchCharacters: number) => {
    const server = await postingServer({ ingest: { limits: { limitBatchCharacters } } });
    await server.post(TWO);
    return new Set((await server.members()).map(({ time }) => time)).size;
  };
  const two = 2 * (TERMS + 2 * 64);
  expect([await commits(two), await commits(two - 1)]).toEqual([1, 2]);
});

test('ING-40 takes nodes up to their values, and refuses one past them before it is parsed', async () => {
  const node = (fields: object) => ({ '@id': ex('a'), ...fields });
  const refused = [413, 'ERR_POST_MEMBER_TOO_LARGE', 'limitNodeValues'];
  const rows: [string, unknown, number][] = [
    ['one node', node({ [ex('p')]: [1, { '@value': 2 }] }), 5],
    ['one in an array', [node({ [ex('p')]: 1 }), { '@id': ex('b'), [ex('p')]: [1, 2] }], 4],
    ['one in a graph', { '@graph': [node({ [ex('p')]: [1, 2, 3] })] }, 5],
    ['one with a context', node({ '@context': { q: ex('q') }, q: 1 }), 4],
  ];
  for (const [, body, limitNodeValues] of rows) {
    const text = JSON.stringify(body, undefined, 1);
    expect(await answers({ limitNodeValues }, text, JSON_LD)).toEqual([201, undefined, undefined]);
    expect(await answers({ limitNodeValues: limitNodeValues - 1 }, text, JSON_LD)).toEqual(refused);
  }
  const line = JSON.stringify(node({ [ex('p')]: [1, 2] }));
  expect((await answers({ limitNodeValues: 4 }, line, NDJSON))[0]).toBe(201);
  expect(await answers({ limitNodeValues: 3 }, line, NDJSON)).toEqual(refused);
  const shared = JSON.stringify({ '@context': { q: ex('q'), r: ex('r') }, '@graph': [node({ q: 1 })] });
  expect((await answers({ limitNodeValues: 2 }, shared, JSON_LD))[0]).toBe(201);
  expect(await answers({ limitNodeValues: 1 }, shared, JSON_LD)).toEqual([
    413,
    'ERR_POST_CONTEXT_TOO_LARGE',
    'limitNodeValues',
  ]);
  // However it goes on.
  const endless = `{"@id":"${ex('a')}","${ex('p')}":[${'1,'.repeat(40_000)}`;
  expect(await answers({}, endless, JSON_LD)).toEqual(refused);
});

test('ING-42 gives posts their turns in the order in which they come', async () => {
  const server = await postingServer({ ingest: { limits: { limitPosts: 1, limitWaitingPosts: 3 } } });
  const names = ['d', 'b', 'c', 'a'];
  const all = await Promise.all(names.map((name) => server.post(stateLines(name, 1))));
  expect(all.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201, 201]);
  expect((await server.members()).map(({ entity }) => entity)).toEqual(names.map(ex));
});

test('ING-42 answers by 429 with Retry-After when too many posts wait', async () => {
  const server = await postingServer({ ingest: { limits: { limitPosts: 1, limitWaitingPosts: 1 } } });
  const all = await Promise.all([1, 2, 3].map((number) => server.post(stateLines(`a${number}`, 1))));
  expect(all.map(({ statusCode }) => statusCode).sort()).toEqual([201, 201, 429]);
  expect(all.find(({ statusCode }) => statusCode === 429)?.headers['retry-after']).toBe('1');
});

test('ING-20 stores a version once, however often it is posted', async () => {
  const server = await postingServer();
  const body = versionLines('a/1', 'a', 1) + versionLines('a/2', 'a', 2) + versionLines('b/1', 'b', 1);
  expect((await server.post(body)).json()).toMatchObject({ stored: 3, held: 0 });
  const again = await server.post(body + versionLines('b/2', 'b', 2));
  expect([again.statusCode, again.json()]).toMatchObject([201, { stored: 1, unchanged: 0, held: 3 }]);
  const nothing = await server.post(body);
  expect([nothing.statusCode, nothing.json()]).toEqual([200, { stored: 0, unchanged: 0, held: 3 }]);
  expect(await server.members()).toHaveLength(4);
});

test('ING-20 ends an entity once by the same version, and what came after it stays', async () => {
  const server = await postingServer();
  const end = `${versionLines('a/2', 'a', 2)}<${ex('a/2')}> <${rdf.type}> <${as.Delete}> .\n`;
  const body = versionLines('a/1', 'a', 1) + end + versionLines('a/3', 'a', 3);
  expect((await server.post(body)).json()).toMatchObject({ stored: 3 });
  for (let time = 0; time < 2; time += 1) {
    const again = await server.post(body);
    expect([again.statusCode, again.json()]).toEqual([200, { stored: 0, unchanged: 0, held: 3 }]);
  }
  expect(server.log.latest.get(ex('a'))).toMatchObject({ fingerprint: ex('a/3') });
  const members = await server.members();
  expect(members.map(({ id, kind }) => [id, kind])).toEqual([
    [ex('a/1'), 'upsert'],
    [ex('a/2'), 'delete'],
    [ex('a/3'), 'upsert'],
  ]);
  expect(members[1]?.quads).toHaveLength(4);
});

test('ING-20 holds an end that comes before its entity, which it does not end when it is posted again', async () => {
  const server = await postingServer();
  const end = `${versionLines('a/2', 'a', 2)}<${ex('a/2')}> <${rdf.type}> <${as.Delete}> .\n`;
  const body = end + versionLines('a/3', 'a', 3);
  expect((await server.post(body)).json()).toMatchObject({ stored: 2, unchanged: 0, held: 0 });
  expect((await server.post(body)).json()).toMatchObject({ stored: 0, unchanged: 0, held: 2 });
  expect((await server.post(end)).json()).toMatchObject({ stored: 0, unchanged: 0, held: 1 });
  expect(server.log.latest.get(ex('a'))).toMatchObject({ fingerprint: ex('a/3') });
  const again = `${versionLines('z/1', 'z', 1)}<${ex('z/1')}> <${rdf.type}> <${as.Delete}> .\n`;
  expect((await server.post(again)).json()).toMatchObject({ stored: 1 });
  expect((await server.post(again)).json()).toMatchObject({ held: 1 });
});

test('ING-21 stores no state that says the same, in another order and with other labels', async () => {
  const server = await postingServer();
  const at = (label: string, value: number) =>
    `_:${label} <${ex('p')}> "${value}" .\n<${ex('a')}> <${ex('at')}> _:${label} .\n`;
  await server.post(at('x', 1) + at('y', 2));
  expect((await server.post(at('v', 2) + at('u', 1))).json()).toMatchObject({ stored: 0, unchanged: 1 });
  expect((await server.post(at('x', 1) + at('y', 3))).json()).toMatchObject({ stored: 1, unchanged: 0 });
  const end = `<${ex('z')}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://www.w3.org/ns/activitystreams#Delete> .\n`;
  expect((await server.post(end)).json()).toMatchObject({ stored: 0, unchanged: 1 });
  const timed = (hour: number) =>
    `<${ex('t')}> <http://www.w3.org/ns/sosa/resultTime> "2026-01-01T${hour}:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n`;
  await server.post(timed(12));
  for (const stored of [1, 0]) expect((await server.post(timed(11))).json()).toMatchObject({ stored });
  expect((await server.post(timed(12))).json()).toMatchObject({ stored: 0, unchanged: 1 });
});

test('ING-21 a ring of blank nodes that only a statement of the server refers to is a state as well', async () => {
  const server = await postingServer();
  const ring = `_:x <${ex('p')}> _:y .\n_:y <${ex('p')}> _:x .\n`;
  const body = `<${ex('a')}> <${prov.generatedAtTime}> _:x .\n${ring}`;
  for (const stored of [1, 0]) expect((await server.post(body)).json()).toMatchObject({ stored });
});

test('ING-20 stores once what is posted twice at the same time', async () => {
  const server = await postingServer();
  const body = stateLines('s', 1) + versionLines('a/1', 'a', 1);
  const answers = await Promise.all(Array.from({ length: 6 }, () => server.post(body)));
  expect(answers.map((answer) => answer.json().stored).sort()).toEqual([0, 0, 0, 0, 0, 2]);
  expect(await server.members()).toHaveLength(2);
});

test('ING-23 gives the same answer to the same key and body, and stores nothing', async () => {
  const server = await postingServer();
  const first = await server.post(stateLines('a', 1), { 'idempotency-key': '"k-1"' });
  await server.post(stateLines('a', 2));
  const again = await server.post(stateLines('a', 1), { 'idempotency-key': 'k-1' });
  expect([again.statusCode, again.json(), again.headers.location]).toEqual([201, first.json(), first.headers.location]);
  expect(await server.members()).toHaveLength(2);
});

test('ING-23 refuses a key with another body, one in use and what is none', async () => {
  const server = await postingServer();
  const key = { 'idempotency-key': 'k' };
  const both = await Promise.all([server.post(stateLines('a', 1), key), server.post(stateLines('a', 1), key)]);
  expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409]);
  const busy = both.find(({ statusCode }) => statusCode === 409);
  expect([busy?.json().code, busy?.headers['retry-after']]).toEqual(['ERR_POST_KEY_BUSY', '1']);
  await server.refused(422, 'ERR_POST_KEY_REUSED', stateLines('a', 2), key);
  for (const none of ['', 'a b', 'é', 'x'.repeat(256)]) {
    await server.refused(400, 'ERR_POST_KEY', stateLines('a', 2), { 'idempotency-key': none });
  }
  expect((await server.post(stateLines('a', 2), { 'idempotency-key': 'x'.repeat(255) })).statusCode).toBe(201);
});

test('ING-23 forgets keys past their number and age, and those of posts that failed', async () => {
  const server = await postingServer({ ingest: { limits: { limitKeys: 2, limitKeyAgeMs: 1000 } } });
  const post = async (key: string, value: number | string) =>
    (await server.post(stateLines('a', value), { 'idempotency-key': key })).statusCode;
  expect(await post('failed', '\\')).toBe(400);
  expect(await post('failed', 1)).toBe(201);
  expect(await post('two', 2)).toBe(201);
  expect(await post('failed', 3)).toBe(422);
  expect(await post('three', 3)).toBe(201);
  // The third has taken the place of the first.
  expect(await post('failed', 4)).toBe(201);
  expect(await post('three', 5)).toBe(422);
  server.time.nowMs += 1000;
  expect(await post('three', 5)).toBe(201);
});

test('counts members by what became of them, and refusals by code', async () => {
  const server = await postingServer();
  await server.post(stateLines('a', 1) + versionLines('b/1', 'b', 1));
  await server.post(stateLines('a', 1) + versionLines('b/1', 'b', 1) + stateLines('c', 1));
  await server.post('x', { authorization: 'Bearer nonsense' });
  await server.post(`<${ex('a')}> nonsense .\n`);
  const { body } = await server.app.inject('/metrics');
  const sample = (name: string, labels: string) =>
    Number(new RegExp(`^${name}\\{stream="water",${labels}\\} (.*)$`, 'm').exec(body)?.[1]);
  expect(
    ['stored', 'unchanged', 'held'].map((result) => sample('ldes_live_posted_members_total', `result="${result}"`)),
  ).toEqual([3, 1, 1]);
  expect(sample('ldes_live_posts_refused_total', 'code="ERR_TOKEN_UNKNOWN"')).toBe(1);
  expect(sample('ldes_live_posts_refused_total', 'code="ERR_POST_MALFORMED"')).toBe(1);
  expect(sample('ldes_live_posts', 'state="reading"')).toBe(0);
  expect(sample('ldes_live_requests_total', 'kind="post",status="2xx"')).toBe(2);
  expect(sample('ldes_live_requests_total', 'kind="post",status="4xx"')).toBe(2);
});

test('a stream that takes posts has a source, which fails where the store does', async () => {
  const server = await postingServer();
  const health = async () => (await server.app.inject('/health')).json();
  const source = async () => (await health()).streams.water.sources;
  expect(await source()).toEqual([
    { origin: 'post', state: 'ok', polls: { good: 0, bad: 0 }, errors: {}, findings: {} },
  ]);
  await server.post(`<${ex('a')}> nonsense .\n`);
  expect(await health()).toMatchObject({ status: 'ok' });
  expect(await source()).toMatchObject([
    { state: 'ok', lastError: { code: 'ERR_POST_MALFORMED' }, errors: { ERR_POST_MALFORMED: 1 } },
  ]);
  const { append } = server.log;
  server.log.append = async () => {
    throw new StreamError('ERR_STORE_WRITE', 'The disk is full.');
  };
  const failed = await server.post(stateLines('a', 1));
  expect([failed.statusCode, failed.json().code, failed.headers['retry-after']]).toEqual([
    503,
    'ERR_POST_NOT_STORED',
    '5',
  ]);
  expect(await health()).toMatchObject({ status: 'degraded' });
  const failingSince = '2026-01-01T00:00:10.250Z';
  server.time.nowMs += 1000;
  await server.post(stateLines('a', 1));
  expect(await source()).toMatchObject([{ state: 'failing', failingSince }]);
  server.log.append = append;
  expect((await server.post(stateLines('a', 1))).statusCode).toBe(201);
  expect(await source()).toMatchObject([
    { state: 'ok', lastGoodAt: '2026-01-01T00:00:11.250Z', polls: { good: 1, bad: 3 } },
  ]);
  expect((await source())[0]).not.toHaveProperty('failingSince');
  expect((await health()).streams['read-only'].sources).toEqual([]);
});

test('of posts that the store does not take `post failed` is written once a minute, of others nothing', async () => {
  const server = await postingServer();
  server.log.append = async () => {
    throw new StreamError('ERR_STORE_WRITE', 'The disk is full.');
  };
  for (let nth = 0; nth < 50; nth += 1) {
    if (nth === 40) server.time.nowMs += 60_000;
    await server.refused(503, 'ERR_POST_NOT_STORED', stateLines('a', nth));
    await server.refused(400, 'ERR_POST_MALFORMED', `<${ex('a')}> nonsense .\n`);
  }
  const line = { level: 40, msg: 'post failed', stream: 'water', path: '/water', code: 'ERR_POST_NOT_STORED' };
  expect(server.lines).toMatchObject([line, { ...line, suppressed: 39, err: { message: 'The disk is full.' } }]);
});

test('ING-27 a fault of the server says what is stored too', async () => {
  const server = await postingServer({ ingest: { limits: { limitBatchMembers: 1 } } });
  const { append } = server.log;
  server.log.append = async (drafts) => {
    if (server.log.head.cursor.sequence === 2) throw new Error('a secret path');
    return append.call(server.log, drafts);
  };
  const failed = await server.post(['a', 'b', 'c', 'd'].map((name) => stateLines(name, 1)).join(''));
  expect([failed.statusCode, failed.json()]).toMatchObject([500, { code: 'ERR_INTERNAL', stored: 2 }]);
  expect(failed.body).not.toContain('secret');
  const health = await server.app.inject('/health');
  expect(health.json().streams.water.sources).toMatchObject([{ state: 'failing' }]);
});
