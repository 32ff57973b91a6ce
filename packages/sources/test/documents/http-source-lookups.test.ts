import { StreamError } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import type { CompiledMapping } from '../../src/mapping/compile.ts';
import type { MappedDocument, MappingInput } from '../../src/mapping/map-document.ts';
import type { Mapping } from '../../src/mapping/schema.ts';
import { LOOKUP_RETRY_MS } from '../../src/polling/documents.ts';
import { type FeedServer, ok, openFeedServer, status } from '../feed-server.ts';
import { accepted, failed } from '../polling.ts';
import {
  compiled,
  type DocumentPolling,
  garageMapping,
  garagePage,
  garages,
  HEADERS,
  INTERVAL_MS,
  labelsOf,
  PATH,
  pollDocuments,
  readingMapping,
  streamUrl,
} from './poll-documents.ts';

const LOOKUP_MS = 10 * INTERVAL_MS;

const namedMapping: Mapping = {
  ...garageMapping,
  lookups: { names: { records: 'names[*]', key: 'id', by: 'id' } },
  properties: [...garageMapping.properties, { path: '$names.name', predicate: 'rdfs:label' }],
};

const withNames = ({ origin }: FeedServer) => ({
  mapping: compiled(namedMapping),
  lookups: { names: { url: `${origin}/names`, intervalMs: LOOKUP_MS } },
});

function names(name: string): string {
  return JSON.stringify({ names: [{ id: 'g0', name }] });
}

/** Polls ten times a document whose lookup has come once: with the next poll it is asked for again. */
async function polledOften(headers?: Parameters<typeof ok>[1]) {
  const polling = await pollDocuments(withNames);
  polling.answers.set(PATH, ok(garages(2, 1)));
  polling.answers.set('/names', ok(names('North'), headers));
  for (let polls = 0; polls < 10; polls += 1) await polling.poll();
  return polling;
}

/** How many polls it takes until the lookup is asked for again. */
async function waitsOf({ asked, poll }: DocumentPolling): Promise<number> {
  asked();
  let waits = 0;
  while (!asked().includes('/names')) {
    await poll();
    waits += 1;
  }
  return waits;
}

test('SRC-10 nothing is published until the lookups have come, and then with what they say', async () => {
  const polling = await pollDocuments(withNames);
  const { answers, poll, latest, asked, serve } = polling;
  expect(await serve(garages(2, 1))).toMatchObject(failed('ERR_FEED_STATUS'));
  answers.set('/names', ok('<html>'));
  expect(await poll()).toMatchObject(failed('ERR_DOCUMENT_MALFORMED'));
  expect(asked()).toEqual(['/names', '/names']);
  expect(latest.size).toBe(0);
  answers.set('/names', ok(names('North')));
  expect(await poll()).toMatchObject(accepted(2));
  expect(labelsOf(polling)).toEqual(['North']);
});

test('SRC-10 a lookup is asked for at its own interval, by a condition', async () => {
  const { answers, poll, asked, server } = await polledOften({ etag: '"n"' });
  expect(asked().filter((path) => path === '/names')).toHaveLength(1);
  answers.set('/names', status(304));
  expect(await poll()).toMatchObject({ kind: 'unchanged' });
  expect(asked()).toEqual(['/names', PATH]);
  expect(server.requests.findLast(({ path }) => path === '/names')?.headers['if-none-match']).toBe('"n"');
});

test.each([
  ['a refusal', status(500)],
  ['a web page', ok('<html>')],
])('SRC-11 after %s a lookup stays as it was, is told of, and is asked for again within a minute', async (_, bad) => {
  const polling = await polledOften({ etag: '"n"' });
  const { answers, source, events, serve } = polling;
  answers.set('/names', bad);
  const problems = [{ code: expect.stringMatching(/^ERR_/) }];
  expect(await serve(garages(2, 2))).toMatchObject({ ...accepted(2), problems });
  expect(labelsOf(polling)).toEqual(['North']);
  const { errors, state } = source.health();
  expect({ state, count: Object.values(errors) }).toEqual({ state: 'ok', count: [1] });
  answers.set('/names', ok(names('South')));
  expect(await waitsOf(polling)).toBe(LOOKUP_RETRY_MS / INTERVAL_MS);
  expect(labelsOf(polling)).toEqual(['South']);
  expect(events.every(({ kind }) => kind !== 'failed')).toBe(true);
});

