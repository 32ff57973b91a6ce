import { literal, namedNode, parseQuads, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { compileMapping, parseMapping } from '../../src/mapping/compile.ts';
import type { ContextMapping } from '../../src/mapping/schema.ts';
import { mistakesOf, saidBy, urls, withDrafts } from './mapped.ts';

const fetched: string[] = [];
const toQuads = (document: object) =>
  parseQuads(JSON.stringify(document), 'jsonld', urls.streamUrl, {
    loadContext: async (url) => {
      fetched.push(url);
      throw new Error(`refused ${url}`);
    },
  });

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const context = {
  id: '@id',
  name: 'http://www.w3.org/2000/01/rdf-schema#label',
  free: 'https://e.example/free',
  place: 'https://e.example/place',
  seen: { '@id': 'http://purl.org/dc/terms/modified', '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' },
};
const mapped = async (document: unknown, more: Partial<ContextMapping> = {}, topic: string[] = []) => {
  const compiled = compileMapping(parseMapping({ context, ...more }), { ...urls, toQuads });
  return withDrafts(await compiled.map({ document, topic }));
};

test('MAP-27 a record is what the context makes of it', async () => {
  const record = { id: 'https://e.example/1', name: 'x', free: 3, seen: '2026-11-21T09:00:00Z', more: 1 };
  const more: Partial<ContextMapping> = { records: 'list[*]', versionTime: { path: 'seen' }, type: 'schema:Place' };
  const result = await mapped({ list: [record] }, more);
  expect(result.drafts[0]).toMatchObject({ entity: 'https://e.example/1', versionTime: '2026-11-21T09:00:00Z' });
  expect(saidBy(result)[0]?.sort()).toEqual([
    'free "3"^^integer',
    'label "x"',
    'modified "2026-11-21T09:00:00Z"^^dateTime',
    'resultTime "2026-11-21T09:00:00Z"^^dateTime',
    'type <http://schema.org/Place>',
  ]);
  expect(await result.unmapped()).toEqual(['more']);
});

test('MAP-27 a subject takes the place of the id', async () => {
  const { drafts } = await mapped([{ id: 'https://e.example/1', key: 7, name: 'x' }], {
    subject: '{+stream}/entities/{key}',
  });
  expect(drafts[0]?.entity).toBe('https://live.example.org/things/entities/7');
  expect(drafts[0]?.quads).toHaveLength(1);
});

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const PARTS = 'https://e.example/parts';

test('MAP-82 a record becomes 20,000 statements at most by a context, and what it does not read counts for nothing', async () => {
  const listed = { ...context, parts: PARTS, list: { '@id': PARTS, '@container': '@list' } };
  const records = [{ parts: 19_999 }, { parts: 20_001 }, { parts: 25_000 }, { list: 19_000 }, { more: 30_000 }].map(
    (counts, index) => ({
      id: `https://e.example/${index}`,
      name: 'x',
      ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, numbers(count)])),
    }),
  );
  const { drafts, problems } = await mapped(records, { context: listed, subject: '{+id}' });
  expect(drafts.map(({ entity, quads }) => [entity, quads.length])).toEqual([
    ['https://e.example/0', 20_000],
    ['https://e.example/4', 1],
  ]);
  expect(problems.map(({ details }) => /(?:becomes|reads) more than 20000 /.test(`${details.reason}`))).toEqual([
    true,
    true,
    true,
  ]);
});

test('MAP-27 nodes as deep as a long list, and nodes that many others have, are told apart', async () => {
  const open = { '@vocab': 'https://e.example/', id: '@id', list: { '@container': '@list' } } as const;
  const chain = (last: string) =>
    numbers(60).map((index) => {
      const next = { id: `_:${index + 1}` };
      return { id: `_:${index}`, a: next, b: next, n: index === 59 ? last : '' };
    });
  const record = (last: string) => ({ id: 'https://e.example/1', list: [...numbers(3000), last], chain: chain(last) });
  const [one, same, other] = await Promise.all(
    ['x', 'x', 'y'].map(async (last) => (await mapped([record(last)], { context: open })).entities[0]?.fingerprint),
  );
  expect(one).toBe(same);
  expect(other).not.toBe(one);
});

const unsound = ['javascript:alert(1)', 'https://e.example/a/../b', 'https://e.example:99999/', 'https://a@e.example/'];

test('MAP-27, MAP-8 what cannot be read, or is no IRI of an entity, is told, and the others are published', async () => {
  const graph = { ...context, items: { '@id': 'https://e.example/items', '@container': '@graph' } };
  const records = [
    { name: 'no id' },
    'text',
    { id: 'https://e.example/2', '@type': { a: 1 } },
    { id: 'https://e.example/3', items: [{ id: 'https://e.example/4', name: 'x' }] },
    ...unsound.map((id) => ({ id, name: 'x' })),
    { id: 'https://e.example/5', name: 'x' },
  ];
  const { drafts, problems } = await mapped(records, { context: graph });
  expect(drafts.map(({ entity }) => entity)).toEqual(['https://e.example/5']);
  expect(problems.map(({ code, details }) => [code, details.record])).toEqual(
    [1, 2, 3, 4, 5, 6, 7, 8].map((record) => ['ERR_MAPPING_RECORD', record]),
  );
});

