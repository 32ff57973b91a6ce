import { expect, test } from 'vitest';
import { compileMapping, parseMapping } from '../../src/mapping/compile.ts';
import type { MappedDocument, MappingInput } from '../../src/mapping/map-document.ts';
import type { Mapping } from '../../src/mapping/schema.ts';
import { mapped, property, urls, valuesBy, withDrafts } from './mapped.ts';

const entities = (ids: readonly (string | number)[]) =>
  ids.map((id) => `https://live.example.org/things/entities/${id}`);

const count: Partial<Mapping> = property({ path: 'n', convert: 'integer', required: true });

test('MAP-6 the others are published, and the entity has not ended', () => {
  const { drafts, problems, unreadableEntities, findings, records } = mapped(count, [
    { id: 1, n: 1 },
    { id: 2, n: 'x' },
    { n: 3 },
  ]);
  expect(drafts.map(({ entity }) => entity)).toEqual(entities([1]));
  expect(unreadableEntities).toEqual(entities([2]));
  expect(findings).toEqual({ 'record-left-out': 2 });
  expect(records).toBe(3);
  expect(problems.map(({ code }) => code)).toEqual(['ERR_MAPPING_RECORD', 'ERR_MAPPING_RECORD']);
});

test('MAP-6 a problem has the record, the place, the line, the path and a sample', () => {
  const parsed = parseMapping({ subject: 'https://e.example/{id}', ...count });
  const lineOf = (path: readonly PropertyKey[]) => (path.join('.') === 'properties.0.convert' ? 12 : 1);
  const compiled = compileMapping(parsed, { ...urls, lineOf });
  const { problems } = compiled.map({ document: [{ id: 1, n: `x${'é'.repeat(100)}` }] }) as MappedDocument;
  expect(problems[0]?.details).toMatchObject({ record: 1, mapping: 'properties[0].convert', line: 12, path: 'n' });
  expect(problems[0]?.message).toContain('line 12');
  const sample = String(problems[0]?.details.sample);
  expect([...sample]).toHaveLength(80);
  expect(sample.startsWith('"xé')).toBe(true);
});

test('MAP-6 what has no fields is no record, where fields are all that is mapped', () => {
  const rubbish = [{ n: 1 }, 'str', 7, null, true, [1], ''];
  const keyed = { variables: { key: { path: '$key' } }, subject: '{+stream}/entities/{key}' };
  const { drafts, problems, records, unreadableEntities } = mapped({ ...keyed, ...property({ path: 'n' }) }, rubbish);
  expect(drafts.map(({ entity }) => entity)).toEqual(entities([0]));
  expect(problems.map(({ details }) => [details.mapping, details.sample])).toEqual(
    ['"str"', '7', 'true', '[1]'].map((sample) => ['records', sample]),
  );
  expect(records).toBe(5);
  expect(unreadableEntities).toEqual(entities([1, 2, 4, 5]));
  for (const path of ['$this', '["#text"]', 'n | $this', '[0]', '^[1]']) {
    const { drafts } = mapped({ ...keyed, ...property({ path }) }, ['str', 7]);
    expect(drafts.map(({ entity }) => entity)).toEqual(entities([0, 1]));
  }
  // Where nothing is read of them, that they are there is all.
  expect(mapped({ ...keyed, ...property({ path: '$key' }) }, ['str']).drafts).toHaveLength(1);
});

test.each([19, 20, 21])('MAP-6 of %i records that cannot be mapped, 20 at most are told one by one', (wrong) => {
  const { problems, findings } = mapped(
    count,
    Array.from({ length: wrong }, (_, id) => ({ id, n: 'x' })),
  );
  expect(problems).toHaveLength(Math.min(wrong, 20));
  expect(findings['record-left-out']).toBe(wrong);
});

test('MAP-6 nothing that a record holds stops the others', () => {
  const ids = [{}, [], '\ud800', Number.NaN, true].map((id) => ({ id }));
  const document = [null, '', 0, 'x', [], [[]], {}, ...ids, { id: 'ok', a: { b: 'urn:x:1' } }];
  const { drafts } = mapped(property({ path: 'a.b', iri: true }), document);
  expect(drafts.at(-1)?.entity).toBe(entities(['ok'])[0]);
});

