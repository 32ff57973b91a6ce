import { compileMapping, type DocumentReading, parseMapping, readDocument } from '@ldes-live/sources';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { skeleton } from '../../src/init/skeleton.ts';

const STREAM = 'http://localhost:3000/rooms';

function skeletonOf(sample: string, reading: DocumentReading = { format: 'json' }, topics: string[] = []) {
  const made = skeleton(readDocument(Buffer.from(sample), reading), reading, 'rooms', topics);
  if (!made) throw new Error('There is no skeleton.');
  return made;
}

/** What the compiler makes of a mapping and the sample that it was made for. */
async function mapped(text: string, sample: string, topic: string[] = []) {
  const place = { publicUrl: 'http://localhost:3000/', streamUrl: STREAM };
  const mapping = compileMapping(parseMapping(parse(text)), place);
  const document = await mapping.map({
    document: readDocument(Buffer.from(sample), mapping.reading),
    topic,
  });
  const { records, problems, findings, entities } = document;
  const quads = entities.flatMap((entity) => entity.quads());
  return {
    counts: { records, problems, findings, unmapped: await document.unmapped() },
    entities: entities.map(({ entity }) => entity.replace(`${STREAM}/entities/`, '')),
    said: quads.map(({ predicate, object }) => `${predicate.value.split(/[#/]/).at(-1)} ${object.value}`),
  };
}

const STATIONS = JSON.stringify({
  network: 'coast',
  stations: [
    {
      code: 'A',
      name: 'Harbour',
      air: { heat: '11.2', value: 1 },
      sea: { value: 2.5 },
      position: { latitude: 51.2, longitude: 2.9 },
      measured: 1_700_000_000,
      tags: ['a', 'b'],
      parts: [{ id: 1 }],
      'odd name': true,
      none: null,
    },
    { code: 'B/1', name: 'Dunes', air: { heat: '9', value: 3 }, tags: 'c', measured: 1_700_000_001, none: '' },
  ],
});

const POINT = '{"type":"Point","coordinates":[500000,5300000]}';
const FEATURE = '{"type":"Feature","properties":{"id":5,"a":1},"geometry":{"type":"Point","coordinates":[3,51]}}';
const ELEMENTS = '<p id="1"><n lang="en">x</n></p><p id="2"><n lang="nl">y</n><m>3</m></p>';
const OF_STATIONS = ['identifier A', 'heat 11.2', 'airValue 1', 'seaValue 2.5', 'tags b', 'tags c', 'oddName true'];

test.each<[what: string, sample: string, entities: string[], said: string[], reading?: DocumentReading]>([
  ['JSON', STATIONS, ['A', 'B%2F1'], OF_STATIONS],
  ['a list in JSON', '[{"id":7},{"id":8}]', ['7', '8'], ['identifier 7', `type ${STREAM}/terms#Rooms`]],
  ['a record in JSON', '{"station_id":"a","b":1}', ['a'], ['b 1']],
  ['records without an id', '[{"a":1},{"a":1}]', ['0', '1'], ['a 1']],
  ['ids that repeat', '[{"id":1,"line":{"id":5}},{"id":1}]', ['0', '1'], ['lineId 5', 'id2 1']],
  ['records under keys', '{"at":{"p":{"x":1,"y":2},"q":{"x":3,"y":4}}}', ['p', 'q'], ['x 3']],
  ['IRIs as ids', '[{"@id":"http://a.example/1"}]', ['http://a.example/1'], []],
  ['fields of two forms', '[{"a":1,"b":1},{"a":{"b":2},"b":2}]', ['0', '1'], ['b 2']],
  ['a geometry in metres', `[{"id":1,"e":{},"g":${POINT}}]`, ['1'], []],
  ['lines of JSON', '{"id":"a","b":1}\n{"id":"b","b":2}\n', ['a', 'b'], ['b 2'], { format: 'ndjson' }],
  ['CSV', 'Id;Plätze\nx;12\ny;\n', ['x', 'y'], ['plätze 12'], { format: 'csv', delimiter: ';' }],
  [
    'XML',
    `<a><list>${ELEMENTS}</list></a>`,
    ['1', '2'],
    ['identifier 1', 'text x', 'lang nl', 'm 3'],
    { format: 'xml' },
  ],
  [
    'GeoJSON',
    `{"type":"FeatureCollection","features":[${FEATURE}]}`,
    ['5'],
    ['asWKT POINT (3 51)', 'a 1'],
    { format: 'geojson' },
  ],
])('the skeleton for %s maps every record', async (_, sample, entities, said, reading) => {
  const found = await mapped(skeletonOf(sample, reading).text, sample);
  expect(found.counts).toEqual({ records: entities.length, problems: [], findings: {}, unmapped: [] });
  expect(found.entities).toEqual(entities);
  expect(found.said).toEqual(expect.arrayContaining(said));
});

test('what needs a meaning is a line in comments that maps as well once it is none', async () => {
  const { text } = skeletonOf(STATIONS);
  const { said } = await mapped(text, STATIONS);
  expect(said.join('\n')).not.toMatch(/POINT|resultTime/);
  const taken = await mapped(text.replaceAll(/^( *)# (versionTime:|ignoreForChange:|- )/gm, '$1$2'), STATIONS);
  expect(taken.counts).toMatchObject({ problems: [], unmapped: [] });
  expect(taken.said).toEqual(expect.arrayContaining(['asWKT POINT (2.9 51.2)', 'resultTime 2023-11-14T22:13:20Z']));
  expect(text).toContain('own:heat, path: air.heat } # text, such as "11.2"; convert: number reads it\n');
  expect(text).toContain('own:name, path: name } # text, such as "Harbour"; rdfs:label shows it as the name\n');
});

test.each<[value: unknown, suggestion: string | undefined]>([
  ['2026-01-01T00:00:00+01:00', 'convert: iso'],
  ['2026-01-01 00:00', 'convert: local'],
  [1_700_000_000_123, 'convert: epochMs'],
  ['1700000000', 'convert: epoch'],
  [12, undefined],
])('a time such as %j is suggested with %s', (value, suggestion) => {
  const { text } = skeletonOf(JSON.stringify([{ seen_at: value }]));
  expect(/^# versionTime: .*(convert: \w+)/m.exec(text)?.[1]).toBe(suggestion);
});

test('a message of MQTT is told by its topic', async () => {
  const { text } = skeletonOf('{"id":1,"value":2}', undefined, ['home/+/a/+']);
  expect((await mapped(text, '{"value":3}', ['home', 'x', 'a', 'y'])).entities).toEqual(['x/y']);
  expect(skeletonOf('{"value":2}', undefined, ['home/#']).notes[1]).toMatch(
    /^CHECK: .* topics with the levels of home\/#/,
  );
});

test('a sample breaks no line of the mapping', async () => {
  const sample = JSON.stringify([{ id: 'a\n# b\u2028', 'x: }\n': 'c\r\nproperties: []' }]);
  const { counts, said } = await mapped(skeletonOf(sample).text, sample);
  expect([counts.problems, counts.unmapped]).toEqual([[], []]);
  expect(said).toContain('x c\r\nproperties: []');
});

test.each(['[]', '[1,2]', '"a"', '[{}]', '[{"a":null}]'])('%s has no records with fields', (sample) => {
  expect(() => skeletonOf(sample)).toThrow('There is no skeleton.');
});
