import type { UpsertDraft } from '@ldes-live/rdf-stream';
import { describe, expect, test } from 'vitest';
import { splitAlternatives } from '../../src/mapping/alternative-paths.ts';
import { compileMapping } from '../../src/mapping/compile-mapping.ts';
import type { MappedDocument } from '../../src/mapping/compiled-mapping.ts';
import type { MappedProperty, Mapping } from '../../src/mapping/mapping.ts';

const urls = { publicUrl: 'https://live.example.org/', streamUrl: 'https://live.example.org/things' };

function mapped(mapping: Partial<Mapping>, document: unknown, lookups: Record<string, unknown> = {}): MappedDocument {
  const whole: Mapping = { subject: '{+stream}/entities/{id}', properties: [], ...mapping };
  return compileMapping(whole, urls).map({ document, lookups, origin: 'test' }) as MappedDocument;
}

const label = (path: string, more: Partial<MappedProperty> = {}): Partial<Mapping> => ({
  properties: [{ predicate: 'rdfs:label', path, ...more }],
});
const labels = ({ drafts }: MappedDocument) =>
  drafts.map(({ quads }: UpsertDraft) =>
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

describe('lookups', () => {
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
    expect(labels(mapped({ ...label('$sensors.name'), lookups }, document, { sensors }))).toEqual([['dust'], []]);
  });

  test('MAP-42 the fields of records that fit are accounted for, as those of the record are', () => {
    expect(mapped({ ...label('$sensors.name'), lookups }, document, { sensors }).unmapped).toEqual(['$sensors.made']);
    const leftOut = ['$sensors.made'];
    expect(mapped({ ...label('$sensors.name'), lookups, leftOut }, document, { sensors }).unmapped).toEqual([]);
    // The field of a lookup accounts for none of the record.
    const record = [{ id: 1, kind: 'pm10', made: 2001 }];
    expect(mapped({ ...label('$sensors.name'), lookups, leftOut }, record, { sensors }).unmapped).toEqual(['made']);
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
