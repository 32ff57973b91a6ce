import { expect, test } from 'vitest';
import { splitAlternatives } from '../../src/mapping/alternatives.ts';
import type { MappingInput } from '../../src/mapping/map-document.ts';
import { PathMistake, parsePath, stepsText } from '../../src/mapping/paths.ts';
import type { MappedProperty, Mapping } from '../../src/mapping/schema.ts';
import { mapped, mistakesOf, property, reasonsBy, valuesBy } from './mapped.ts';

const valueAt = (path: string, record: object, more = {}) =>
  valuesBy(mapped(property({ path, ...more }), [{ id: 1, ...record }]))[0];

const noPaths = `|.|a.|.a|a..b|a b|a[|a[-1]|a[x]|["a]|[""|a.$root|$a.$b|$key.a|a.^|^a|@|a[*|*|*.a|['a"]|['\\q']|$..a|$a[-1]|^.$root|a["\\q"]`;

test.each(noPaths.split('|'))('MAP-3 %j is no path, and is told as one', (path) => {
  expect(() => parsePath(path)).toThrow(PathMistake);
});

test('MAP-3 the steps of a path are written as it, in the shortest form', () => {
  const paths = ['a.b[0][*].c', '["@iot.id"]', '@id', 'Wartość', 'a["x\\"].y"]'];
  for (const path of paths) expect(stepsText(parsePath(path).steps)).toBe(path);
  expect(stepsText(parsePath('a["b"]').steps)).toBe('a.b');
});

test.each(
  Object.entries({
    $: '',
    '$.a.b': 'a.b',
    "$['a'][0].b": 'a[0].b',
    "$.a['b c'][*]": 'a["b c"][*]',
    'a.*.b': 'a[*].b',
    '$.*': '[*]',
    "['it\\'s \"\\u00e9\" | \\\\']": '["it\'s \\"é\\" | \\\\"]',
  }),
)('MAP-3 the JSONPath %s leads where %j does', (path, text) => {
  expect(splitAlternatives(path)).toEqual([path]);
  expect(parsePath(path)).toEqual(text === '' ? parsePath('$this') : parsePath(text));
});

test('MAP-3 $ is the record, and for records the document', () => {
  const mapping = { records: '$.data[*]', ...property({ path: "$['a'].b | $.b" }) };
  expect(valuesBy(mapped(mapping, { data: [{ id: 1, b: 'x' }] }))).toEqual([['"x"']]);
});

test('MAP-3 a mistake is told with the place of the path and where it ends to be one, and an unknown lookup too', () => {
  const mistakes = (path: string) => mistakesOf({ subject: 'https://e.example/{id}', ...property({ path }) });
  const message = expect.stringContaining('at character 4');
  expect(mistakes('a.b c')).toMatchObject([{ path: ['properties', 0, 'path'], message }]);
  expect(mistakes('$sites.name')).toMatchObject([{ message: expect.stringContaining('$sites') }]);
});

test.each<[path: string, record: object, values: string[]]>([
  ['a.b', { a: { b: 'x' } }, ['"x"']],
  ['a[1]', { a: ['x', 'y'] }, ['"y"']],
  ['a[0]', { a: 'x' }, ['"x"']],
  ['a[1]', { a: 'x' }, []],
  ['a[*]', { a: ['y', 'x', 'y', null, ''] }, ['"x"', '"y"']],
  ['a[*]', { a: { q: 'x', p: 'y' } }, ['"x"', '"y"']],
  ['a[*]', { a: 'x' }, ['"x"']],
  ['a[*].b', { a: [{ b: 'x' }, {}, { b: 'y' }] }, ['"x"', '"y"']],
  ['a[*][*]', { a: [['x'], ['y']] }, ['"x"', '"y"']],
  ['["a.b"]', { 'a.b': 'x' }, ['"x"']],
  ['a["#text"]', { a: 'x' }, ['"x"']],
  ['a["#text"]', { a: { '@unit': 'm', '#text': 'x' } }, ['"x"']],
  ['a["@value"]', { a: { '@value': 'x' } }, ['"x"']],
  ['$root[0].a', { a: 'x' }, ['"x"']],
  ['$key', {}, ['"0"^^integer']],
  ['^[0].a', { a: 'x' }, ['"x"']],
  ['^.^', {}, []],
  ['a.b', { a: 'x' }, []],
])('MAP-3 %s leads to what the table says, in %j', (path, record, values) => {
  expect(valueAt(path, record)).toEqual(values);
});

