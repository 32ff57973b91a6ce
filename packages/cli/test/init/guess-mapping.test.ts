import { compileMapping, parseMapping } from '@ldes-live/sources';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { guessMapping } from '../../src/init/guess/guess-mapping.ts';
import { mappingText } from '../../src/init/write-mapping.ts';

const guess = (document: unknown, beside: object = {}) =>
  guessMapping({
    document,
    reading: { format: 'json' },
    stream: 'rooms',
    ...beside,
  });
const property = (document: unknown, path: string) =>
  guess(document).mapping.properties.find((candidate) => candidate.path === path);

describe('the records are', () => {
  test.each<[what: string, document: unknown, records: string | undefined]>([
    ['the items of a list', [{ id: 1 }], '[*]'],
    ['those of the longest list', { a: [{ id: 1 }], b: { 'odd key': [{ id: 1 }, { id: 2 }] } }, 'b["odd key"][*]'],
    ['the values of a mapping that are alike', { data: { a: { x: 1, y: 2 }, b: { x: 3, y: 4 } } }, 'data[*]'],
    [
      'those of the lists under all keys',
      { at: { 'a b': { lifts: [{ nr: 1, on: true }] }, c: { lifts: [{ nr: 1, on: false }] } } },
      'at[*].lifts[*]',
    ],
    ['the document', { id: 1, name: 'a', list: [1, 2] }, undefined],
    ['not what is nested in them', [{ id: 1, parts: [{ a: 1 }, { a: 2 }, { a: 3 }] }], '[*]'],
  ])('%s', (_, document, records) => {
    expect(guess(document).mapping.records).toBe(records);
  });
});

describe('a record is known by', () => {
  test.each<[what: string, document: unknown, subject: object]>([
    [
      'its id',
      [
        { name: 'a', id: 1 },
        { name: 'b', id: 2 },
      ],
      { subject: '{+stream}/entities/{id}' },
    ],
    [
      'another id',
      [{ a: { station_id: 'x' } }, { a: { station_id: 'y' } }],
      { subject: '{+stream}/entities/{a.station_id}' },
    ],
    [
      'its name, where ids repeat',
      [
        { name: 'a', id: 1 },
        { name: 'b', id: 1 },
      ],
      { subject: '{+stream}/entities/{name}' },
    ],
    ['its IRI', [{ id: 'http://a.example/1' }, { id: 'urn:x:2' }], { subject: '{+id}' }],
    [
      'an id of an odd name',
      [{ '@iot.id': 1 }],
      { variables: { id: { path: '["@iot.id"]' } }, subject: '{+stream}/entities/{id}' },
    ],
    [
      'the key of its list and its number there',
      {
        stations: {
          a: {
            lifts: [
              { nr: 1, on: true },
              { nr: 2, on: true },
            ],
          },
          b: { lifts: [{ nr: 1, on: true }] },
        },
      },
      { variables: { group: { path: '^.$key' }, id: { path: 'nr' } }, subject: '{+stream}/entities/{group}/{id}' },
    ],
    [
      'its key',
      { a: { x: 1, y: 2 }, b: { x: 1, y: 2 } },
      { variables: { key: { path: '$key' } }, subject: '{+stream}/entities/{key}' },
    ],
    [
      'its key, though a page differs',
      { a: { x: 1, site: 'http://a.example/1' }, b: { x: 1, site: 'http://a.example/2' } },
      { variables: { key: { path: '$key' } }, subject: '{+stream}/entities/{key}' },
    ],
    ['nothing, where there is one', { x: 1, y: 2 }, { subject: '{+stream}/entities/1' }],
  ])('%s', (_, document, subject) => {
    expect(guess(document).mapping).toMatchObject(subject);
  });

  test('the levels of its topic', () => {
    const { mapping } = guess({ id: 1, value: 2 }, { topics: ['home/+/a/+', 'other'] });
    expect(mapping.subject).toBe('{+stream}/entities/{level1}/{level3}');
    expect(mapping.variables).toEqual({ level1: { path: '$topic[1]' }, level3: { path: '$topic[3]' } });
    expect(guess({ id: 1 }, { topics: ['home/#'] }).remarks.subject).toBe(
      'CHECK: it is made for topics as deep as home/example',
    );
  });
});

test('the id of a record is its identifier, since in objects an id is the IRI; that of a part is not', () => {
  const { properties } = guess([{ line: { id: 7 }, id: 1 }]).mapping;
  expect(properties.map(({ predicate, path }) => [predicate, path])).toEqual([
    ['own:lineId', 'line.id'],
    ['dct:identifier', 'id'],
  ]);
});

