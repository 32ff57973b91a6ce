import { expect, test } from 'vitest';
import type { MappedProperty } from '../../src/mapping/schema.ts';
import { mapped, mistakesOf, property, reasonsBy, saidBy, valuesBy } from './mapped.ts';

const values = (one: Partial<MappedProperty>, record: object) =>
  valuesBy(mapped(property(one), [{ id: 1, ...record }]))[0];
const reasons = (one: Partial<MappedProperty>, record: object) =>
  reasonsBy(mapped(property(one), [{ id: 1, ...record }]));

const at = (path: string, more: Partial<MappedProperty> = {}): Partial<MappedProperty> => ({ path, ...more });

/** A property, a record, and the values that it has by it. */
test.each<[id: string, one: Partial<MappedProperty>, record: object, values: string[]]>([
  ['MAP-11', at('a[*]'), { a: ['b', 'a', 'b'] }, ['"a"', '"b"']],
  ['MAP-11', at('a[*]'), { a: ['a', 'b'] }, ['"a"', '"b"']],
  ['MAP-11', { value: 'x' }, {}, ['"x"']],
  ['MAP-11', { value: false }, {}, ['"false"^^boolean']],
  ['MAP-11', { value: 'unit:M', iri: true }, {}, ['<http://qudt.org/vocab/unit/M>']],
  ['MAP-11', { paths: ['x', 'y'], convert: 'point' }, { x: 3.7, y: 51 }, ['"POINT (3.7 51)"^^wktLiteral']],
  ['MAP-11', { paths: ['x', 'y'], convert: 'point' }, { x: 3.7 }, []],
  ['MAP-11', at('a', { convert: [{ multiply: 0.001 }, { round: 1 }] }), { a: 1234 }, ['"1.2"^^decimal']],
  ['MAP-11', at('a', { convert: [{ split: ';' }, 'trim', 'upper'] }), { a: 'x ; y;' }, ['"X"', '"Y"']],
  ['MAP-11', at('a', { convert: 'upper' }), { a: null }, []],
  ['MAP-11', at('a', { convert: [{ sentinel: [-999] }, { default: 'none' }] }), { a: -999 }, ['"none"']],
  ['MAP-13', at('a'), { a: 'x' }, ['"x"']],
  ['MAP-13', at('a'), { a: 'x\u{1f600}' }, ['"x\u{1f600}"']],
  ['MAP-13', at('a', { language: 'nl' }), { a: 'x\u{1f600}' }, ['"x\u{1f600}"@nl']],
  ['MAP-13', at('a', { languagePath: 'l' }), { a: 'x\u{1f600}' }, ['"x\u{1f600}"']],
  ['MAP-13', at('a', { datatype: 'https://e.example/x' }), { a: 'x\u{1f600}' }, ['"x\u{1f600}"^^https://e.example/x']],
  ['MAP-13', at('a'), { a: 4 }, ['"4"^^integer']],
  ['MAP-13', at('a'), { a: 4.5 }, ['"4.5"^^decimal']],
  ['MAP-13', at('a'), { a: 1e-7 }, ['"0.0000001"^^decimal']],
  ['MAP-13', at('a'), { a: 1e21 }, ['"1000000000000000000000"^^integer']],
  ['MAP-13', at('a'), { a: true }, ['"true"^^boolean']],
  ['MAP-13', at('a', { convert: 'decimal' }), { a: '4.50' }, ['"4.50"^^decimal']],
  ['MAP-13', at('a', { convert: [{ sentinel: [0] }, 'epoch'] }), { a: 1 }, ['"1970-01-01T00:00:01Z"^^dateTime']],
  ['MAP-13', at('a', { convert: ['epoch', 'lower'] }), { a: 1 }, ['"1970-01-01t00:00:01z"']],
  ['MAP-13', at('a', { datatype: 'xsd:double' }), { a: '1e3' }, ['"1e3"^^double']],
  ['MAP-13', at('a', { datatype: 'https://e.example/level' }), { a: 3 }, ['"3"^^https://e.example/level']],
  ['MAP-13', at('a', { language: 'NL-be' }), { a: 'x' }, ['"x"@nl-be']],
  ['MAP-13', at('a', { iri: true }), { a: 'urn:x:1' }, ['<urn:x:1>']],
  // One that looks like a compact IRI is none.
  ['MAP-13', at('a', { iri: true }), { a: 'dct:title' }, ['<dct:title>']],
  ['MAP-13', at('a', { iri: '{+base}id/{value}' }), { a: 'a/b' }, ['<https://live.example.org/id/a%2Fb>']],
  [
    'MAP-13',
    at('a', { datatype: 'xsd:dateTime' }),
    { a: '2026-11-21T09:00:00Z' },
    ['"2026-11-21T09:00:00Z"^^dateTime'],
  ],
])('%s the property %j of %j has the values %j', (_, one, record, made) => {
  expect(values(one, record)).toEqual(made);
});