test('SRC-11 Retry-After of a lookup is respected', async () => {
  const polling = await polledOften();
  polling.answers.set('/names', status(429, { 'retry-after': '120' }));
  await polling.poll();
  expect((await waitsOf(polling)) * INTERVAL_MS).toBe(120_000);
});

test('SRC-11 a lookup without what should hold its records fails the poll, and is asked for whole with the next', async () => {
  const { answers, poll, latest, server } = await polledOften({ etag: '"n"' });
  answers.set('/names', ok('{"error": "quota"}', { etag: '"e"' }));
  expect(await poll()).toMatchObject(failed('ERR_MAPPING_RECORDS'));
  expect(latest.size).toBe(2);
  answers.set('/names', ok(names('North')));
  expect(await poll()).toMatchObject({ kind: 'unchanged' });
  expect(server.requests.findLast(({ path }) => path === '/names')?.headers).not.toHaveProperty('if-none-match');
});

test('SRC-10 a lookup that has changed is mapped anew, also where the document has not changed', async () => {
  const polling = await pollDocuments(withNames);
  const { answers, poll } = polling;
  answers.set(PATH, ok(garages(2, 1), { etag: '"d"' }));
  answers.set('/names', ok(names('North')));
  await poll();
  answers.set(PATH, status(304));
  for (let polls = 0; polls < 9; polls += 1) expect(await poll()).toMatchObject({ kind: 'unchanged' });
  answers.set('/names', ok(names('South')));
  expect(await poll()).toMatchObject(accepted(1, 0));
  expect(labelsOf(polling)).toEqual(['South']);
});

test('SRC-9 keys go with a lookup of the same origin, and not to another', async () => {
  const other = await openFeedServer(ok(names('North')));
  const elsewhere = await pollDocuments(() => ({
    mapping: compiled(namedMapping),
    headers: HEADERS,
    lookups: { names: { url: other.url } },
  }));
  elsewhere.answers.set(PATH, ok(garages(2, 1)));
  await elsewhere.poll();
  expect(other.requests[0]?.headers).not.toHaveProperty('x-api-key');
  const same = await pollDocuments((server) => ({ ...withNames(server), headers: HEADERS }));
  same.answers.set('/names', ok(names('North')));
  await same.poll();
  expect(same.server.requests[0]).toMatchObject({ path: '/names', headers: HEADERS });
});

const byNext = { pages: { next: 'next' } } as const;

/** Polls two pages, the first by PATH and the second as page 2, with tags if they have any. */
async function twoPages(first: readonly string[], second: readonly string[], tags?: readonly string[]) {
  const polling = await pollDocuments(byNext);
  const tagged = (index: number) => (tags ? { etag: `"${tags[index]}"` } : {});
  polling.answers.set(PATH, ok(garagePage(first, '?page=2'), tagged(0)));
  polling.answers.set(`${PATH}?page=2`, ok(garagePage(second), tagged(1)));
  await polling.poll();
  const tagsAsked = () => polling.server.requests.map(({ headers }) => headers['if-none-match']);
  return { ...polling, tagsAsked };
}

test.each([
  [
    'by the Link field',
    { pages: 'link' } as const,
    (next: string) => ok(garagePage(['a', 'b']), { link: `<?page=9>; rel=prev, <${next}>; REL="last Next"` }),
  ],
  ['by a path', byNext, (next: string) => ok(garagePage(['a', 'b'], next))],
])('SRC-5 a document that goes on %s is read to its end, page by page', async (_, options, first) => {
  const { answers, poll, latest, asked } = await pollDocuments(options);
  answers.set(PATH, first('?page=2'));
  answers.set(`${PATH}?page=2`, first('/feed.pb?page=3'));
  answers.set(`${PATH}?page=3`, ok(garagePage(['c'], null)));
  expect(await poll()).toMatchObject({ entities: 5, ...accepted(3, 0) });
  expect(latest.entities()).toEqual(['a', 'b', 'c'].map((id) => `${streamUrl}/${id}`));
  expect(asked()).toEqual([PATH, `${PATH}?page=2`, `${PATH}?page=3`]);
});

test('SRC-5 names in brackets lead to the next page too', async () => {
  const { answers, poll } = await pollDocuments({ pages: { next: '["@iot.nextLink"]' } });
  answers.set(PATH, ok('{"@iot.nextLink": "?page=2", "garages": [{"id": "a", "free": 1}]}'));
  answers.set(`${PATH}?page=2`, ok(garagePage(['b'])));
  expect(await poll()).toMatchObject(accepted(2));
});