test('MAP-3 the key and the fields of what holds a record can be asked for', () => {
  const document = { so2: { unit: 'ug', rows: [{ v: 1 }, { v: 2 }] }, no2: { unit: 'mg', rows: [{ v: 3 }] } };
  const properties = ['^.unit', '^.$key'].map((path) => ({ predicate: 'dct:title', path }));
  const all = mapped({ records: '[*].rows[*]', subject: '{+stream}/{^.$key}/{$key}', properties }, document);
  expect(all.drafts.map(({ entity }) => entity.slice(-5))).toEqual(['no2/0', 'so2/0', 'so2/1']);
  expect(valuesBy(all).map(String)).toEqual(['"mg","no2"', '"ug","so2"', '"ug","so2"']);
});

const topic = ['city', 'hall', 'temperature'];
const [held, alone] = [{ records: 'data[*].of' }, { reads: { format: 'xml' }, records: 's[*]' }] as const;
test.each<[name: string, mapping: Partial<Mapping>, document: unknown, value: string]>([
  ['^ leads to the item', { ...held, ...property({ path: '^.at' }) }, { data: [{ at: 'x', of: { id: 7 } }] }, '"x"'],
  ['a record is a value', { subject: '{+stream}/1', ...property({ path: '$this' }) }, 21.5, '"21.5"^^decimal'],
  ['a child stands alone', { ...alone, ...property({ path: 'n' }) }, { s: { id: '1', n: 'x' } }, '"x"'],
])('MAP-3 %s', (_, mapping, document, value) => {
  expect(valuesBy(mapped(mapping, document))).toEqual([[value]]);
});

test('MAP-3 a topic names an entity', () => {
  const { drafts } = mapped({ subject: '{+stream}/{$topic[1]}' }, 1, { topic });
  expect(drafts[0]?.entity).toBe('https://live.example.org/things/hall');
});

test('MAP-11 converters are applied in order, and of a list that they make of one value one item is taken', () => {
  const convert = [{ decimal: { mark: ',' } }, { multiply: 2 }, { add: 0.25 }, 'round', 'integer'];
  expect(valueAt('a', { a: '1,5' }, { convert })).toEqual(['"3"^^integer']);
  const first = property({ path: 'a', convert: ['json', { item: 0 }] });
  const { drafts, problems } = mapped(first, [
    { id: 1, a: '[[7]]' },
    { id: 2, a: '[[7, 8]]' },
  ]);
  expect(drafts.map(({ quads }) => quads[0]?.object.value)).toEqual(['7']);
  expect(problems.map(({ details }) => details.reason)).toEqual(['one value was expected, and there are more']);
});

const absent = { constructor: {}, '__proto__.a': {}, 'a.length': { a: 'text' }, toString: {} };
test.each([['a', { a: null }], ['a', { a: '' }], ['a', {}], ...Object.entries(absent)])(
  'MAP-4 %s of %j is absent',
  (path, record) => expect(valueAt(path as string, record as object)).toEqual([]),
);

test.each([
  ['a.b', { a: [{ b: 1 }] }],
  ['a', { a: [1] }],
  ['a', { a: { b: 1 } }],
  ['a[*]', { a: [[1]] }],
])('MAP-4 %s of %j is a mistake of the record', (path, record) => {
  const { problems, drafts } = mapped(property({ path }), [{ id: 1, ...record }, { id: 2 }]);
  expect([problems.length, drafts.length]).toEqual([1, 1]);
});

const refused = expect.objectContaining({ code: 'ERR_MAPPING_RECORDS' });
const xml = { reads: { format: 'xml' } } as const;
const rooted = { reads: { format: 'xml', root: 'sites' } } as const;
const keyed = { subject: '{+stream}/{id}', variables: { id: { path: '$key' } } };