const ofTopic: Partial<Mapping> = {
  subject: '{+base}sensors/{sensor}',
  variables: { sensor: { path: '$topic[0]' } },
  type: 'sosa:Sensor',
  properties: [
    { predicate: 'sosa:isHostedBy', iri: '{+base}sites/{$topic[1]}' },
    { predicate: 'dct:type', value: 'urn:x:thermometer', iri: true },
    { predicate: 'rdfs:label', path: 'name' },
    { predicate: 'qudt:value', node: { properties: [{ predicate: 'dct:title', path: 't' }] } },
  ],
};
const topic = ['s1', 'hall'];

test.each([5, 'offline', { error: 1 }, { name: null }, { name: '' }, {}])(
  'MAP-6 %j says nothing of an entity that only the topic names, and is left out',
  (payload) => {
    const { drafts, problems, unreadableEntities } = mapped(ofTopic, payload, { topic });
    expect(drafts).toEqual([]);
    expect(problems).toMatchObject([{ code: 'ERR_MAPPING_RECORD', details: { mapping: 'properties' } }]);
    expect(unreadableEntities).toEqual(['https://live.example.org/sensors/s1']);
  },
);

const ofTime = { ...ofTopic, versionTime: { path: 'at' } };
test.each<[mapping: Partial<Mapping>, payload: object, count: number]>([
  [ofTopic, { name: 'x' }, 1],
  [ofTopic, { t: 'x' }, 1],
  [ofTime, { at: '2026-11-21T09:00:00Z' }, 1],
  [ofTime, { at: null }, 0],
  // Where the IRI comes from the document, or nothing else is mapped, no more is asked for.
  [{ ...ofTopic, subject: '{+base}{id}' }, { id: 1 }, 1],
  [{ ...ofTopic, properties: [] }, { error: 1 }, 1],
])('MAP-6 one thing that is said makes a record: by %j of %j %s', (mapping, payload, count) => {
  expect(mapped(mapping, payload, { topic }).drafts).toHaveLength(count);
});

test('MAP-10 of two records of one entity the last counts', () => {
  const result = mapped(property({ path: 'n' }), [{ id: 1, n: 'a' }, { id: 2 }, { id: 1, n: 'b' }]);
  expect(result.drafts).toHaveLength(2);
  expect(valuesBy(result)[0]).toEqual(['"b"']);
  expect(result.findings).toEqual({ 'key-collision': 1 });
});

const mapping = parseMapping({
  kind: 'observation',
  subject: '{+base}observations/{id}',
  series: '{+base}sensors/{sensor}',
  versionTime: { path: 't' },
  properties: [{ predicate: 'sosa:hasSimpleResult', path: 'v', convert: 'decimal' }],
});
const observed = (document: unknown) => withDrafts(compileMapping(mapping, urls).map({ document }) as MappedDocument);

test('MAP-17 an observation has its own IRI, and is a version of what it is of', () => {
  const t = '2026-11-21T09:00:00Z';
  const { drafts } = observed([
    { id: 1, sensor: 's', v: '8.810', t },
    { id: 2, sensor: 's', v: 9, t },
  ]);
  expect(drafts.map(({ id, entity }) => [id, entity])).toEqual(
    [1, 2].map((id) => [`https://live.example.org/observations/${id}`, 'https://live.example.org/sensors/s']),
  );
  expect(drafts[0]?.quads.every(({ subject }) => subject.value === drafts[0]?.id)).toBe(true);
  expect(drafts[0]?.fingerprint).toBe(drafts[0]?.id);
});

test('MAP-17 nothing ends that is not observed', () => {
  const { unreadableEntities, problems } = observed([
    { id: 1, sensor: 's', v: 'x' },
    { id: 2, v: 1 },
  ]);
  expect(problems).toHaveLength(2);
  expect(unreadableEntities).toEqual([]);
});

test('MAP-18 a lookup has the last record of the key, compared as text; what none says is absent, and counted', () => {
  const properties = ['$sites.name', '$sites.$key'].map((path) => ({ predicate: 'rdfs:label', path }));
  const mapping = { lookups: { sites: { records: 'sites[*]', key: 'code', by: 'site' } }, properties };
  const lookups = { sites: { sites: [{ code: '7', name: 'old' }, { name: 'none' }, { code: 7, name: 'x' }] } };
  expect(valuesBy(mapped(mapping, [{ id: 1, site: 7 }], { lookups }))).toEqual([['"x"', '"2"^^integer']]);
  const { findings, problems } = mapped(mapping, [{ id: 1, site: 8 }, { id: 2 }], { lookups });
  expect([findings, problems]).toEqual([{ 'lookup-without-record:sites': 2 }, []]);
  expect(valuesBy(mapped(mapping, [{ id: 1, site: 7 }]))).toEqual([[]]);
});

