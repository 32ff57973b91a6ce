import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { literal, namedNode, prefixes, quad } from '@ldes-live/rdf-stream';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { compileMapping, loadPreset, parseMapping, presetNames } from '../../src/index.ts';
import {
  expectWhole,
  iri,
  mapPreset,
  mappingOf,
  ofSample,
  publicUrl,
  sample,
  samples,
  shapeFindings,
  streamUrl,
} from './map-preset.ts';

const specification = readFileSync(fileURLToPath(new URL('../../../../specs/presets.md', import.meta.url)), 'utf8');

const FOLDER = new URL('../../presets/', import.meta.url);

test.each(presetNames())('PRE-1 %s is a mapping that a file holds, compiles, and is documented', (name) => {
  expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  const { mapping, text, exampleUrl, exampleLookups = {}, documentation, title, description } = loadPreset(name);
  expect(text).toBe(readFileSync(new URL(`${name}.yml`, FOLDER), 'utf8'));
  expect(text).toMatch(/^# /);
  expect(parseMapping(parse(text))).toEqual(mapping);
  const { lookups, kind } = compileMapping(mapping, { publicUrl, streamUrl });
  expect(Object.keys(lookups)).toEqual(expect.arrayContaining(Object.keys(exampleLookups)));
  expect(kind).toBe(mapping.kind ?? 'state');
  expect(specification).toContain(`\`${name}\``);
  expect(specification).toContain(exampleUrl);
  expect(URL.canParse(exampleUrl.replace(/<[^>]*>/g, 'x'))).toBe(true);
  expect(URL.canParse(documentation)).toBe(true);
  expect(title.length).toBeGreaterThan(0);
  expect(description).toMatch(/\.$/);
});

test('PRE-1 each file is one of a preset, which nobody can change for others', () => {
  const files = readdirSync(FOLDER).map((file) => file.replace(/\.yml$/, ''));
  expect(files.sort()).toEqual(['index', ...presetNames()].sort());
  const { mapping } = loadPreset('ghent-garages');
  expect(loadPreset('ghent-garages').mapping).toBe(mapping);
  expect(() => Object.assign(mapping.properties[0] as object, { path: 'x' })).toThrow(TypeError);
});

test.each(['gent', 'toString'])('PRE-1 there is no preset %s', (preset) => {
  const unknown = { code: 'ERR_PRESET_UNKNOWN', details: { preset, known: presetNames() } };
  expect(() => loadPreset(preset)).toThrow(expect.objectContaining(unknown));
});

test.each(Object.entries(samples))('PRE-2 the sample %s is mapped whole, by both shapes', async (file, [, shape]) => {
  await expectWhole(ofSample(file), shape);
});

test('PRE-2 a field that nobody mapped is told, also deep in a record', async () => {
  const document = JSON.parse(new TextDecoder().decode(sample('ghent-2.json')));
  document.results[0].colour = 'blue';
  document.results[0].location.height = 3;
  const mapped = mapPreset(mappingOf('ghent-garages'), {
    body: new TextEncoder().encode(JSON.stringify(document)),
  });
  expect(await mapped.unmapped()).toEqual(['colour', 'location.height']);
});

describe('shapes that are written by hand', () => {
  const garage = ofSample('ghent-2.json').drafts[0]!;
  const gauge = ofSample('usgs.json').drafts[0]!;
  const vehicle = ofSample('gbfs-3-vehicle-status.json').drafts[0]!;

  test.each([
    ['parking', garage, 'rdfs:label'],
    ['parking', garage, 'mv:maximumValue'],
    ['parking', garage, 'mv:currentValue'],
    ['parking', garage, 'mv:freeOfCharge'],
    ['parking', garage, 'geo:asWKT'],
    ['observation', gauge, 'sosa:hasSimpleResult'],
    ['observation', gauge, 'qudt:numericValue'],
    ['gbfs', vehicle, 'gbfs:is_reserved'],
    ['gbfs', vehicle, 'gbfs:is_disabled'],
  ] as const)('PRE-2 %s.ttl misses what is missing (%#)', async (name, draft, predicate) => {
    const quads = draft.quads.filter((quad) => quad.predicate.value !== iri(predicate));
    expect(quads.length).toBeLessThan(draft.quads.length);
    expect(await shapeFindings(name, [{ ...draft, quads }])).not.toEqual([]);
  });

  test.each([
    ['parking', garage, 'mv:rateOfOccupancy'],
    ['parking', garage, 'dct:modified'],
    ['observation', gauge, 'qudt:hasUnit'],
    ['observation', gauge, 'sosa:resultTime'],
    ['gbfs', vehicle, 'gbfs:current_fuel_percent'],
    ['gbfs', vehicle, 'gbfs:last_reported'],
  ] as const)('PRE-2 %s.ttl refuses a text where something else is meant (%#)', async (name, draft, predicate) => {
    const quads = draft.quads.map((found) =>
      found.predicate.value === iri(predicate)
        ? quad(found.subject, namedNode(iri(predicate)), literal('some', `${prefixes.xsd}string`))
        : found,
    );
    expect(await shapeFindings(name, [{ ...draft, quads }])).not.toEqual([]);
  });
});
