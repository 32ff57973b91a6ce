import { describe, expect, test } from 'vitest';
import { splitAlternatives } from '../../src/mapping/alternative-paths.ts';
import type { MappedDocument } from '../../src/mapping/compiled-mapping.ts';
import type { MappedProperty, Mapping } from '../../src/mapping/mapping.ts';
import { PathMistake, parsePath, stepsText } from '../../src/mapping/parse-path.ts';
import { mapped, mistakesOf, property, reasonsBy, valuesBy } from './mapped.ts';

const valueAt = (path: string, record: object, more = {}) =>
  valuesBy(mapped(property({ path, ...more }), [{ id: 1, ...record }]))[0];

describe('reading', () => {
  test.each([
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    'a b',
    'a[',
    'a[-1]',
    'a[x]',
    '["a]',
    '[""',
    'a.$root',
    '$',
    '$key.a',
    'a.^',
    '^a',
    '@',
    'a[*',
    "['a']",
    '^.$root',
    'a["\\q"]',
  ])('MAP-3 %j is no path, and is told as one', (path) => {
    expect(() => parsePath(path)).toThrow(PathMistake);
  });

  test.each([
    ['a.b[0][*].c', 'a.b[0][*].c'],
    ['["@iot.id"]', '["@iot.id"]'],
    ['a["b"]', 'a.b'],
    ['@id', '@id'],
    ['Wartość', 'Wartość'],
    ['a["x\\"].y"]', 'a["x\\"].y"]'],
  ])('MAP-3 the steps of %s are written %s', (path, text) => {
    expect(stepsText(parsePath(path).steps)).toBe(text);
  });

  test('MAP-3 a mistake is told with the place of the path and where it ends to be one', () => {
    const [mistake] = mistakesOf({
      subject: 'https://e.example/{id}',
      properties: [{ predicate: 'rdfs:label', path: 'a.b c' }],
    });
    expect(mistake?.path).toEqual(['properties', 0, 'path']);
    expect(mistake?.message).toContain('at character 4');
  });

  test('MAP-3 a path that begins with a lookup that is not declared is a mistake', () => {
    expect(
      mistakesOf({ subject: 'https://e.example/{id}', ...property({ path: '$sites.name' }) })[0]?.message,
    ).toContain('$sites');
  });
});

describe('following', () => {
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
    const all = mapped(
      {
        records: '[*].rows[*]',
        subject: '{+stream}/entities/{^.$key}/{$key}',
        properties: [
          { predicate: 'dct:title', path: '^.unit' },
          { predicate: 'dct:source', path: '^.$key' },
        ],
      },
      document,
    );
    expect(all.drafts.map(({ entity }) => entity.slice(-5))).toEqual(['no2/0', 'so2/0', 'so2/1']);
    expect(valuesBy(all)).toEqual([
      ['"mg"', '"no2"'],
      ['"ug"', '"so2"'],
      ['"ug"', '"so2"'],
    ]);
  });

  test('MAP-3 where a path goes on after its last wildcard, ^ leads to the item', () => {
    const document = { data: [{ at: 'x', station: { id: 7 } }] };
    expect(valuesBy(mapped({ records: 'data[*].station', ...property({ path: '^.at' }) }, document))).toEqual([
      ['"x"'],
    ]);
  });

  test('MAP-3 a record can be a value itself, and a topic can name it', () => {
    const mapping = { subject: '{+stream}/entities/{$topic[1]}', ...property({ path: '$this' }) };
    const { drafts } = mapped(mapping, 21.5, { topic: ['city', 'hall', 'temperature'] });
    expect(drafts[0]?.entity).toBe('https://live.example.org/things/entities/hall');
    expect(valuesBy(mapped(mapping, 21.5, { topic: ['city', 'hall'] }))).toEqual([['"21.5"^^decimal']]);
  });

  test('MAP-3 in XML a child that could be repeated may stand alone', () => {
    const mapping = { reads: { format: 'xml' }, records: 'site[*]', ...property({ path: 'name' }) } as const;
    expect(valuesBy(mapped(mapping, { site: { id: '1', name: 'x' } }))).toEqual([['"x"']]);
  });

  test.each([
    ['a', { a: null }],
    ['a', { a: '' }],
    ['a', {}],
    ['constructor', {}],
    ['__proto__.a', {}],
    ['a.length', { a: 'text' }],
    ['toString', {}],
  ])('MAP-4 %s of %j is absent', (path, record) => {
    expect(valueAt(path, record)).toEqual([]);
  });

  test.each([
    ['a.b', { a: [{ b: 1 }] }],
    ['a', { a: [1] }],
    ['a', { a: { b: 1 } }],
    ['a[*]', { a: [[1]] }],
  ])('MAP-4 %s of %j is a mistake of the record', (path, record) => {
    const result = mapped(property({ path }), [{ id: 1, ...record }, { id: 2 }]);
    expect(result.problems).toHaveLength(1);
    expect(result.drafts).toHaveLength(1);
  });
});

