import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ingestLimits } from '../../src/ingest/ingest-limits.ts';
import type { IngestLimits } from '../../src/ingest/ingest-options.ts';
import { PostTurns } from '../../src/ingest/post-turns.ts';
import { ex, postingServer, stateLines } from './posting-server.ts';

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
  const tooLarge = (limit: string) => [413, 'ERR_POST_TOO_LARGE', limit];
  const tooMuch = (limit: string) => [413, 'ERR_POST_MEMBER_TOO_LARGE', limit];
  const taken = [201, undefined, undefined];
  expect(await answers({ limitBodyBytes: TWO.length }, TWO)).toEqual(taken);
  expect(await answers({ limitBodyBytes: TWO.length - 1 }, TWO)).toEqual(tooLarge('limitBodyBytes'));
  expect(await answers({ limitBodyBytes: TWO.length }, gzipSync(TWO), gzip)).toEqual(taken);
  expect(await answers({ limitBodyBytes: TWO.length - 1 }, gzipSync(TWO), gzip)).toEqual(tooLarge('limitBodyBytes'));
  expect(await answers({ limitBodyMembers: 2 }, TWO)).toEqual(taken);
  expect(await answers({ limitBodyMembers: 1 }, TWO)).toEqual(tooLarge('limitBodyMembers'));
  expect(await answers({ limitDocumentBytes: DOCUMENT.length }, DOCUMENT, JSON_LD)).toEqual(taken);
  expect(await answers({ limitDocumentBytes: DOCUMENT.length - 1 }, DOCUMENT, JSON_LD)).toEqual(
    tooLarge('limitDocumentBytes'),
  );
  expect(await answers({ limitMemberQuads: 2 }, TWO)).toEqual(taken);
  expect(await answers({ limitMemberQuads: 1 }, TWO)).toEqual(tooMuch('limitMemberQuads'));
  expect(await answers({ limitMemberCharacters: TERMS }, TWO)).toEqual(taken);
  expect(await answers({ limitMemberCharacters: TERMS - 1 }, TWO)).toEqual(tooMuch('limitMemberCharacters'));
  expect(await answers({ limitMemberCharacters: DOCUMENT.length }, `${DOCUMENT}\n`, NDJSON)).toEqual(taken);
  expect(await answers({ limitMemberCharacters: DOCUMENT.length - 1 }, `${DOCUMENT}\n`, NDJSON)).toEqual(
    tooMuch('limitMemberCharacters'),
  );
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

test.each(['application/n-quads', 'text/turtle', 'application/x-ndjson'])(
  'ING-40 a statement of %s that does not end is not read on',
  async (type) => {
    const body =
      type === 'application/x-ndjson'
        ? `{"@id": "${'x'.repeat(3000)}`
        : `<${ex('a')}> <${ex('p')}> "${'x'.repeat(3000)}`;
    const refused = await answers({ limitMemberCharacters: 1000 }, body, { 'content-type': type });
    expect(refused.slice(0, 2)).toEqual([413, 'ERR_POST_MEMBER_TOO_LARGE']);
  },
);

test('ING-40 limits are integers of 1 or more', () => {
  expect(ingestLimits({ limitPosts: 1 }).limitPosts).toBe(1);
  for (const limitPosts of [0, -1, 1.5, Number.NaN]) expect(() => ingestLimits({ limitPosts })).toThrow('limitPosts');
});

test('ING-41 refuses JSON that is nested too deep, before it is parsed', async () => {
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

test('ING-48 takes contexts up to their limits, and refuses those past them before they are processed', async () => {
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

test('ING-48 lets others have their turn within a large document', async () => {
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

test('ING-42 gives posts their turns in the order in which they come, and refuses those past the limit', async () => {
  const turns = new PostTurns({ limitPosts: 2, limitWaitingPosts: 2 });
  const order: number[] = [];
  const { signal } = new AbortController();
  const enter = (number: number) =>
    turns.enter(signal).then((end) => {
      order.push(number);
      return end;
    });
  const [first, , third, fourth] = [enter(1), enter(2), enter(3), enter(4)];
  await expect(turns.enter(signal)).rejects.toMatchObject({
    code: 'ERR_POSTS_WAITING',
    details: { limitWaitingPosts: 2, retryAfterSeconds: 1 },
  });
  expect([turns.reading, turns.waiting]).toEqual([2, 2]);
  (await first)?.();
  (await third)?.();
  await fourth;
  expect(order).toEqual([1, 2, 3, 4]);
  expect([turns.reading, turns.waiting]).toEqual([2, 0]);
});

test('ING-42 one that gives up its wait leaves its place to the next', async () => {
  const turns = new PostTurns({ limitPosts: 1, limitWaitingPosts: 1 });
  const { signal } = new AbortController();
  const end = await turns.enter(signal);
  const ending = new AbortController();
  const leaves = turns.enter(ending.signal);
  ending.abort(new Error('gone'));
  await expect(leaves).rejects.toThrow('gone');
  expect(turns.waiting).toBe(0);
  const next = turns.enter(signal);
  end();
  (await next)();
  expect(turns.reading).toBe(0);
});

test('ING-42 answers by 429 with Retry-After when too many posts wait', async () => {
  const server = await postingServer({ ingest: { limits: { limitPosts: 1, limitWaitingPosts: 1 } } });
  const all = await Promise.all([1, 2, 3].map((number) => server.post(stateLines(`a${number}`, 1))));
  expect(all.map(({ statusCode }) => statusCode).sort()).toEqual([201, 201, 429]);
  expect(all.find(({ statusCode }) => statusCode === 429)?.headers['retry-after']).toBe('1');
});
