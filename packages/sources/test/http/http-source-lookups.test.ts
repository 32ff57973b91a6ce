import { expect, test } from 'vitest';
import { createHttpSource } from '../../src/http/http-source.ts';
import type { Mapping } from '../../src/mapping/mapping.ts';
import { LOOKUP_RETRY_MS } from '../../src/refresh-lookup.ts';
import { type FeedServer, ok, openFeedServer, status } from '../feed-server.ts';
import { compiled, garageMapping, garages, HEADERS } from './garages.ts';
import { INTERVAL_MS, pollDocuments } from './poll-documents.ts';

const PATH = '/feed.pb';
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

/** What the entity of the last batch that has a label is called. */
function label({ latest }: Awaited<ReturnType<typeof pollDocuments>>): string | undefined {
  const drafts = latest.batches.at(-1) ?? [];
  const quads = drafts.flatMap((draft) => (draft.kind === 'upsert' ? draft.quads : []));
  return quads.find(({ predicate }) => predicate.value.endsWith('#label'))?.object.value;
}

test('SRC-10 nothing is published until the lookups have come, and then with what they say', async () => {
  const polling = await pollDocuments(withNames);
  const { answers, poll, latest, asked } = polling;
  answers.set(PATH, ok(garages(2, 1)));
  expect(await poll()).toMatchObject({ kind: 'failed', error: { code: 'ERR_FEED_STATUS' } });
  answers.set('/names', ok('<html>'));
  expect(await poll()).toMatchObject({ kind: 'failed', error: { code: 'ERR_DOCUMENT_MALFORMED' } });
  expect(asked()).toEqual(['/names', '/names']);
  expect(latest.size).toBe(0);
  answers.set('/names', ok(names('North')));
  expect(await poll()).toMatchObject({ kind: 'taken', upserts: 2 });
  expect(label(polling)).toBe('North');
});

test('SRC-10 a lookup is asked for at its own interval, by a condition', async () => {
  const { answers, poll, asked, server } = await pollDocuments(withNames);
  answers.set(PATH, ok(garages(2, 1)));
  answers.set('/names', ok(names('North'), { etag: '"n"' }));
  for (let polls = 0; polls < 10; polls += 1) await poll();
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
  const polling = await pollDocuments(withNames);
  const { answers, poll, asked, source, events } = polling;
  answers.set(PATH, ok(garages(2, 1)));
  answers.set('/names', ok(names('North'), { etag: '"n"' }));
  for (let polls = 0; polls < 10; polls += 1) await poll();
  answers.set('/names', bad);
  answers.set(PATH, ok(garages(2, 2)));
  const event = await poll();
  expect(event).toMatchObject({ kind: 'taken', upserts: 2, problems: [{ code: expect.stringMatching(/^ERR_/) }] });
  expect(label(polling)).toBe('North');
  const { errors, state } = source.health();
  expect({ state, count: Object.values(errors) }).toEqual({ state: 'ok', count: [1] });
  asked();
  answers.set('/names', ok(names('South')));
  let waits = 0;
  while (!asked().includes('/names')) {
    await poll();
    waits += 1;
  }
  expect(waits).toBe(LOOKUP_RETRY_MS / INTERVAL_MS);
  expect(label(polling)).toBe('South');
  expect(events.every(({ kind }) => kind !== 'failed')).toBe(true);
});

test('SRC-11 Retry-After of a lookup is respected', async () => {
  const { answers, poll, asked } = await pollDocuments(withNames);
  answers.set(PATH, ok(garages(2, 1)));
  answers.set('/names', ok(names('North')));
  for (let polls = 0; polls < 10; polls += 1) await poll();
  answers.set('/names', status(429, { 'retry-after': '120' }));
  await poll();
  asked();
  let waits = 0;
  while (!asked().includes('/names')) {
    await poll();
    waits += 1;
  }
  expect(waits * INTERVAL_MS).toBe(120_000);
});

test('SRC-11 a lookup without what should hold its records fails the poll, and is asked for whole with the next', async () => {
  const { answers, poll, latest, server } = await pollDocuments(withNames);
  answers.set(PATH, ok(garages(2, 1)));
  answers.set('/names', ok(names('North'), { etag: '"n"' }));
  for (let polls = 0; polls < 10; polls += 1) await poll();
  answers.set('/names', ok('{"error": "quota"}', { etag: '"e"' }));
  expect(await poll()).toMatchObject({ kind: 'failed', error: { code: 'ERR_MAPPING_RECORDS' } });
  expect(latest.size).toBe(2);
  answers.set('/names', ok(names('North')));
  expect(await poll()).toMatchObject({ kind: 'unchanged' });
  expect(server.requests.findLast(({ path }) => path === '/names')?.headers).not.toHaveProperty('if-none-match');
});

test('SRC-12 a lookup that has changed is mapped anew, also where the document has not changed', async () => {
  const polling = await pollDocuments(withNames);
  const { answers, poll } = polling;
  answers.set(PATH, ok(garages(2, 1), { etag: '"d"' }));
  answers.set('/names', ok(names('North')));
  await poll();
  answers.set(PATH, status(304));
  for (let polls = 0; polls < 9; polls += 1) expect(await poll()).toMatchObject({ kind: 'unchanged' });
  answers.set('/names', ok(names('South')));
  expect(await poll()).toMatchObject({ kind: 'taken', upserts: 1, deletes: 0 });
  expect(label(polling)).toBe('South');
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

test.each([
  ['lookups["names"]', {}],
  ['lookups["names"].url', { names: { url: 'names.json' } }],
  ['lookups["names"].intervalMs', { names: { url: 'https://city.example/b', intervalMs: 0 } }],
])('the option %s is checked', (option, lookups) => {
  const mapping = compiled(namedMapping);
  expect(() => createHttpSource({ url: 'https://city.example/a', mapping, lookups })).toThrow(
    expect.objectContaining({ code: 'ERR_SOURCE_OPTION', details: expect.objectContaining({ option }) }),
  );
});