test('MAP-13 what no text of RDF can say is a mistake of the record, whoever reads the JSON-LD', async () => {
  const names = [
    ...['', 'no language', 5].map((tag) => ({ '@value': 'x', '@language': tag })),
    ...['x', true].map((value) => ({ '@value': value, '@type': `${RDF}langString` })),
    'x\ud800',
    'x',
  ];
  const records = names.map((name, index) => ({ id: `https://e.example/${index}`, name }));
  const { drafts, problems, unreadableEntities } = await mapped(records);
  expect(drafts.map(({ entity }) => entity)).toEqual(['https://e.example/6']);
  expect(problems.map(({ details }) => details.record)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(unreadableEntities).toEqual([]);
  const untagged = literal('x', `${RDF}langString`);
  const careless = async () => [quad(namedNode('https://e.example/1'), namedNode('urn:p'), untagged)];
  const compiled = compileMapping(parseMapping({ context, subject: 'https://e.example/1' }), {
    ...urls,
    toQuads: careless,
  });
  expect(await compiled.map({ document: {} })).toMatchObject({
    entities: [],
    problems: [{ code: 'ERR_MAPPING_RECORD' }],
  });
});

test.each<[context: ContextMapping['context'], path: string]>([
  [{ '@language': '' }, 'context.@language'],
  [{ a: { '@id': 'urn:a', '@language': 'n l' } }, 'context.a.@language'],
  [[{}, { a: { '@id': 'urn:a', '@type': `${RDF}langString` } }], 'context.1.a.@type'],
])('MAP-13 what makes literals that no text of RDF can hold of every value is a mistake: %j', (odd, path) => {
  expect(mistakesOf({ context: odd }).map(({ path }) => path.join('.'))).toEqual([path]);
});

test('MAP-27 no part of a record gives it its IRI', async () => {
  const part = { id: 'https://e.example/part', name: 'x' };
  const backwards = { ...context, items: { '@reverse': 'https://e.example/of' } };
  const records = [
    { name: 'no id', place: part },
    { place: part },
    { id: '', name: 'an empty id' },
    { id: null, items: [part] },
    { id: 5, name: 'x' },
    { id: 'https://e.example/1', items: [part], name: 'x' },
    { id: 'https://e.example/2', place: { id: 'https://e.example/2' } },
  ];
  const { drafts, problems, unnamedRecords } = await mapped(records, { context: backwards });
  expect(drafts.map(({ entity }) => entity)).toEqual(['https://e.example/1', 'https://e.example/2']);
  expect(drafts.map(({ quads }) => quads.length)).toEqual([3, 1]);
  expect(problems.map(({ code, details }) => [code, details.record])).toEqual(
    [1, 2, 3, 4, 5].map((record) => ['ERR_MAPPING_RECORD', record]),
  );
  expect(unnamedRecords).toBe(5);
});

const ofTopic = { subject: '{+base}sensors/{$topic[0]}', type: 'sosa:Sensor' };
const fromTopic = (document: unknown, more: Partial<ContextMapping> = {}) =>
  mapped(document, { ...ofTopic, ...more }, ['s1']);

test.each([{ error: 1 }, { name: null }, {}, 5, 'offline'])(
  'MAP-6 the context makes nothing of %j, so it is no state of an entity that only the topic names',
  async (payload) => {
    const { drafts, problems, unreadableEntities } = await fromTopic(payload);
    expect(drafts).toEqual([]);
    expect(problems).toMatchObject([{ code: 'ERR_MAPPING_RECORD', details: { mapping: 'context' } }]);
    expect(unreadableEntities).toEqual(['https://live.example.org/sensors/s1']);
  },
);

const timed = { versionTime: { path: 'at' } };
test.each<[payload: object, count: number, more: Partial<ContextMapping>]>([
  [{ name: 'x' }, 1, {}],
  [{ at: '2026-11-21T09:00:00Z' }, 1, timed],
  [{ at: null }, 0, timed],
  [{ key: 1 }, 1, { subject: '{+base}{key}' }],
])('MAP-6 what the context makes, a time, or an IRI of the document is enough: %j %s', async (payload, count, more) => {
  expect((await fromTopic(payload, more)).drafts).toHaveLength(count);
});

test('MAP-27 a context of the record is dropped, and none is fetched', async () => {
  const remote = 'http://169.254.169.254/context.jsonld';
  const records = [{ '@context': remote, id: 'https://e.example/1', name: 'x' }];
  expect((await mapped(records)).drafts).toHaveLength(1);
  expect(fetched).toEqual([]);
  const { problems } = await mapped(records, { context: { ...context, '@import': remote } });
  expect(problems).toHaveLength(1);
});

test('MAP-27 content is compared whatever the order and the labels, but for what is ignored', async () => {
  const one = { id: 'https://e.example/1', place: [{ name: 'a' }, { name: 'b' }], seen: '2026-11-21T09:00:00Z' };
  const same = { seen: '2026-11-21T10:00:00Z', place: [{ name: 'b' }, { name: 'a' }], id: 'https://e.example/1' };
  const other = { ...same, place: [{ name: 'b' }] };
  const of = async (record: object) => (await mapped([record], { ignoreForChange: ['seen'] })).drafts[0]?.fingerprint;
  expect(await of(same)).toBe(await of(one));
  expect(await of(other)).not.toBe(await of(one));
});

test('MAP-25 its shape is open', () => {
  const { quads } = compileMapping({ context }, { ...urls, toQuads }).shape('https://e.example/shape');
  expect(quads.some(({ predicate }) => predicate.value.endsWith('#closed'))).toBe(false);
});

test('MAP-27 it needs to be told how JSON-LD is read', () => {
  expect(() => compileMapping({ context }, urls)).toThrow(expect.objectContaining({ code: 'ERR_SOURCE_OPTION' }));
});