/** What a mistake of the record is about. */
test.each<[id: string, one: Partial<MappedProperty>, a: unknown, reason?: string]>([
  ['MAP-11', { convert: 'upper' }, ['x'], '[*]'],
  ['MAP-13', { datatype: 'xsd:integer' }, '4.5'],
  ['MAP-13', { datatype: 'xsd:integer' }, 4.5],
  ['MAP-13', { datatype: 'xsd:boolean' }, 'yes'],
  ['MAP-13', { datatype: 'xsd:date' }, '2026-13-01'],
  ['MAP-13', { datatype: 'xsd:dateTime' }, '2026-11-21T09:00:00'],
  ['MAP-13', { datatype: 'xsd:duration' }, '5 minutes'],
  ['MAP-13', { convert: ['integer', { default: 'x' }] }, null],
  ['MAP-13', { iri: true }, 'not an iri'],
  ['MAP-13', { iri: true }, '//e.example'],
  ['MAP-13', { iri: true }, 'urn:x:<'],
  ['MAP-13', {}, Number.POSITIVE_INFINITY],
  ['MAP-13', { iri: 'https://e.example/{value}' }, '\ud800'],
  ...[{}, { language: 'nl' }, { languagePath: 'l' }, { datatype: 'https://e.example/x' }].map(
    (how): [string, object, string, string] => ['MAP-13', how, 'x\ud800', 'a text of whole Unicode characters'],
  ),
  ['MAP-14', { required: true }, undefined],
])('%s the property %j of %j is a mistake of the record', (_, one, a, reason = '') => {
  expect(reasons({ path: 'a', ...one }, { a })).toEqual([expect.stringContaining(reason)]);
});

test.each(['dct:title', 'mv:capacity', 'https://e.example/p', 'urn:x:p'])('MAP-7 %s is known', (predicate) => {
  expect(mistakesOf({ subject: 'https://e.example/{id}', properties: [{ predicate, path: 'a' }] })).toEqual([]);
});

test('MAP-7 prefixes of the mapping come before the known ones', () => {
  const mapping = { prefixes: { dct: 'https://e.example/' }, ...property({ predicate: 'dct:a', value: 1 }) };
  const { drafts } = mapped(mapping, [{ id: 1 }]);
  expect(drafts[0]?.quads[0]?.predicate.value).toBe('https://e.example/a');
});

test('MAP-7 a namespace may begin with the place of the server or of the stream', () => {
  const said = (own: string) => {
    const mapping = { prefixes: { own }, ...property({ predicate: 'own:a', value: 1 }), type: 'own:B' };
    const { drafts } = mapped(mapping, [{ id: 1 }]);
    return drafts[0]?.quads.flatMap(({ predicate, object }) => [predicate.value, object.value]);
  };
  expect(said('{+stream}/terms#')).toContain('https://live.example.org/things/terms#a');
  expect(said('{+stream}/terms#')).toContain('https://live.example.org/things/terms#B');
  expect(said('{+base}id/')).toContain('https://live.example.org/id/a');
});