test('SRC-5 a page that fails fails the poll, and nothing of the others is taken', async () => {
  const { answers, poll, latest } = await twoPages(['a', 'b'], ['c', 'd']);
  for (const bad of [status(500), ok('<html>')]) {
    answers.set(`${PATH}?page=2`, bad);
    expect(await poll()).toMatchObject({ kind: 'failed' });
    expect(latest.size).toBe(4);
  }
});

test.each(['file:///etc/passwd', 'http://', 17, ['?page=2']])(
  'SRC-5 what is no URL of the next page fails the poll: %j',
  async (next) => {
    const { serve } = await pollDocuments(byNext);
    expect(await serve(JSON.stringify({ next, garages: [] }))).toMatchObject(failed('ERR_PAGES_LINK'));
  },
);

test('SRC-5 as many pages as limitPages are read, and with one more states fail', async () => {
  const { answers, poll } = await pollDocuments({ ...byNext, limits: { limitPages: 2 } });
  answers.set(PATH, ok(garagePage(['a'], '?page=2')));
  answers.set(`${PATH}?page=2`, ok(garagePage(['b'])));
  expect(await poll()).toMatchObject(accepted(2));
  answers.set(`${PATH}?page=2`, ok(garagePage(['b'], '?page=3')));
  answers.set(`${PATH}?page=3`, ok(garagePage(['c'])));
  expect(await poll()).toMatchObject(failed('ERR_PAGES_TOO_MANY', { limitPages: 2 }));
});

test('SRC-5 of observations what is beyond limitPages is left unread, and counted', async () => {
  const { asked, serve } = await pollDocuments({
    ...byNext,
    limits: { limitPages: 1 },
    mapping: compiled(readingMapping),
  });
  expect(await serve('{"next": "?page=2", "readings": [{"id": 1, "sensor": "a", "value": 1}]}')).toMatchObject({
    kind: 'accepted',
    upserts: 1,
    findings: { pagesUnread: 1 },
  });
  expect(asked()).toEqual([PATH]);
});

test('SRC-5 limitBytes holds for all pages together', async () => {
  const first = garagePage(['a'], '?page=2');
  const second = garagePage(['b']);
  const limitBytes = first.length + second.length;
  const { answers, poll } = await pollDocuments({ ...byNext, limits: { limitBytes } });
  answers.set(PATH, ok(first, { etag: '"a"' }));
  answers.set(`${PATH}?page=2`, ok(second));
  expect(await poll()).toMatchObject({ kind: 'accepted', bytes: limitBytes });
  answers.set(PATH, status(304));
  answers.set(`${PATH}?page=2`, ok(`${second} `));
  expect(await poll()).toMatchObject({ error: { code: 'ERR_FEED_TOO_LARGE', details: { limitBytes } } });
});

test.each([
  ['itself', '/feed.pb'],
  ['the first', '?page=2'],
])('SRC-5 a page that leads to %s fails the poll', async (_, next) => {
  const { answers, poll } = await pollDocuments(byNext);
  answers.set(PATH, ok(garagePage(['a'], next)));
  answers.set(`${PATH}?page=2`, ok(garagePage(['b'], '/feed.pb')));
  expect(await poll()).toMatchObject(failed('ERR_PAGES_CYCLE'));
});

