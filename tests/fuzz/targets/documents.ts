/* Documents of sources in each format, by a mapping; and mappings, which then map a document. */
import { isStreamError, parseQuads } from '@ldes-live/rdf-stream';
import {
  type CompiledMapping,
  compileMapping,
  type DocumentReading,
  loadPreset,
  parseMapping,
} from '@ldes-live/sources';
import { readYaml } from '../../../packages/cli/src/config/parse-config.ts';
import { readInSlices } from '../../../packages/sources/src/documents/read-document.ts';
import { PUBLIC_URL, Published, STREAM_URL } from '../published.ts';
import { accepted, type Outcome, refused, type Session, type Target, texts, words } from '../target.ts';
import { appendSnapshot } from './append.ts';

const URLS = { publicUrl: PUBLIC_URL, streamUrl: STREAM_URL };

const PROPERTIES = [
  { predicate: 'rdfs:label', path: 'name' },
  { predicate: 'schema:value', path: 'free', convert: 'integer' },
  { predicate: 'schema:price', path: 'price', convert: 'decimal' },
  { predicate: 'dct:modified', path: 'at', convert: 'iso' },
  { predicate: 'schema:url', path: 'url', iri: true },
];

function mappingOf(
  records: string | undefined,
  format: NonNullable<DocumentReading['format']>,
  more: object = {},
): CompiledMapping {
  const value = {
    ...(records !== undefined && { records }),
    subject: '{+stream}/entities/{id}',
    properties: PROPERTIES,
    reads: { format, ...more },
  };
  return compileMapping(parseMapping(value), URLS);
}

const DOCUMENT = {
  garages: [
    {
      id: 'P1',
      name: 'North',
      free: 412,
      price: '1.50',
      at: '2026-01-01T00:00:00Z',
      url: 'https://a.example/1',
      tags: ['a', 'b'],
    },
    {
      id: 'P2',
      name: 'S\u00fcd',
      free: '7',
      price: 2,
      at: '2026-01-01T01:00:00+01:00',
      where: { lat: 51.05, lon: 3.72 },
    },
  ],
  meta: { updated: '2026-01-01T00:00:05Z', ttl: 60 },
};
const CSV =
  'id,name,free,price,at,url\nP1,"No ""r"" th",412,1.50,2026-01-01T00:00:00Z,https://a.example/1\r\nP2,S\u00fcd,7,2,,\n';
const XML =
  '<?xml version="1.0" encoding="UTF-8"?>\n<root xmlns="urn:a" xmlns:b="urn:b"><garage><id>P1</id><name b:x="1">N &amp; &#x41;<![CDATA[<c>]]></name><free>412</free></garage><!-- c --><garage><id>P2</id><at>2026-01-01T00:00:00Z</at><url/></garage></root>';
const GEOJSON = {
  type: 'FeatureCollection',
  features: DOCUMENT.garages.map(({ id, ...properties }) => ({
    type: 'Feature',
    id,
    geometry: { type: 'Point', coordinates: [3.72, 51.05] },
    properties: { id, ...properties },
  })),
};

const WORDS = [
  '\u00a0',
  ...words(`
    id name free price at url P1 412 2026-01-01T00:00:00Z 2026-02-30 24:00 +01:00 https://a.example/1 urn:x 1,5 -0
    1e400 0x10 true
  `),
];
const XML_WORDS = [
  ...WORDS,
  ...words(`
    < > /> </ <!-- --> <![CDATA[ ]]> <? ?> <!DOCTYPE &amp; &# &#x0; &#x1F68B; xmlns xmlns:b <root> </root> <garage>
    </garage> encoding="ISO-8859-1" standalone="yes" b:id
  `),
];
const CSV_WORDS = [...WORDS, ',', '"', '""', '\r\n', '\n', '\r', ';', 'id,', '\ufeff'];

async function openDocuments(mapping: CompiledMapping): Promise<Session> {
  const published = await Published.open();
  const run = (input: Uint8Array) =>
    refusing(async () => {
      const { entities, problems } = await mapping.map({ document: await readInSlices(input, mapping.reading) });
      await appendSnapshot(published, entities);
      const reasons = problems.map(({ details }) => String(details.reason).replace(/".*"|\d+/gs, ''));
      return accepted(`${[...new Set(reasons)].sort()} ${Math.min(entities.length, 3)}`);
    });
  return { run, check: () => published.check(), close: () => published.close() };
}

async function refusing(read: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await read();
  } catch (error) {
    if (isStreamError(error)) return refused(error.code);
    throw error;
  }
}

function documentTarget(
  name: string,
  mapping: () => CompiledMapping,
  grammar: Target['grammar'],
  words: readonly string[],
  ...seeds: string[]
): Target {
  return {
    name,
    grammar,
    words,
    limitBytes: 262_144,
    seeds: () => texts(...seeds),
    open: () => openDocuments(mapping()),
  };
}