const labels = property({ path: 'a[*]' });
const one = property({ path: 'a' });
const time = { versionTime: { path: 't' } };
const node = (...paths: string[]) => ({ properties: paths.map((path) => ({ predicate: `dct:${path.at(-1)}`, path })) });
const times = [{ t: '2026-11-21T09:00:00Z' }, { t: '2026-11-21T09:01:00Z' }];
const point = property({ paths: ['x', 'y'], convert: 'point' });
const points = [
  { x: 1, y: 2 },
  { x: 1, y: 3 },
];
const ignored = { ...property({ path: 'a.b', node: node('c', '^.d') }), ignoreForChange: ['a'] };
const parts = (...all: [b: number, c: number][]) => ({ a: all.map(([b, c]) => ({ c, b })) });

/** By a mapping: records, and which of them have the same fingerprint, by letters. */
test.each<[id: string, mapping: Partial<Mapping>, records: object[], same: string]>([
  ['MAP-21', labels, [{ a: ['x', 'y'] }, { a: ['y', 'x', 'x'] }, { a: ['xy'] }, {}], 'aabc'],
  ['MAP-21', property({ path: 'a[*]', node: node('b', 'c') }), [parts([1, 2], [3, 4]), parts([3, 4], [1, 2])], 'aa'],
  ['MAP-21', property({ path: 'a[*]', node: node('b', 'c') }), [parts([1, 2], [3, 4]), parts([1, 4], [3, 2])], 'ab'],
  ['MAP-21', time, times, 'ab'],
  ['MAP-21', { ...time, ignoreForChange: ['t'] }, times, 'aa'],
  // What is below an ignored path makes no change, however it is reached.
  [
    'MAP-22',
    ignored,
    [
      { a: { b: { c: 1 } }, d: 1 },
      { a: { b: { c: 2 } }, d: 1 },
      { a: { b: { c: 1 } }, d: 2 },
    ],
    'aaa',
  ],
  // A value of several paths is ignored when all of them are.
  ['MAP-22', point, points, 'ab'],
  ['MAP-22', { ...point, ignoreForChange: ['y'] }, points, 'ab'],
  ['MAP-22', { ...point, ignoreForChange: ['x', 'y'] }, points, 'aa'],
])('%s by %j the contents %j are %s', (_, mapping, records, same) => {
  const prints = records.map((record) => mapped(mapping, [{ id: 1, ...record }]).drafts[0]?.fingerprint);
  const distinct = [...new Set(prints)];
  expect(prints.map((print) => 'abc'[distinct.indexOf(print)]).join('')).toBe(same);
});

test('MAP-21 another class, datatype or language is another content', () => {
  const other = [{ language: 'nl' }, { datatype: 'https://e.example/x' }, { predicate: 'dct:title' }];
  const mappings = [one, { ...one, type: 'schema:Place' }, ...other.map((more) => property({ path: 'a', ...more }))];
  const prints = mappings.map((mapping) => mapped(mapping, [{ id: 1, a: 'x' }]).drafts[0]?.fingerprint);
  expect(new Set(prints).size).toBe(mappings.length);
});

test('MAP-22 $root paths can be ignored', () => {
  const mapping = { records: 'list[*]', ...property({ path: '$root.at' }), ignoreForChange: ['$root.at'] };
  const [first, other] = [1, 2].map((at) => mapped(mapping, { at, list: [{ id: 1 }] }).drafts[0]?.fingerprint);
  expect(first).toBe(other);
});

const beside = property({ path: 'a.b', iri: 'https://e.example/{value}/{c}' });
const ignoring = { ...property({ path: 'a.b' }), leftOut: ['c', 'g[*].h'], ignoreForChange: ['d.e'] };
const odd = { 'odd key': 3, g: [{ h: 1, i: 2 }], l: [1] };