test('MAP-14 a node without a required value is not written', () => {
  const node = {
    properties: [
      { predicate: 'dct:title', path: 'a', required: true },
      { predicate: 'dct:source', path: 'b' },
    ],
  };
  expect(values({ node }, { b: 1 })).toEqual([]);
  expect(values({ node, required: true }, { a: 1 })).toEqual(['_:b0', '"1"^^integer']);
  expect(reasons({ node, required: true }, { b: 1 })).toHaveLength(1);
});

test('MAP-15 the version time keeps its zone, and is said once', () => {
  const time = '2024-01-15T09:09:43+01:00';
  const result = mapped({ versionTime: { path: 't' } }, [{ id: 1, t: time }]);
  expect(result.drafts[0]?.versionTime).toBe(time);
  expect(saidBy(result)).toEqual([[`resultTime "${time}"^^dateTime`]]);
  const own = {
    versionTime: { path: 't' },
    ...property({ predicate: 'sosa:resultTime', path: 't', convert: 'iso' }),
  };
  expect(saidBy(mapped(own, [{ id: 1, t: time }]))[0]).toHaveLength(1);
  expect(mapped({ versionTime: { path: 't' } }, [{ id: 1 }]).drafts[0]?.versionTime).toBeUndefined();
});

test('MAP-15 a time without a zone is a mistake, unless the mapping has one', () => {
  const local = [{ id: 1, t: '2024-01-15T09:09:43' }];
  expect(mapped({ versionTime: { path: 't' } }, local).problems).toHaveLength(1);
  const { drafts } = mapped({ timeZone: 'Europe/Brussels', versionTime: { path: 't' } }, local);
  expect(drafts[0]?.versionTime).toBe('2024-01-15T09:09:43+01:00');
});

const quantity = {
  type: 'qudt:QuantityValue',
  properties: [
    { predicate: 'qudt:numericValue', path: 'v' },
    { predicate: 'qudt:hasUnit', value: 'unit:M', iri: true as const },
  ],
};

test('MAP-16 a node has what is said of it, of the record or of the value of its path, and more than constants', () => {
  const said = ['type <http://qudt.org/schema/qudt/QuantityValue>', 'numericValue "3"^^integer'];
  const lines = [...said, 'hasUnit <http://qudt.org/vocab/unit/M>'].map((line) => `_:b0 ${line}`);
  expect(saidBy(mapped(property({ node: quantity }), [{ id: 1, v: 3 }, { id: 2 }]))).toEqual([
    ['label _:b0', ...lines],
    [],
  ]);
  const each = mapped(property({ path: 'q[*]', node: quantity }), [{ id: 1, q: [{ v: 1 }, { v: 2 }] }]);
  expect(saidBy(each)[0]).toHaveLength(8);
});

test('MAP-16 a node with a subject has that IRI, and is not written where it lacks a variable', () => {
  const node = {
    subject: '{+subject}#{code}',
    properties: [
      { predicate: 'dct:title', path: '^.name' },
      { predicate: 'dct:source', path: '$key' },
    ],
  };
  const result = mapped(property({ path: 'list[*]', node }), [{ id: 1, name: 'n', list: [{ code: 'x' }, {}] }]);
  expect(result.drafts[0]?.quads.map(({ subject }) => subject.value.slice(-3))).toEqual(['s/1', '1#x', '1#x']);
  expect(valuesBy(result)[0]?.slice(1)).toEqual(['"n"', '"0"^^integer']);
});

test('MAP-16 blank nodes of one document are told apart by their labels', () => {
  const { drafts } = mapped(
    property({ node: quantity }),
    [1, 2].map((id) => ({ id, v: 3 })),
  );
  const labels = drafts.flatMap(({ quads }) => quads.slice(0, 1).map(({ object }) => object.value));
  expect(new Set(labels).size).toBe(2);
  expect(drafts[0]?.fingerprint).toBe(drafts[1]?.fingerprint);
});
