import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { literal, namedNode, prefixes, quad } from '@ldes-live/rdf-stream';
import { describe, expect, test } from 'vitest';
import { compileMapping, parseMapping } from '../../src/mapping/compile.ts';
import { ghentGarages } from '../../src/presets/ghent-garages.ts';
import { presets } from '../../src/presets/presets.ts';
import { expectWhole, iri, mapPreset, publicUrl, sample, shapeFindings, streamUrl } from './map-preset.ts';
import { ofSample, samples } from './samples.ts';

const specification = readFileSync(fileURLToPath(new URL('../../../../specs/presets.md', import.meta.url)), 'utf8');

test.each(Object.entries(presets))('PRE-1 %s is plain data that a file could hold, and compiles', (name, preset) => {
  expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  const read = parseMapping(JSON.parse(JSON.stringify(preset.mapping)));
  expect(read).toEqual(preset.mapping);
  const { lookups, kind } = compileMapping(read, { publicUrl, streamUrl });
  for (const lookup of Object.keys(preset.exampleLookups ?? {})) expect(Object.keys(lookups)).toContain(lookup);
  expect(kind).toBe(preset.mapping.kind ?? 'state');
});

test.each(Object.entries(presets))(
  'PRE-1 %s is documented, with a real example',
  (name, { exampleUrl, documentation, title, description }) => {
    expect(specification).toContain(`\`${name}\``);
    expect(specification).toContain(exampleUrl);
    expect(URL.canParse(exampleUrl.replace(/<[^>]*>/g, 'x'))).toBe(true);
    expect(URL.canParse(documentation)).toBe(true);
    expect(title.length).toBeGreaterThan(0);
    expect(description).toMatch(/\.$/);
  },
);

test.each(Object.entries(samples))('PRE-2 the sample %s is mapped whole, by both shapes', async (file, [, shape]) => {
  await expectWhole(ofSample(file), shape);
});

test('PRE-2 a field that nobody mapped is told, also deep in a record', () => {
  const document = JSON.parse(new TextDecoder().decode(sample('ghent-2.json')));
  document.results[0].colour = 'blue';
  document.results[0].location.height = 3;
  const { unmapped } = mapPreset(ghentGarages, { body: new TextEncoder().encode(JSON.stringify(document)) });
  expect(unmapped).toEqual(['colour', 'location.height']);
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