describe('values are read as', () => {
  test.each<[what: string, value: unknown, said: object]>([
    ['whole numbers', 3, {}],
    ['numbers', 3.5, { convert: 'decimal' }],
    ['numbers in text', '3.5', { convert: 'decimal' }],
    ['numbers with a decimal comma', '3,5', { convert: { decimal: { mark: ',' } } }],
    ['text with a leading zero', '035', {}],
    ['booleans', true, {}],
    ['pages', 'https://a.example/b', { datatype: 'xsd:anyURI' }],
    ['instants', '2026-01-01T00:00:00+01:00', { convert: 'iso' }],
    ['dates', '2026-01-01', { convert: 'date' }],
    ['text', 'warm', {}],
  ])('%s', (_, value, said) => {
    const { predicate: _predicate, path: _path, ...rest } = property([{ id: 1, sensed: value }], 'sensed') ?? {};
    expect(rest).toEqual(said);
  });

  test('absent where they say so by a number', () => {
    expect(
      property(
        [
          { id: 1, heat: -9999 },
          { id: 2, heat: 3 },
        ],
        'heat',
      ),
    ).toMatchObject({
      convert: [{ sentinel: [-9999] }],
    });
  });

  test('times where they are called so', () => {
    expect(property([{ id: 1, seen_at: 1_700_000_000 }], 'seen_at')).toMatchObject({ convert: 'epoch' });
    expect(property([{ id: 1, seen_at: 1_700_000_000_000 }], 'seen_at')).toMatchObject({ convert: 'epochMs' });
    expect(property([{ id: 1, measured: 1_700_000_000 }], 'measured')).toMatchObject({ convert: 'epoch' });
    expect(property([{ id: 1, laatste_wijziging: 1_700_000_000_000 }], 'laatste_wijziging')).toMatchObject({
      convert: 'epochMs',
    });
    expect(property([{ id: 1, amount: 1_700_000_000 }], 'amount')).toEqual({ predicate: 'own:amount', path: 'amount' });
  });
});

test.each<[values: string[], convert: object | undefined]>([
  [['21/11/2026 18:40', '01/12/2026 08:00'], { local: { format: 'dd/MM/yyyy HH:mm' } }],
  [['11/21/2026', '12/01/2026'], { date: { format: 'MM/dd/yyyy' } }],
  [['11/12/2026', '12/11/2026'], { date: { format: 'dd/MM/yyyy' } }],
  [['21/11/2026', '11/21/2026'], undefined],
])('times that are written as %j are read so', async (values, convert) => {
  const document = values.map((day, id) => ({ id, day }));
  const made = guess(document);
  expect(made.mapping.properties.find(({ path }) => path === 'day')?.convert).toEqual(convert);
  const place = { publicUrl: 'http://localhost:3000/', streamUrl: 'http://localhost:3000/rooms' };
  expect(await compileMapping(parseMapping(made.mapping), place).map({ document })).toMatchObject({
    records: 2,
    problems: [],
  });
});

test.each<[values: (string | null)[], convert: object | undefined, check: boolean]>([
  [['1.012,5', '12,5', '7'], { decimal: { mark: ',', thousands: '.' } }, false],
  [['12,5', '-', 'n/a', null], [{ sentinel: ['-', 'n/a'] }, { decimal: { mark: ',' } }], true],
  [['12', '-'], [{ sentinel: ['-'] }, 'number'], true],
  [['12.5', '--'], [{ sentinel: ['--'] }, 'decimal'], true],
  [['-', 'closed'], [{ sentinel: ['-'] }], true],
  [['none', 'closed'], undefined, false],
  [['--', '2026-01-02'], [{ sentinel: ['--'] }, 'date'], true],
])('a column of a table that has %j is read as it is meant', async (values, convert, check) => {
  const document = values.map((level, index) => ({ id: `s${index}`, level }));
  const { mapping, remarks } = guess(document, { reading: { format: 'csv' } });
  const index = mapping.properties.findIndex(({ path }) => path === 'level');
  expect(mapping.properties[index]?.convert).toEqual(convert);
  expect(remarks[`properties.${index}`]?.startsWith('CHECK')).toBe(check);
  const place = { publicUrl: 'http://localhost:3000/', streamUrl: 'http://localhost:3000/rooms' };
  const { problems } = await compileMapping(parseMapping(mapping), place).map({ document });
  expect(problems).toEqual([]);
});