test.each<[mapping: Partial<Mapping>, record: object, unmapped: string[]]>([
  [ignoring, { a: { b: 1, z: 2 }, c: { x: 1 }, d: { e: 1, f: 2 } }, ['a.z', 'd.f']],
  [ignoring, odd, ['["odd key"]', 'g[0].i', 'l']],
  // What a template takes from beside a value is accounted for where it stands.
  [beside, { a: { b: 1, c: 2 }, c: 3 }, ['a.c']],
])('MAP-23 by %j of %j every path that is not mapped is told, sorted: %j', async (mapping, record, unmapped) => {
  expect(await mapped(mapping, [{ id: 1, ...record }]).unmapped()).toEqual(unmapped);
});

test('MAP-23 a thousand fields of a document are looked for, however many it has', async () => {
  const columns = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`c${index}`, index]));
  const mapping = { subject: '{+stream}/{id}', properties: [] };
  expect(await mapped(mapping, [{ id: 1, ...columns }]).unmapped()).toHaveLength(1000);
});

test('a document says when it was made, and for how long it holds', () => {
  const facts = { records: 'list[*]', documentTime: { path: 'at', convert: 'epoch' }, documentTtl: { path: 'ttl' } };
  const said = { documentTimeMs: 1_700_000_000_000, documentTtlMs: 60_000 };
  expect(mapped(facts, { at: 1700000000, ttl: 60, list: [] })).toMatchObject(said);
  const wrong = mapped(facts, { at: 'soon', ttl: -1, list: [] });
  expect(wrong).not.toHaveProperty('documentTimeMs');
  expect(wrong.problems.map(({ details }) => details.record)).toEqual([0, 0]);
  expect(mapped(facts, { list: [] }).problems).toEqual([]);
});

test('MAP-41 the language of a single text stands beside its path', () => {
  const named = { ...property({ path: 'name', languagePath: 'language' }), records: 'list[*]' };
  const document = { language: 'fr', list: [{ id: 1, name: 'x', language: 'nl' }] };
  expect(valuesBy(mapped(named, document))).toEqual([['"x"@nl']]);
});

test.each(['no language', 'en_US', 7, { a: 1 }])('MAP-41 the tag %j is a mistake of the record', (language) => {
  const beside = property({ path: 'name[*].text', languagePath: 'language' });
  const { drafts, problems } = mapped(beside, [{ id: 1, name: [{ text: 'M', language }] }, { id: 2 }]);
  expect(drafts).toHaveLength(1);
  expect(problems).toMatchObject([{ details: { mapping: 'properties[0].languagePath', path: 'language' } }]);
});

const named = property({ path: 'name[*]', language: '$key' });

test.each<[name: unknown, values: string[]]>([
  [{ fi: 'Asema', sv: 'Station', en: 'Station' }, ['"Asema"@fi', '"Station"@en', '"Station"@sv']],
  [
    { 'PT-br': 'Estação', 'zh-Hant-TW': '站', 'sl-rozaj-biske': 'x' },
    ['"x"@sl-rozaj-biske', '"Estação"@pt-br', '"站"@zh-hant-tw'],
  ],
  [{ fi: null, sv: '' }, []],
  ['Mill', ['"Mill"']],
  [
    ['Mill', 'Molen'],
    ['"Mill"', '"Molen"'],
  ],
])('MAP-41 the names %j are %j', async (name, values) => {
  const document = mapped(named, [{ id: 1, name }]);
  expect(valuesBy(document)[0]?.sort()).toEqual([...values].sort());
  expect([document.problems, await document.unmapped()]).toEqual([[], []]);
});

test.each(['e', 'en_US', 'e n', '', 'en-', 'toolongalanguage', '0', 'en-1', 'x', 'de-419-DE', 'en>'])(
  'MAP-41 the key %j is not a language, and a mistake of the record',
  (key) => {
    const { drafts, problems } = mapped(named, [
      { id: 1, name: { [key]: 'x' } },
      { id: 2, name: { en: 'x' } },
    ]);
    expect(drafts).toHaveLength(1);
    expect(problems).toMatchObject([{ details: { mapping: 'properties[0].path', path: 'name[*]' } }]);
  },
);

test('MAP-41 a text within what has the language as its key has it too, converted or as a node', () => {
  const texts = { id: 1, name: { fi: { text: ' Asema ' } } };
  const deep = property({ path: 'name[*].text', convert: 'trim', language: '$key' });
  expect(valuesBy(mapped(deep, [texts]))).toEqual([['"Asema"@fi']]);
  const node = { properties: [{ predicate: 'rdf:value', path: 'text', language: '$key' }] };
  expect(valuesBy(mapped(property({ path: 'name[*]', node }), [texts]))[0]).toContain('" Asema "@fi');
});

