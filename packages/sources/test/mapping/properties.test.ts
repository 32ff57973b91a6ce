import { describe, expect, test } from 'vitest';
import type { MappedProperty } from '../../src/mapping/mapping.ts';
import { mapped, mistakesOf, property, reasonsBy, saidBy, valuesBy } from './mapped.ts';

const values = (one: Partial<MappedProperty>, record: object) =>
  valuesBy(mapped(property(one), [{ id: 1, ...record }]))[0];
const reasons = (one: Partial<MappedProperty>, record: object) =>
  reasonsBy(mapped(property(one), [{ id: 1, ...record }]));

describe('values', () => {
  test('MAP-11 each value is said once, in an order that does not depend on that of the source', () => {
    const lists = [
      ['b', 'a', 'b'],
      ['a', 'b'],
    ].map((a) => values({ path: 'a[*]' }, { a }));
    expect(lists).toEqual([
      ['"a"', '"b"'],
      ['"a"', '"b"'],
    ]);
  });

  test('MAP-11 a constant is said of every record', () => {
    expect(values({ value: 'x' }, {})).toEqual(['"x"']);
    expect(values({ value: false }, {})).toEqual(['"false"^^boolean']);
    expect(values({ value: 'unit:M', iri: true }, {})).toEqual(['<http://qudt.org/vocab/unit/M>']);
  });

  test('MAP-11 values of several paths go to the first converter together, and are absent when one is', () => {
    const point = { paths: ['x', 'y'], convert: 'point' };
    expect(values(point, { x: 3.7, y: 51 })).toEqual(['"POINT (3.7 51)"^^wktLiteral']);
    expect(values(point, { x: 3.7 })).toEqual([]);
  });

  test('MAP-12 converters follow each other, and absent values come to default alone', () => {
    expect(values({ path: 'a', convert: [{ multiply: 0.001 }, { round: 1 }] }, { a: 1234 })).toEqual([
      '"1.2"^^decimal',
    ]);
    expect(values({ path: 'a', convert: [{ split: ';' }, 'trim', 'upper'] }, { a: 'x ; y;' })).toEqual(['"X"', '"Y"']);
    expect(values({ path: 'a', convert: 'upper' }, { a: null })).toEqual([]);
    expect(values({ path: 'a', convert: [{ sentinel: [-999] }, { default: 'none' }] }, { a: -999 })).toEqual([
      '"none"',
    ]);
  });

  test('MAP-12 a list of the document is no list of a converter', () => {
    expect(reasons({ path: 'a', convert: 'upper' }, { a: ['x'] })[0]).toContain('[*]');
  });
});

describe('terms', () => {
  test.each<[Partial<MappedProperty>, unknown, string]>([
    [{}, 'x', '"x"'],
    [{}, 4, '"4"^^integer'],
    [{}, 4.5, '"4.5"^^decimal'],
    [{}, 1e-7, '"0.0000001"^^decimal'],
    [{}, 1e21, '"1000000000000000000000"^^integer'],
    [{}, true, '"true"^^boolean'],
    [{ convert: 'decimal' }, '4.50', '"4.50"^^decimal'],
    [{ convert: [{ sentinel: [0] }, 'epoch'] }, 1, '"1970-01-01T00:00:01Z"^^dateTime'],
    [{ convert: ['epoch', 'lower'] }, 1, '"1970-01-01t00:00:01z"'],
    [{ datatype: 'xsd:double' }, '1e3', '"1e3"^^double'],
    [{ datatype: 'https://e.example/level' }, 3, '"3"^^https://e.example/level'],
    [{ language: 'NL-be' }, 'x', '"x"@nl-be'],
    [{ iri: true }, 'urn:x:1', '<urn:x:1>'],
    [{ iri: '{+base}id/{value}' }, 'a/b', '<https://live.example.org/id/a%2Fb>'],
    [{ datatype: 'xsd:dateTime' }, '2026-11-21T09:00:00+01:00', '"2026-11-21T09:00:00+01:00"^^dateTime'],
  ])('MAP-13 %j of %j is %s', (one, a, term) => {
    expect(values({ path: 'a', ...one }, { a })).toEqual([term]);
  });

  test.each<[Partial<MappedProperty>, unknown]>([
    [{ datatype: 'xsd:integer' }, '4.5'],
    [{ datatype: 'xsd:integer' }, 4.5],
    [{ datatype: 'xsd:boolean' }, 'yes'],
    [{ datatype: 'xsd:date' }, '2026-13-01'],
    [{ datatype: 'xsd:dateTime' }, '2026-11-21T09:00:00'],
    [{ datatype: 'xsd:duration' }, '5 minutes'],
    [{ convert: ['integer', { default: 'x' }] }, null],
    [{ iri: true }, 'not an iri'],
    [{ iri: true }, '//e.example'],
    [{ iri: true }, 'urn:x:<'],
    [{}, Number.POSITIVE_INFINITY],
    [{ iri: 'https://e.example/{value}' }, '\ud800'],
  ])('MAP-13 %j of %j is a mistake of the record', (one, a) => {
    expect(reasons({ path: 'a', ...one }, { a })).toHaveLength(1);
  });

  test('MAP-13 a value of the source that looks like a compact IRI is none', () => {
    expect(values({ path: 'a', iri: true }, { a: 'dct:title' })).toEqual(['<dct:title>']);
  });

  test('MAP-7 an unknown prefix, and what is no IRI, is a mistake of the mapping', () => {
    const of = (predicate: string) =>
      mistakesOf({ subject: 'https://e.example/{id}', properties: [{ predicate, path: 'a' }] });
    expect(of('nix:a')).toMatchObject([{ path: ['properties', 0, 'predicate'] }]);
    expect(of('title')).toHaveLength(1);
    for (const known of ['dct:title', 'mv:capacity', 'https://e.example/p', 'urn:x:p']) expect(of(known)).toEqual([]);
  });

  test('MAP-7 prefixes of the mapping come before the known ones', () => {
    const { drafts } = mapped(
      { prefixes: { dct: 'https://e.example/' }, properties: [{ predicate: 'dct:a', value: 1 }] },
      [{ id: 1 }],
    );
    expect(drafts[0]?.quads[0]?.predicate.value).toBe('https://e.example/a');
  });

  test('MAP-44 a namespace may begin with the place of the server or of the stream', () => {
    const said = (namespace: string) =>
      mapped({ prefixes: { own: namespace }, properties: [{ predicate: 'own:a', value: 1 }], type: 'own:B' }, [
        { id: 1 },
      ]).drafts[0]?.quads.flatMap(({ predicate, object }) => [predicate.value, object.value]);
    expect(said('{+stream}/terms#')).toContain('https://live.example.org/things/terms#a');
    expect(said('{+stream}/terms#')).toContain('https://live.example.org/things/terms#B');
    expect(said('{+base}id/')).toContain('https://live.example.org/id/a');
    for (const wrong of ['{+other}/terms#', 'x{+base}', '{+base} #']) {
      expect(mistakesOf({ subject: '{+stream}/{id}', prefixes: { own: wrong }, properties: [] })).toMatchObject([
        { path: ['prefixes', 'own'] },
      ]);
    }
  });
});

