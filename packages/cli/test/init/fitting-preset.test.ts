import { readFileSync } from 'node:fs';
import type { DocumentFormat } from '@ldes-live/sources';
import { expect, test } from 'vitest';
import { fittingPreset } from '../../src/init/fitting-preset.ts';

const SAMPLES = new URL('../../../sources/test/presets/samples/', import.meta.url);
const bytes = (document: unknown) => new TextEncoder().encode(JSON.stringify(document));

test.each<[preset: string, sample: string, format?: DocumentFormat]>([
  ['ngsi-ld-parking', 'ngsi-ld-parking-key-values.json'],
  ['ngsi-ld-parking', 'ngsi-ld-parking-normalised.json'],
  ['ngsi-ld-parking-spot', 'ngsi-ld-spots.json'],
  ['ghent-garages', 'ghent-1.json'],
  ['ghent-garages', 'ghent-2.json'],
  ['parkapi', 'parkapi.json'],
  ['parking-karlsruhe', 'karlsruhe.json', 'geojson'],
  ['parking-freiburg', 'freiburg.json', 'geojson'],
  ['parking-freiburg-park-and-ride', 'freiburg-park-and-ride.json', 'geojson'],
  ['parking-aalen', 'aalen.json'],
  ['parking-nedap', 'nedap.json'],
  ['waqi', 'waqi.json'],
])('%s is chosen for %s', async (preset, sample, format = 'json') => {
  expect((await fittingPreset(readFileSync(new URL(sample, SAMPLES)), { format })).preset).toBe(preset);
});

test.each<[what: string, document: unknown]>([
  ['any list of things with a status', [{ id: '1', name: 'Pump 1', status: 'ok' }]],
  ['things with a type of another name', [{ id: 'urn:ngsi-ld:Pump:1', type: 'Pump', name: 'Pump 1', status: 'ok' }]],
  ['a document with some names of a preset', { status: 'ok', data: { idx: 1, city: { name: 'x' }, aqi: 5 } }],
  [
    'car parks whose fields are just some of those of Ghent',
    [
      {
        id: 'https://parking.example/garages/market',
        name: 'Market',
        lastupdate: '2026-01-01T00:00:00Z',
        totalcapacity: 450,
        availablecapacity: 40,
        occupation: 91,
        isopennow: 1,
        temporaryclosed: 0,
        locationanddimension: '{"coordinatesForDisplay":{"latitude":51,"longitude":3}}',
        text: null,
      },
    ],
  ],
])('no preset is chosen for %s', async (_, document) => {
  expect((await fittingPreset(bytes(document), { format: 'json' })).preset).toBeUndefined();
});