/** Maps at once, or with others in between as often as the clock is asked for. */
const timed = (mapping: Partial<Mapping>, input: Partial<MappingInput>, stepMs: number) => {
  let nowMs = 0;
  const clock = () => {
    nowMs += stepMs;
    return nowMs;
  };
  const whole = parseMapping({ subject: '{+stream}/entities/{id}', properties: [], ...mapping });
  return compileMapping(whole, { ...urls, nowMs: clock }).map({ document: [], ...input });
};
const facts = async (mapped: MappedDocument) => {
  const { unreadableEntities, unnamedRecords, findings, problems, records } = mapped;
  const { drafts } = withDrafts(mapped);
  return { drafts, unreadableEntities, unnamedRecords, findings, problems, records, unmapped: await mapped.unmapped() };
};
const sited: Partial<Mapping> = {
  lookups: { sites: { key: 'code', by: 'site' } },
  properties: [
    { predicate: 'rdfs:label', path: '$sites.name' },
    { predicate: 'dct:type', path: 'n', datatype: 'xsd:integer' },
    { predicate: 'dct:relation', path: 'parts[*]', node: { properties: [{ predicate: 'dct:title', path: 'p' }] } },
  ],
};
const lookups = { sites: [{ code: 'a', name: 'A' }, { code: 'b', name: 'B' }, { code: {} }] };

test.each([50, 2000])('%i records are mapped the same at once and in slices', async (count) => {
  const document = Array.from({ length: count }, (_, id) => ({
    ...(id % 7 !== 6 && { id }),
    n: id % 5 === 4 ? 'x' : id,
    site: 'abc'[id % 3],
    ...(id % 2 === 1 && { parts: [{ p: id }, { p: 'z' }] }),
    ...(id === count - 1 && { more: 1 }),
  }));
  const input = { document: [null, ...document, document[0], ''], lookups };
  const atOnce = withDrafts(timed(sited, input, 0) as MappedDocument);
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  }, 0);
  const inSlices = timed(sited, input, 4);
  expect(inSlices).toBeInstanceOf(Promise);
  const mapped = await inSlices;
  clearInterval(others);
  expect(turns).toBeGreaterThan(0);
  expect(atOnce.records).toBe(count + 1);
  expect(await facts(mapped)).toEqual(await facts(atOnce));
  expect(mapped.findings['lookup-without-record:sites']).toBeGreaterThan(count / 6);
  expect(mapped.entities.map((entity) => entity.quads())).toEqual(atOnce.drafts.map(({ quads }) => quads));
  expect(mapped.findings).toEqual(atOnce.findings);
});

test('records in lists of lists are found in slices, the same as at once', async () => {
  const document = Array.from({ length: 50 }, (_, list) => [{ id: `${list}` }, { id: `${list}b` }]);
  const nested: Partial<Mapping> = { records: '[*][*]', properties: [{ predicate: 'dct:title', path: 'id' }] };
  const atOnce = timed(nested, { document }, 0) as MappedDocument;
  // The clock is asked once for each step: for the lists, then for the records.
  let asked = 0;
  const clock = () => {
    asked += 1;
    return 0;
  };
  const whole = parseMapping({ subject: '{+stream}/entities/{id}', properties: [], ...nested });
  expect(compileMapping(whole, { ...urls, nowMs: clock }).map({ document })).toMatchObject({ records: 100 });
  expect(asked).toBeGreaterThan(50 + 100);
  expect(await facts((await timed(nested, { document }, 4)) as MappedDocument)).toEqual(await facts(atOnce));
  expect(atOnce.entities.map(({ entity }) => entity.slice(-2)).slice(0, 3)).toEqual(['/0', '0b', '/1']);
});

test('MAP-18 a lookup that has nothing where its records should be is refused, once there are records', () => {
  const mapping = { lookups: { sites: { records: 'sites[*]', key: 'code', by: 'site' } } };
  const lookups = { sites: {} };
  const refused = expect.objectContaining({ code: 'ERR_MAPPING_RECORDS' });
  expect(() => mapped(mapping, [{ id: 1, site: 'a' }], { lookups })).toThrow(refused);
  expect(mapped(mapping, [], { lookups }).problems).toEqual([]);
});
