import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { loadPreset, type Mapping, presetNames } from '../../src/index.ts';
import { type HandWrittenShapes, type MappedPreset, mapPreset, sample } from './map-preset.ts';

interface SampleInput {
  /** Files of the lookups. */
  readonly lookups?: Readonly<Record<string, string>>;
  readonly topic?: readonly string[];
}

/** The mapping of a preset, or of a format of one publisher. */
export function mappingOf(preset: string): Mapping {
  if (presetNames().includes(preset)) return loadPreset(preset).mapping;
  return parse(readFileSync(new URL(`./mappings/${preset}.yml`, import.meta.url), 'utf8')) as Mapping;
}

const stations = (version: number) => ({ lookups: { information: `gbfs-${version}-station-information.json` } });
const topic = ['v1.1', 'Datastreams(12)', 'Observations'];

/** The samples, made up in this repository: what each is mapped by, and which shape that has. */
export const samples: Readonly<Record<string, readonly [preset: string, HandWrittenShapes, SampleInput?]>> = {
  'aalen.json': ['parking-aalen', 'parking'],
  'basel.json': ['parking-basel', 'parking'],
  'bietigheim.csv': ['bietigheim', 'parking'],
  'datex2-status.xml': ['datex2-parking', 'parking', { lookups: { sites: 'datex2-table.xml' } }],
  'freiburg.json': ['parking-freiburg', 'parking'],
  'freiburg-park-and-ride.json': ['parking-freiburg-park-and-ride', 'parking'],
  'gbfs-2-free-bike-status.json': ['gbfs-vehicle-status', 'gbfs'],
  'gbfs-2-station-status.json': ['gbfs-station-status', 'gbfs', stations(2)],
  'gbfs-3-station-status.json': ['gbfs-station-status', 'gbfs', stations(3)],
  'gbfs-3-vehicle-status.json': ['gbfs-vehicle-status', 'gbfs'],
  'ghent-1.json': ['ghent-garages', 'parking'],
  'ghent-2.json': ['ghent-garages', 'parking'],
  'gios-sensor.json': ['gios', 'observation'],
  'gios-station.json': ['gios-station', 'observation', { lookups: { sensors: 'gios-sensors.json' } }],
  'karlsruhe.json': ['parking-karlsruhe', 'parking'],
  'nedap.json': ['parking-nedap', 'parking'],
  'ngsi-ld-parking-key-values.json': ['ngsi-ld-parking', 'parking'],
  'ngsi-ld-parking-normalised.json': ['ngsi-ld-parking', 'parking'],
  'ngsi-ld-spots.json': ['ngsi-ld-parking-spot', 'parking'],
  'parkapi.json': ['parkapi', 'parking'],
  'sensade.json': ['sensade', 'parking'],
  'sensorthings-mqtt-observation.json': ['sensorthings-mqtt', 'observation', { topic }],
  'sensorthings-observations.json': ['sensorthings', 'observation'],
  'usgs.json': ['usgs-water', 'observation'],
  'waqi.json': ['waqi', 'observation'],
};

/** What a sample is mapped to. */
export function ofSample(file: string): MappedPreset {
  const [preset, , { lookups = {}, topic = [] } = {}] = samples[file] as (typeof samples)[string];
  const bodies = Object.entries(lookups).map(([name, lookup]) => [name, sample(lookup)]);
  return mapPreset(mappingOf(preset), { body: sample(file), lookups: Object.fromEntries(bodies), topic });
}