const MAPPING = {
  prefixes: { ex: 'http://example.org/' },
  timeZone: 'Europe/Brussels',
  records: 'garages[*]',
  variables: { short: { path: 'id', convert: [{ split: '/' }, { item: -1 }] } },
  subject: '{+stream}/entities/{short}',
  type: 'schema:ParkingFacility',
  versionTime: { path: 'at', convert: 'iso' },
  ignoreForChange: ['at'],
  leftOut: ['^.meta'],
  documentTime: { path: 'meta.updated', convert: 'iso' },
  documentTtl: { path: 'meta.ttl', convert: 'integer' },
  properties: [
    ...PROPERTIES,
    { predicate: 'ex:tag', path: 'tags[*]', language: 'nl' },
    {
      predicate: 'ex:where',
      path: 'where',
      node: { type: 'ex:Place', properties: [{ predicate: 'ex:at', paths: ['lon', 'lat'], convert: 'point' }] },
    },
    {
      predicate: 'ex:kind',
      path: 'free',
      convert: { enum: { values: { 7: 'ex:few' }, otherwise: 'absent', iri: true } },
      iri: true,
    },
  ],
};
const CONTEXT_MAPPING = {
  context: { '@vocab': 'http://example.org/', id: 'http://purl.org/dc/terms/identifier' },
  records: 'garages[*]',
  subject: '{+stream}/entities/{id}',
};
const OBSERVATIONS = {
  kind: 'observation',
  records: 'garages[*]',
  series: '{+stream}/entities/{id}',
  subject: '{+stream}/entities/{id}#{+at}',
  properties: [{ predicate: 'sosa:hasSimpleResult', path: 'free', convert: 'integer' }],
};

const PRESETS = ['ghent-garages', 'gios', 'datex2-parking', 'ngsi-ld-parking'];

async function openMappings(): Promise<Session> {
  const published = await Published.open();
  const run = (input: Uint8Array) =>
    refusing(async () => {
      const yaml = readYaml(Buffer.from(input).toString());
      if ('mistakes' in yaml) return refused('yaml');
      const parsed = parseMapping(yaml.value, (path) => yaml.locate(path, 'value').line);
      const toQuads = (jsonLd: object) => parseQuads(JSON.stringify(jsonLd), 'jsonld', STREAM_URL);
      const mapping = compileMapping(parsed, { ...URLS, toQuads });
      mapping.shape(`${STREAM_URL}/shape`);
      const { entities, problems } = await mapping.map({ document: DOCUMENT });
      await appendSnapshot(published, entities);
      return accepted(`${mapping.kind} ${entities.length} ${problems.length}`);
    });
  return { run, check: () => published.check(), close: () => published.close() };
}

/** Documents, by their format, and mappings. */
export const documentTargets: readonly Target[] = [
  documentTarget('json', () => mappingOf('garages[*]', 'json'), 'json', WORDS, JSON.stringify(DOCUMENT)),
  documentTarget(
    'ndjson',
    () => mappingOf(undefined, 'ndjson'),
    'json',
    WORDS,
    DOCUMENT.garages.map((one) => JSON.stringify(one)).join('\n'),
  ),
  documentTarget('geojson', () => mappingOf(undefined, 'geojson'), 'json', WORDS, JSON.stringify(GEOJSON)),
  documentTarget('csv', () => mappingOf(undefined, 'csv'), 'text', CSV_WORDS, CSV),
  documentTarget('xml', () => mappingOf('garage[*]', 'xml'), 'text', XML_WORDS, XML),
  {
    name: 'mappings',
    // The library that reads YAML takes a quadratic time for some files, which are the operator's own.
    limitBytes: 8192,
    grammar: 'json',
    words: [
      ...Object.keys({ ...MAPPING, ...OBSERVATIONS, ...CONTEXT_MAPPING }),
      ...words(`
    predicate path paths value convert datatype language languagePath iri node required lookups reads format charset
    delimiter root by key id free garages[*] tags[*].x a..b a␣|␣b ["a␣b"] $root $key $topic[1] ^.^ {id}
    {+stream}/entities/{id} {+base} {value} integer decimal double iso local date unix split item join replace match
    enum default point json lower scale otherwise absent rdfs:label http://example.org/p @id @type @context &a *a <<
    !!binary | > -␣ :␣
  `),
    ],
    seeds: () =>
      texts(
        ...[MAPPING, CONTEXT_MAPPING, OBSERVATIONS].map((mapping) => JSON.stringify(mapping)),
        ...PRESETS.map((name) => loadPreset(name).text),
      ),
    open: openMappings,
  },
];
