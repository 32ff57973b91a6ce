import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { literal, quad } from '@ldes-live/rdf-stream';
import type { NamedNode, Quad } from '@rdfjs/types';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { compileMapping, loadPreset, parseMapping, presetNames } from '../../src/index.ts';
import { urls } from '../mapping/mapped.ts';
import { expectWhole, iri, mapPreset, ofSample, sampleJson, samples, shapeFindings } from './map-preset.ts';

const specification = readFileSync(fileURLToPath(new URL('../../../../specs/presets.md', import.meta.url)), 'utf8');

const FOLDER = new URL('../../presets/', import.meta.url);

test.each(presetNames())('PRE-1 %s is a mapping that a file holds, compiles, and is documented', (name) => {
  expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  const { mapping, text, exampleUrl, exampleLookups = {}, documentation, title, description } = loadPreset(name);
  expect(text).toBe(readFileSync(new URL(`${name}.yml`, FOLDER), 'utf8'));
  expect(text).toMatch(/^# /);
  expect(parseMapping(parse(text))).toEqual(mapping);
  const { lookups, kind } = compileMapping(mapping, urls);
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
  const body = sampleJson('ghent-2.json');
  body.results[0].colour = 'blue';
  body.results[0].location.height = 3;
  expect(await mapPreset('ghent-garages', { body }).unmapped()).toEqual(['colour', 'location.height']);
});

describe('shapes that are written by hand', () => {
  const garage = ofSample('ghent-2.json').drafts[0]!;
  const gauge = ofSample('usgs.json').drafts[0]!;
  const vehicle = ofSample('gbfs-3-vehicle-status.json').drafts[0]!;

  const nothing = () => [];
  const text = ({ subject, predicate }: Quad) => [quad(subject, predicate as NamedNode, literal('some'))];
  test.each([
    ['parking', garage, 'rdfs:label mv:maximumValue mv:currentValue mv:freeOfCharge geo:asWKT', nothing],
    ['observation', gauge, 'sosa:hasSimpleResult qudt:numericValue', nothing],
    ['gbfs', vehicle, 'gbfs:is_reserved gbfs:is_disabled', nothing],
    ['parking', garage, 'mv:rateOfOccupancy dct:modified', text],
    ['observation', gauge, 'qudt:hasUnit sosa:resultTime', text],
    ['gbfs', vehicle, 'gbfs:current_fuel_percent gbfs:last_reported', text],
  ] as const)('PRE-2 %s.ttl misses what is missing, and refuses a text for something else (%#)', async (...row) => {
    const [name, draft, predicates, instead] = row;
    for (const predicate of predicates.split(' ')) {
      const isIt = (said: Quad) => said.predicate.value === iri(predicate);
      expect(draft.quads.some(isIt), predicate).toBe(true);
      const quads = draft.quads.flatMap((said) => (isIt(said) ? instead(said) : [said]));
      expect(await shapeFindings(name, [{ ...draft, quads }]), predicate).not.toEqual([]);
    }
  });
});