/** How many drafts there are of documents by where records are; none where each is refused. */
test.each<[id: string, records: string, count: number | undefined, more: Partial<Mapping>, documents: unknown[]]>([
  ['MAP-5', 'data.list[*]', undefined, {}, [{ error: 'down' }, { data: {} }]],
  ['MAP-5', 'data.list[*]', undefined, {}, [null, '', {}, [null]].map((list) => ({ data: { list } }))],
  ['MAP-5', 'data.list', undefined, {}, [null, {}, []].map((error) => ({ data: { error } }))],
  ['MAP-5', 'data.list[*]', 0, {}, [{ data: { list: [] } }]],
  ['MAP-5', 'list[*]', 0, keyed, [{ list: {} }]],
  ['MAP-5', 'list[*]', 1, keyed, [{ list: { a: { x: 1 } } }]],
  ['MAP-5', 'list[*]', undefined, keyed, [{ list: null }]],
  // A language that is a key is none of the records.
  ['MAP-41', 'list[*]', undefined, property({ path: 'name[*]', language: '$key' }), [{ list: {} }]],
  ['MAP-5', 'a[*].b', undefined, {}, [[{ a: [{ b: { id: 1 } }] }]]],
  // Of lists within lists one has to be empty.
  ['MAP-5', 'a[*].b[*]', 0, {}, [{ a: [] }, { a: [{ b: [] }, {}] }]],
  ['MAP-5', 'a[*].b[*]', undefined, {}, [[{ error: 1 }], [{ b: null }], [5]].map((a) => ({ a }))],
  ['MAP-5', 'a[*] | b[*]', 1, {}, [{ a: null, b: [{ id: 1 }] }]],
  ['MAP-5', 'a[*] | b[*]', 0, {}, [{ b: [] }]],
  ['MAP-5', 'a[*] | b[*]', undefined, {}, [{ a: null, b: '' }]],
  // An element of XML without children has no records; a root without children only if its name is known.
  ['MAP-5', 'table.site[*]', 0, xml, [{ table: '' }, { table: { time: 'x' } }]],
  ['MAP-5', 'table.site[*]', undefined, xml, [{ fault: 'x' }]],
  ['MAP-5', 'site[*]', undefined, xml, ['', { body: 'Service unavailable' }, { '@updated': 'x' }]],
  ['MAP-5', 'site[*]', 0, rooted, ['', { body: 'Service unavailable' }, { '@updated': 'x' }]],
  ['MAP-5', 'site[*]', 1, xml, [{ site: { id: 1 } }]],
])('%s at %s there are %s records, with %j, of %j', (_, records, count, more, documents) => {
  for (const document of documents) {
    const counted = () => mapped({ records, ...more }, document).drafts.length;
    if (count === undefined) expect(counted).toThrow(refused);
    else expect(counted()).toBe(count);
  }
});

test('MAP-5 a document in which the path leads into a list by a name is refused, and the reason said', () => {
  const document = { a: [[{ b: [{ id: 1 }] }]] };
  const reason = { code: 'ERR_MAPPING_RECORDS', message: expect.stringContaining('[*] leads to each') };
  expect(() => mapped({ records: 'a[*].b[*]' }, document)).toThrow(expect.objectContaining(reason));
});

test('MAP-5 without a path they are the items, the features, or the document', () => {
  expect(mapped({}, [{ id: 1 }, { id: 2 }]).records).toBe(2);
  expect(mapped({}, { id: 1 }).records).toBe(1);
  expect(mapped({ reads: { format: 'geojson' } }, { features: [{ id: 1 }, { id: 2 }] }).records).toBe(2);
  expect(mapped({}, []).records).toBe(0);
  for (const document of [null, '', [null]]) expect(() => mapped({}, document)).toThrow(refused);
});

test('MAP-5 a list where one record should be is told', () => {
  expect(reasonsBy(mapped({ records: 'data' }, { data: [{ id: 1 }] }))[0]).toContain('[*]');
});

const label = (path: string, more: Partial<MappedProperty> = {}) => property({ path, ...more });
/** The labels of each entity. */
const labels = (mapping: Partial<Mapping>, document: unknown, more?: Partial<MappingInput>) =>
  valuesBy(mapped(mapping, document, more)).map((values) => values.map((value) => value.replaceAll('"', '')));

test('MAP-3 alternatives stand between bars, which in a name in brackets are part of it', () => {
  expect(splitAlternatives('a')).toEqual(['a']);
  expect(splitAlternatives('a.b | c[*]|d')).toEqual(['a.b', 'c[*]', 'd']);
  expect(splitAlternatives('["a | b"].c | ["\\" | "]')).toEqual(['["a | b"].c', '["\\" | "]']);
});

const languages = label('name[*].text | name', { languagePath: 'language' });