describe('required values and times', () => {
  test('MAP-14 a record without a required value is left out, a node without it is not written', () => {
    expect(reasons({ path: 'a', required: true }, {})).toHaveLength(1);
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
      properties: [{ predicate: 'sosa:resultTime', path: 't', convert: 'iso' }],
    };
    expect(saidBy(mapped(own, [{ id: 1, t: time }]))[0]).toHaveLength(1);
    expect(mapped({ versionTime: { path: 't' } }, [{ id: 1 }]).drafts[0]).not.toHaveProperty('versionTime');
  });

  test('MAP-15 a time without a zone is a mistake, unless the mapping has one', () => {
    const local = [{ id: 1, t: '2024-01-15T09:09:43' }];
    expect(mapped({ versionTime: { path: 't' } }, local).problems).toHaveLength(1);
    const { drafts } = mapped({ timeZone: 'Europe/Brussels', versionTime: { path: 't' } }, local);
    expect(drafts[0]?.versionTime).toBe('2024-01-15T09:09:43+01:00');
  });
});

describe('nodes', () => {
  const quantity = {
    type: 'qudt:QuantityValue',
    properties: [
      { predicate: 'qudt:numericValue', path: 'v' },
      { predicate: 'qudt:hasUnit', value: 'unit:M', iri: true as const },
    ],
  };

  test('MAP-16 a node has what is said of it, of the record or of the value of its path', () => {
    expect(saidBy(mapped(property({ node: quantity }), [{ id: 1, v: 3 }]))).toEqual([
      [
        'label _:b0',
        '_:b0 type <http://qudt.org/schema/qudt/QuantityValue>',
        '_:b0 numericValue "3"^^integer',
        '_:b0 hasUnit <http://qudt.org/vocab/unit/M>',
      ],
    ]);
    expect(
      saidBy(mapped(property({ path: 'q[*]', node: quantity }), [{ id: 1, q: [{ v: 1 }, { v: 2 }] }]))[0],
    ).toHaveLength(8);
  });

  test('MAP-16 a node of which nothing can be said but constants is not written', () => {
    expect(saidBy(mapped(property({ node: quantity }), [{ id: 1 }]))).toEqual([[]]);
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
    const { drafts } = mapped(property({ node: quantity }), [
      { id: 1, v: 3 },
      { id: 2, v: 3 },
    ]);
    const labels = drafts.flatMap(({ quads }) => quads.slice(0, 1).map(({ object }) => object.value));
    expect(new Set(labels).size).toBe(2);
    expect(drafts[0]?.fingerprint).toBe(drafts[1]?.fingerprint);
  });
});

test.each<Partial<MappedProperty>>([
  {},
  { language: 'nl' },
  { languagePath: 'l' },
  { datatype: 'https://e.example/x' },
])('MAP-13 half a pair of UTF-16 is no text, by %j', (how) => {
  const half = property({ path: 'a', ...how });
  expect(reasonsBy(mapped(half, [{ id: 1, a: 'x\ud800' }]))).toEqual([
    'a text of whole Unicode characters was expected',
  ]);
  expect(mapped(half, [{ id: 1, a: 'x\u{1f600}' }]).drafts).toHaveLength(1);
});