test('a text in several languages is a text for each', async () => {
  const document = {
    list: [
      { id: 1, names: { fi: 'Kauppatori', sv: 'Salutorget', en: null }, flow: { lo: 1, hi: 2 } },
      { id: 2, names: { fi: 'Hakaniemi', en: 'Hakaniemi Square' }, flow: { lo: 1, hi: 2 } },
    ],
  };
  const { mapping } = guess(document);
  expect(mapping.properties).toContainEqual({ predicate: 'rdfs:label', path: 'names[*]', language: '$key' });
  expect(mapping.properties.map(({ path }) => path)).toEqual(['id', 'names[*]', 'flow.lo', 'flow.hi']);
  const place = { publicUrl: 'http://localhost:3000/', streamUrl: 'http://localhost:3000/rooms' };
  const mapped = await compileMapping(parseMapping(mapping), place).map({ document });
  const [first] = mapped.entities;
  const labels = first?.quads().flatMap(({ predicate, object }) => (/#label$/.test(predicate.value) ? [object] : []));
  expect(labels).toMatchObject([
    { value: 'Kauppatori', language: 'fi' },
    { value: 'Salutorget', language: 'sv' },
  ]);
  expect([mapped.problems, await mapped.unmapped()]).toEqual([[], []]);
});

test('a text of XML with its language is a text in it', async () => {
  const document = {
    work: [
      { '@id': 'a', title: { '@lang': 'nl', '#text': 'Werken' } },
      { '@id': 'b', title: 'Works' },
    ],
  };
  const { mapping } = guess(document, { reading: { format: 'xml' } });
  const title = { predicate: 'rdfs:label', path: 'title["#text"]', languagePath: 'title.@lang' };
  expect(mapping.properties).toContainEqual(title);
  const place = { publicUrl: 'http://localhost:3000/', streamUrl: 'http://localhost:3000/rooms' };
  const mapped = await compileMapping(parseMapping(mapping), place).map({ document });
  const labels = mapped.entities.map(
    (entity) => entity.quads().find(({ predicate }) => /#label$/.test(predicate.value))?.object,
  );
  expect(labels).toMatchObject([
    { value: 'Werken', language: 'nl' },
    { value: 'Works', language: '' },
  ]);
  expect([mapped.problems, await mapped.unmapped()]).toEqual([[], []]);
});

test('a table with decimal commas has numbers and a place', async () => {
  const document = [
    { Station: 'Gent', 'Temperatuur (°C)': '7,5', Breedte: '50,9803', Lengte: '3,72' },
    { Station: 'Oostende', 'Temperatuur (°C)': '8', Breedte: '51,2', Lengte: '2,9' },
  ];
  const { mapping } = guess(document, { reading: { format: 'csv', delimiter: ';' } });
  const mark = { decimal: { mark: ',' } };
  expect(mapping.properties).toContainEqual({
    predicate: 'own:temperatuurC',
    path: '["Temperatuur (°C)"]',
    convert: mark,
  });
  const place = { publicUrl: 'http://localhost:3000/', streamUrl: 'http://localhost:3000/rooms' };
  const mapped = await compileMapping(parseMapping(mapping), place).map({ document });
  const said = mapped.entities[0]?.quads().map(({ predicate, object }) => [predicate.value, object.value]);
  expect(said).toContainEqual(['http://www.w3.org/2003/01/geo/wgs84_pos#lat', '50.9803']);
  expect(said).toContainEqual(['http://www.w3.org/2003/01/geo/wgs84_pos#long', '3.72']);
});

test.each([
  'lastUpdate',
  'dernièreMiseÀJour',
  'laatsteWijziging',
  'Letzte_Änderung',
  'Aktualisierung',
  'senastUppdaterad',
  'päivitetty',
  'messzeit',
])('the time of a record, %s, is found, and makes no change by itself', (name) => {
  const { mapping } = guess([{ id: 1, created: '2020-01-01T00:00:00Z', [name]: '2026-01-01T00:00:00Z' }]);
  expect(mapping).toMatchObject({ versionTime: { path: name, convert: 'iso' }, ignoreForChange: [name] });
});

test('what is left out though it holds something is to be looked at', () => {
  const { mapping, remarks } = guess([{ id: 1, services: [{ open: true }], text: '{"a":1}', closed: null }]);
  expect(mapping.leftOut).toEqual(['services', 'text', 'closed']);
  expect(remarks).toMatchObject({
    'leftOut.0': 'CHECK: services is left out: a property with node can map what is in it',
    'leftOut.1': 'CHECK: text is left out: it has JSON in a text, which the converter json reads',
    'leftOut.2': 'always empty in the sample',
  });
});

test('the text of a guess is a mapping that takes every record and field of the sample', async () => {
  const document = {
    list: [
      {
        id: 'a b',
        name: 'One # two',
        'odd key': 'x: "y"\u2028z',
        nested: { name: 'Inner', tags: ['a', 'b'] },
        parts: [{ a: 1 }],
        json: '{"a":1}',
        nothing: null,
        geometry: { type: 'Point', coordinates: [1, 2] },
        lat: 1,
        lon: 2,
      },
    ],
  };
  const made = guess(document);
  const text = mappingText(made, 'A mapping.');
  expect(parse(text)).toEqual(made.mapping);
  const compiled = compileMapping(parseMapping(parse(text)), {
    publicUrl: 'http://localhost:3000/',
    streamUrl: 'http://localhost:3000/rooms',
  });
  const mapped = await compiled.map({ document });
  expect(mapped).toMatchObject({ records: 1, problems: [] });
  expect(await mapped.unmapped()).toEqual([]);
  expect(mapped.entities).toHaveLength(1);
});