test('SRC-9 keys go with pages of the same origin, and not to another', async () => {
  const other = await openFeedServer(ok(garagePage(['c'])));
  const { answers, poll, server } = await pollDocuments(({ url }) => ({
    ...byNext,
    url: url.replace('//', '//user:pass@'),
    headers: HEADERS,
  }));
  answers.set(PATH, ok(garagePage(['a'], '?page=2')));
  answers.set(`${PATH}?page=2`, ok(garagePage(['b'], other.url)));
  expect(await poll()).toMatchObject(accepted(3));
  const sent = server.requests.map(({ headers }) => [headers['x-api-key'], headers.authorization]);
  expect(sent[0]).toEqual(['s3cret', expect.stringMatching(/^Basic /)]);
  expect(sent[1]).toEqual(sent[0]);
  expect(other.requests[0]?.headers).not.toHaveProperty('x-api-key');
  expect(other.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('SRC-5 each page is asked for by its own condition, and all together are unchanged only if each is', async () => {
  const { answers, poll, tagsAsked } = await twoPages(['a'], ['b'], ['1', '2']);
  answers.set(PATH, status(304));
  answers.set(`${PATH}?page=2`, status(304));
  expect(await poll()).toMatchObject({ kind: 'unchanged', by: 'status' });
  answers.set(`${PATH}?page=2`, ok(garagePage(['b', 'c']), { etag: '"3"' }));
  expect(await poll()).toMatchObject({ entities: 3, ...accepted(1, 0) });
  expect(tagsAsked().slice(2)).toEqual(['"1"', '"2"', '"1"', '"2"']);
});

test('SRC-5 after a poll that failed no page is asked for by a condition', async () => {
  const { answers, poll, tagsAsked } = await twoPages(['a'], ['b'], ['1', '2']);
  const good = answers.get(`${PATH}?page=2`);
  answers.set(`${PATH}?page=2`, status(500));
  await poll();
  if (good) answers.set(`${PATH}?page=2`, good);
  expect(await poll()).toMatchObject({ kind: 'unchanged', by: 'bytes' });
  expect(tagsAsked().slice(4)).toEqual([undefined, undefined]);
});

const NOTHING: MappedDocument = {
  ...{ entities: [], unreadableEntities: [], unnamedRecords: 0, findings: {}, problems: [], records: 0 },
  unmapped: async () => [],
};
const candidate = (entity: string) => ({ entity, fingerprint: '1', quads: () => [] });

/** A mapping that answers later, with what a test gives. */
function later(map: (input: MappingInput) => Partial<MappedDocument>): CompiledMapping {
  return {
    ...compiled(garageMapping),
    lookups: {},
    map: async (input) => {
      await new Promise(setImmediate);
      return { ...NOTHING, ...map(input) };
    },
  };
}

test('SRC-5 pages are summed up, and the first one says what the document is', async () => {
  const problem = new StreamError('ERR_TEST', 'no');
  const mapping = later(({ document }) => {
    const { next } = document as { next?: string };
    const page = next ? 1 : 2;
    return {
      records: 20,
      problems: Array.from({ length: 15 }, () => problem),
      findings: { odd: page, ...(page === 2 ? { other: 1 } : {}) },
      entities: [candidate(`urn:${page}`)],
      documentTimeMs: page,
      documentTtlMs: page * 60_000,
    };
  });
  const options = { mapping, pages: { next: 'next' }, intervalMs: undefined as never };
  const { answers, serve, source } = await pollDocuments(options);
  answers.set(`${PATH}?page=2`, ok(garagePage([], '')));
  const event = await serve(garagePage([], '?page=2'));
  expect(event).toMatchObject({ entities: 2, findings: { odd: 3, other: 1 } });
  expect('problems' in event && event.problems).toHaveLength(20);
  expect(source.health().dataAt).toBe(new Date(1).toISOString());
  expect(source.schedule()).toMatchObject({ intervalMs: 60_000 });
});

test('SRC-10 a lookup is read once as long as its bytes are the same', async () => {
  const seen: unknown[] = [];
  const mapping = later(({ lookups }) => {
    seen.push(lookups?.names);
    return {};
  });
  const { answers, serve } = await pollDocuments(({ origin }) => ({
    mapping: { ...mapping, lookups: { names: { key: 'id', by: 'id', reads: { format: 'csv' } } } },
    lookups: { names: { url: `${origin}/names` } },
  }));
  answers.set('/names', ok('id,name\ng0,North\n'));
  for (const document of ['1', '2']) await serve(document);
  expect(seen[0]).toEqual([{ id: 'g0', name: 'North' }]);
  expect(seen[1]).toBe(seen[0]);
});

test('SRC-3 records without a key and without a problem are none that can be read either', async () => {
  const { serve } = await pollDocuments({ mapping: later(() => ({ records: 1 })) });
  expect(await serve('{}')).toMatchObject(failed('ERR_RECORDS_UNREADABLE', { records: 1 }));
});

test('a document is looked at once in ten minutes, and what was seen holds until then', async () => {
  let looks = 0;
  const paths = ['a'];
  const unmapped = async () => {
    looks += 1;
    return [...paths];
  };
  const { serve, time } = await pollDocuments({ mapping: later(() => ({ unmapped })), intervalMs: 1 });
  await serve('0');
  const startMs = time.nowMs;
  const at = (afterMs: number) => {
    time.nowMs = startMs + afterMs;
    return serve(String(afterMs));
  };
  paths.push('b');
  expect(await at(599_999)).toMatchObject({ findings: { unmapped: 1 }, problems: [] });
  expect(looks).toBe(1);
  expect(await at(600_000)).toMatchObject({ findings: { unmapped: 2 }, problems: [{ details: { paths: ['b'] } }] });
  paths.length = 0;
  expect(await at(1_200_000)).toMatchObject({ findings: {}, problems: [] });
});