describe('records', () => {
  const of = (records: string, document: unknown, reads: object = {}, more: object = {}) =>
    mapped({ records, reads, ...more }, document).drafts.length;
  const refused = expect.objectContaining({ code: 'ERR_MAPPING_RECORDS' });
  const xml = { format: 'xml' };

  test('MAP-5 a document that has nothing there is refused, and one that says so is not', () => {
    expect(() => of('data.list[*]', { error: 'down' })).toThrow(refused);
    expect(() => of('data.list[*]', { data: {} })).toThrow(refused);
    for (const list of [null, '', {}, [null]]) {
      expect(() => of('data.list[*]', { data: { list } })).toThrow(refused);
    }
    for (const list of [null, {}, []]) expect(() => of('data.list', { data: { error: list } })).toThrow(refused);
    expect(of('data.list[*]', { data: { list: [] } })).toBe(0);
  });

  test('MAP-5 an empty mapping has no records where their keys are asked for', () => {
    const keyed = { subject: '{+stream}/{id}', variables: { id: { path: '$key' } } };
    expect(of('list[*]', { list: {} }, {}, keyed)).toBe(0);
    expect(of('list[*]', { list: { a: { x: 1 } } }, {}, keyed)).toBe(1);
    expect(() => of('list[*]', { list: null }, {}, keyed)).toThrow(refused);
  });

  test('MAP-5 a document in which the path leads into a list by a name is refused, and the reason said', () => {
    expect(() => of('a[*].b', [{ a: [{ b: { id: 1 } }] }])).toThrow(refused);
    expect(() => of('a[*].b[*]', { a: [[{ b: [{ id: 1 }] }]] })).toThrow(
      expect.objectContaining({ code: 'ERR_MAPPING_RECORDS', message: expect.stringContaining('[*] leads to each') }),
    );
  });

  test('MAP-5 of lists within lists one has to be empty', () => {
    expect(of('a[*].b[*]', { a: [] })).toBe(0);
    expect(of('a[*].b[*]', { a: [{ b: [] }, {}] })).toBe(0);
    for (const a of [[{ error: 1 }], [{ b: null }], [5]]) expect(() => of('a[*].b[*]', { a })).toThrow(refused);
  });

  test('MAP-5 the first alternative that holds something counts', () => {
    expect(of('a[*] | b[*]', { a: null, b: [{ id: 1 }] })).toBe(1);
    expect(of('a[*] | b[*]', { b: [] })).toBe(0);
    expect(() => of('a[*] | b[*]', { a: null, b: '' })).toThrow(refused);
  });

  test('MAP-97 an element of XML without children is one without records', () => {
    expect(of('table.site[*]', { table: '' }, xml)).toBe(0);
    expect(of('table.site[*]', { table: { time: 'x' } }, xml)).toBe(0);
    expect(() => of('table.site[*]', { fault: 'x' }, xml)).toThrow(refused);
  });

  test('MAP-97 a root without children is one without records only if its name is known', () => {
    for (const document of ['', { body: 'Service unavailable' }, { '@updated': 'x' }]) {
      expect(() => of('site[*]', document, xml)).toThrow(refused);
      expect(of('site[*]', document, { ...xml, root: 'sites' })).toBe(0);
    }
    expect(of('site[*]', { site: { id: 1 } }, xml)).toBe(1);
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
});

const label = (path: string, more: Partial<MappedProperty> = {}) => property({ path, ...more });
const labels = ({ drafts }: MappedDocument) =>
  drafts.map(({ quads }) =>
    quads.map(({ object }) =>
      object.termType === 'Literal' && object.language ? `${object.value}@${object.language}` : object.value,
    ),
  );

describe('alternatives of a path', () => {
  test('MAP-40 stand between bars, which in a name in brackets are part of it', () => {
    expect(splitAlternatives('a')).toEqual(['a']);
    expect(splitAlternatives('a.b | c[*]|d')).toEqual(['a.b', 'c[*]', 'd']);
    expect(splitAlternatives('["a | b"].c | ["\\" | "]')).toEqual(['["a | b"].c', '["\\" | "]']);
  });

  test('MAP-40 the first that leads to anything is taken, and absent values lead nowhere', () => {
    const records = [
      { id: 1, a: 'A', b: 'B' },
      { id: 2, a: null, b: 'B' },
      { id: 3, a: '' },
      { id: 4, a: 0, b: 'B' },
    ];
    expect(labels(mapped(label('a | b'), records))).toEqual([['A'], ['B'], [], ['0']]);
  });

  test('MAP-40 one that cannot be followed leads nowhere, but for the last', () => {
    const records = [
      { id: 1, a: ['x', 'y'] },
      { id: 2, a: { value: ['z'] } },
    ];
    expect(labels(mapped(label('a.value[*] | a[*]'), records))).toEqual([['x', 'y'], ['z']]);
    const { problems } = mapped(label('b | a.value'), records);
    expect(problems).toHaveLength(2);
  });

  test('MAP-40 a list without items is one, and no reason to look further', () => {
    const { problems, drafts } = mapped(label('a.value[*] | a[*]'), [{ id: 1, a: { value: [] } }]);
    expect(problems).toEqual([]);
    expect(labels({ drafts } as MappedDocument)).toEqual([[]]);
  });

  test('MAP-40 a name that is none is a mistake in whichever alternative it stands', () => {
    for (const path of ['a | ', ' | a', 'a | b..c']) {
      expect(() => mapped(label(path), [])).toThrow(expect.objectContaining({ code: 'ERR_MAPPING_INVALID' }));
    }
  });

  test('MAP-40 records are where the first alternative that is there says', () => {
    const mapping = { ...label('n'), records: 'old.items[*] | items[*] | [*]' };
    expect(labels(mapped(mapping, { old: { items: [{ id: 1, n: 'old' }] }, items: [{ id: 2, n: 'new' }] }))).toEqual([
      ['old'],
    ]);
    expect(labels(mapped(mapping, { items: [{ id: 2, n: 'new' }] }))).toEqual([['new']]);
    expect(labels(mapped(mapping, { items: [] }))).toEqual([]);
    expect(labels(mapped(mapping, [{ id: 3, n: 'bare' }]))).toEqual([['bare']]);
    expect(() => mapped({ ...mapping, records: 'old.items[*] | items[*]' }, {})).toThrow(
      expect.objectContaining({ code: 'ERR_MAPPING_RECORDS' }),
    );
  });

  test('MAP-40 all of them are accounted for', () => {
    expect(
      mapped(label('a.value | a'), [
        { id: 1, a: 'x' },
        { id: 2, a: { value: 'y' } },
      ]).unmapped,
    ).toEqual([]);
    expect(mapped(label('a | b'), [{ id: 1, a: 'x', b: 'y', c: 'z' }]).unmapped).toEqual(['c']);
  });
});

describe('languages that the data state', () => {
  test('MAP-41 each text has the tag beside it, and one without is plain', () => {
    const property = label('name[*].text | name', { languagePath: 'language' });
    const records = [
      { id: 1, name: [{ text: 'Mill', language: 'en' }, { text: 'Molen', language: 'nl-BE' }, { text: '?' }] },
      { id: 2, name: 'Mill' },
      { id: 3, name: [{ text: 'Mill', language: 'no language' }] },
    ];
    expect(labels(mapped(property, records))).toEqual([['?', 'Mill@en', 'Molen@nl-be'], ['Mill'], ['Mill']]);
    expect(mapped(property, records).unmapped).toEqual([]);
  });
});

describe('lookups by converted keys', () => {
  const lookups = { sensors: { key: 'code', by: 'kind', convert: 'upper' } } as const;
  const document = [
    { id: 1, kind: 'pm10' },
    { id: 2, kind: 'so2' },
  ];
  const sensors = [
    { code: 'PM10', name: 'dust', made: 1999 },
    { code: 'NO2', name: 'gas', serial: 5 },
  ];

  test('MAP-42 what leads to a record of a lookup can be converted', () => {
    expect(labels(mapped({ ...label('$sensors.name'), lookups }, document, { lookups: { sensors } }))).toEqual([
      ['dust'],
      [],
    ]);
  });

  test('MAP-42 the fields of records that fit are accounted for, as those of the record are', () => {
    expect(mapped({ ...label('$sensors.name'), lookups }, document, { lookups: { sensors } }).unmapped).toEqual([
      '$sensors.made',
    ]);
    const leftOut = ['$sensors.made'];
    expect(
      mapped({ ...label('$sensors.name'), lookups, leftOut }, document, { lookups: { sensors } }).unmapped,
    ).toEqual([]);
    // The field of a lookup accounts for none of the record.
    const record = [{ id: 1, kind: 'pm10', made: 2001 }];
    expect(mapped({ ...label('$sensors.name'), lookups, leftOut }, record, { lookups: { sensors } }).unmapped).toEqual([
      'made',
    ]);
  });
});

describe('what is not mapped', () => {
  test('MAP-43 a node accounts for what it says, and not for all that it is said of', () => {
    const node: Partial<Mapping> = {
      properties: [
        {
          predicate: 'dct:creator',
          path: 'makers[*]',
          node: { properties: [{ predicate: 'rdfs:label', path: 'name' }] },
        },
      ],
    };
    expect(mapped(node, [{ id: 1, makers: [{ name: 'x', age: 5 }] }]).unmapped).toEqual(['makers[0].age']);
  });

  test('MAP-43 a wildcard and a name account for a field together, and null is nothing', () => {
    const mapping = { ...label('a.value'), leftOut: ['[*].type'] };
    expect(
      mapped(mapping, [{ id: 1, a: { value: 'x', type: 't' }, b: { type: 't' }, c: { type: 't', d: 1 } }]).unmapped,
    ).toEqual(['c.d']);
  });
});