test.each<[id: string, mapping: Partial<Mapping>, records: object[], labels: string[][]]>([
  ['MAP-3', label('a | b'), [{ a: 'A', b: 'B' }, { a: null, b: 'B' }, { a: '' }], [['A'], ['B'], []]],
  ['MAP-3', label('a | b'), [{ a: 0, b: 'B' }], [['0^^integer']]],
  // One that cannot be followed leads nowhere, but a list without items is one.
  ['MAP-3', label('a.value[*] | a[*]'), [{ a: ['x', 'y'] }, { a: { value: ['z'] } }], [['x', 'y'], ['z']]],
  ['MAP-3', label('a.value[*] | a[*]'), [{ a: { value: [] } }], [[]]],
  ['MAP-3', label('a.value | a'), [{ a: 'x' }, { a: { value: 'y' } }], [['x'], ['y']]],
  ['MAP-41', languages, [{ name: [{ text: 'Mill', language: 'en' }, { text: '?' }] }], [['?', 'Mill@en']]],
  ['MAP-41', languages, [{ name: [{ text: 'Molen', language: 'nl-BE' }] }], [['Molen@nl-be']]],
  ['MAP-41', languages, [{ name: 'Mill' }], [['Mill']]],
])('%s by %j records %j have the labels %j, and nothing is left', async (_, mapping, records, expected) => {
  const document = records.map((record, id) => ({ id, ...record }));
  expect(labels(mapping, document)).toEqual(expected);
  const result = mapped(mapping, document);
  expect([result.problems, await result.unmapped()]).toEqual([[], []]);
});

test('MAP-3 the last alternative has to be followed, and each has to be a path', () => {
  const lists = [['x', 'y'], ['x']].map((a, id) => ({ id, a }));
  expect(mapped(label('b | a.value'), lists).problems).toHaveLength(2);
  expect(mapped(label('b[*] | a.value[*]'), [{ id: 1, a: ['x'] }]).problems).toHaveLength(1);
  for (const path of ['a | ', ' | a', 'a | b..c']) {
    expect(() => mapped(label(path), [])).toThrow(expect.objectContaining({ code: 'ERR_MAPPING_INVALID' }));
  }
});

test('MAP-3 records are where the first alternative that is there says', () => {
  const mapping = { ...label('n'), records: 'old.items[*] | items[*] | [*]' };
  expect(labels(mapping, { old: { items: [{ id: 1, n: 'old' }] }, items: [{ id: 2, n: 'new' }] })).toEqual([['old']]);
  expect(labels(mapping, { items: [{ id: 2, n: 'new' }] })).toEqual([['new']]);
  expect(labels(mapping, { items: [] })).toEqual([]);
  expect(labels(mapping, [{ id: 3, n: 'bare' }])).toEqual([['bare']]);
});

const lookups = { sensors: { key: 'code', by: 'kind', convert: 'upper' } } as const;
const sensors = [
  { code: 'PM10', name: 'dust', made: 1999 },
  { code: 'NO2', name: 'gas', serial: 5 },
];
const named: Partial<Mapping> = { ...label('$sensors.name'), lookups };
const leftOut = ['$sensors.made'];

test('MAP-18 what leads to a record of a lookup can be converted', () => {
  const document = ['pm10', 'so2'].map((kind, id) => ({ id, kind }));
  expect(labels(named, document, { lookups: { sensors } })).toEqual([['dust'], []]);
});

const node = { properties: [{ predicate: 'rdfs:label', path: 'name' }] };

test.each<[id: string, mapping: Partial<Mapping>, record: object, unmapped: string[]]>([
  ['MAP-3', label('a | b'), { a: 'x', b: 'y', c: 'z' }, ['c']],
  // The fields of records that fit are accounted for, and account for none of the record.
  ['MAP-18', named, { kind: 'pm10' }, ['$sensors.made']],
  ['MAP-18', { ...named, leftOut }, { kind: 'pm10' }, []],
  ['MAP-18', { ...named, leftOut }, { kind: 'pm10', made: 2001 }, ['made']],
  ['MAP-23', label('makers[*]', { node }), { makers: [{ name: 'x', age: 5 }] }, ['makers[0].age']],
  ['MAP-23', { ...label('a.value'), leftOut: ['[*].type'] }, { a: { value: 'x', type: 't' }, b: { type: 't' } }, []],
  ['MAP-23', { ...label('a'), leftOut: ['[*].type'] }, { c: { type: 't', d: 1 }, e: null }, ['c.d']],
])('%s by %j of %j the fields %j are left', async (_, mapping, record, unmapped) => {
  expect(await mapped(mapping, [{ id: 1, ...record }], { lookups: { sensors } }).unmapped()).toEqual(unmapped);
});
