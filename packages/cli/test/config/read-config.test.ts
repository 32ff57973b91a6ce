import { join } from 'node:path';
import { isStreamError } from '@ldes-live/rdf-stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';

const MAPPING = 'subject: "{+stream}/{id}"\nproperties:\n  - { predicate: rdfs:label, path: name }\n';
const HASH = 'a'.repeat(64);

/** Writes files, and reads the configuration among them. */
async function read(source: string, files: Readonly<Record<string, string>> = {}) {
  const text = `publicUrl: https://live.example.org/\nstreams:\n  a:\n    source: ${source}\n`;
  const folder = await temporaryFolder({ ...files, 'live.yml': text });
  return { folder, loaded: await readConfig(join(folder, 'live.yml'), {}) };
}

/** The lines that name the mistakes, without the folder. */
async function mistakesOf(source: string, files: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  try {
    await read(source, files);
  } catch (error) {
    if (!isStreamError(error, 'ERR_CONFIG_INVALID')) throw error;
    return (error.details.problems as string[]).map((problem) => problem.replace(/^\S*\//, ''));
  }
  throw new Error('the configuration was accepted');
}

test.each(['json', 'ndjson', 'geojson', 'csv', 'xml'] as const)(
  'a mapping is read beside the configuration, and %s is what its documents are written in',
  async (format) => {
    const { loaded } = await read(`{ ${format}: "http://a/", every: 1s, mapping: ./m.yml }`, { 'm.yml': MAPPING });
    expect(loaded.config.streams.a?.source).toMatchObject({
      kind: 'documents',
      format,
      documents: [{ url: 'http://a/' }],
    });
    expect(loaded.files.a?.mapping?.reading.format).toBe(format);
    const mapped = await loaded.files.a?.mapping?.map({ document: [{ id: 1, name: 'b' }] });
    expect(mapped?.entities[0]?.entity).toBe('https://live.example.org/a/1');
  },
);

test.each([
  ['in JSON', '{ json: "http://a/", every: 1s, mapping: ./m.json }'],
  ['in the configuration', '{ json: "http://a/", every: 1s, mapping: { subject: "{+stream}/{id}", properties: [] } }'],
  ['that ships', '{ json: "http://a/", every: 1s, preset: parkapi }'],
  ['that ships for a feed of GBFS', '{ gbfs: "http://a/gbfs.json", feed: station_status }'],
  ['that ships for SensorThings', '{ sensorThings: "http://a/v1.1/", every: 1s }'],
  ['of messages', '{ mqtt: "mqtt://a", topics: a/+, mapping: ./m.json }'],
])('a mapping %s is taken', async (_, source) => {
  const { loaded } = await read(source, { 'm.json': '{ "subject": "{+stream}/{id}", "properties": [] }' });
  expect(loaded.files.a?.mapping).toBeDefined();
});

test.each<[what: string, source: string, files: Record<string, string>, mistakes: string[]]>([
  [
    'a mapping with mistakes',
    '{ json: "http://a/", every: 1s, mapping: ./m.yml }',
    { 'm.yml': 'subject: "{+stream}/{id}"\nproperties:\n  - { predicate: "rdfs:label", path: "a[" }\n' },
    ['m.yml:3:38 properties.0.path: "a[" is not a path'],
  ],
  [
    'a mapping in the configuration with mistakes',
    '\n      json: http://a/\n      every: 1s\n      mapping:\n        subject: "{+stream}/{id}"\n        properties:\n          - { predicate: "rdfs:label", path: "a[" }',
    {},
    ['live.yml:10:46 streams.a.source.mapping.properties.0.path: "a[" is not a path'],
  ],
  [
    'a mapping that is not there',
    '{ json: "http://a/", every: 1s, mapping: ./m.yml }',
    {},
    ['m.yml: it cannot be read (ENOENT)'],
  ],
  [
    'a mapping that is no YAML',
    '{ json: "http://a/", every: 1s, mapping: ./m.yml }',
    { 'm.yml': 'a: 1\na: 2\n' },
    ['m.yml:2:1 Map keys must be unique'],
  ],
  [
    'a mapping of another format',
    '{ csv: "http://a/", every: 1s, mapping: ./m.yml }',
    { 'm.yml': `reads: { format: xml }\n${MAPPING}` },
    ['m.yml:1:18 reads.format: found xml, expected csv, as the key of the source says'],
  ],
  [
    'lookups that do not fit',
    '{ json: "http://a/", every: 1s, mapping: ./m.yml, lookups: { b: "http://b/" } }',
    { 'm.yml': `${MAPPING}lookups: { sites: { key: id, by: id } }\n` },
    [
      'live.yml:4:72 streams.a.source.lookups.sites: found nothing, expected the URL of the lookup sites of the mapping',
      'live.yml:4:74 streams.a.source.lookups.b: the mapping has no lookup of this name',
    ],
  ],
  [
    'a shape that is none',
    `{ post: true, tokens: [${HASH}], shape: ./s.ttl }`,
    { 's.ttl': '<#a> <#b> <#c> .' },
    ['s.ttl: found none, expected one sh:NodeShape'],
  ],
  [
    'a shape that cannot be read',
    `{ post: true, tokens: [${HASH}], shape: ./s.ttl }`,
    { 's.ttl': '<#a> <#b>' },
    ['s.ttl: it cannot be read ('],
  ],
  [
    'a shape of an unknown format',
    `{ post: true, tokens: [${HASH}], shape: ./s.xml }`,
    { 's.xml': '' },
    ['s.xml: its name must end in one of .ttl,'],
  ],
  [
    'contexts that are none',
    `{ post: true, tokens: [${HASH}], contexts: { "http://a/": ./a.json, "http://b/": ./b.json } }`,
    { 'a.json': '{}' },
    ['a.json: expected a JSON document with @context', 'b.json: it cannot be read (ENOENT)'],
  ],
])('%s is refused, with file and place', async (_, source, files, mistakes) => {
  const found = await mistakesOf(source, files);
  expect(found.map((mistake, index) => mistake.slice(0, mistakes[index]?.length))).toEqual(mistakes);
});

test('a shape is the one that no other refers to, and stands where it is published', async () => {
  const shape = `@prefix sh: <http://www.w3.org/ns/shacl#> .
<#Level> a sh:NodeShape ; sh:property [ sh:path <http://a/b> ; sh:node <#Unit> ] .
<#Unit> a sh:NodeShape .`;
  const context = { '@context': { a: 'http://a/' } };
  const source = `{ post: true, tokens: [${HASH}], shape: ./s.ttl, contexts: { "http://c/": ./c.json }, limits: { depth: 3 } }`;
  const { loaded } = await read(source, { 's.ttl': shape, 'c.json': JSON.stringify(context) });
  expect(loaded.files.a?.shape?.iri).toBe('https://live.example.org/a/shape#Level');
  expect(loaded.files.a?.shape?.quads).toHaveLength(5);
  expect(loaded.files.a?.contexts).toEqual({ 'http://c/': context });
  expect(loaded.config.streams.a?.source).toMatchObject({ tokenHashes: [HASH], limits: { limitDepth: 3 } });
});
