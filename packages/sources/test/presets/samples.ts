import type { Mapping } from '../../src/mapping/mapping.ts';
import { datex2Parking } from '../../src/presets/datex2-parking.ts';
import { gbfsStationStatus } from '../../src/presets/gbfs-station-status.ts';
import { gbfsVehicleStatus } from '../../src/presets/gbfs-vehicle-status.ts';
import { ghentGarages } from '../../src/presets/ghent-garages.ts';
import { gios } from '../../src/presets/gios.ts';
import { giosStation } from '../../src/presets/gios-station.ts';
import { ngsiLdParking } from '../../src/presets/ngsi-ld-parking.ts';
import { ngsiLdParkingSpot } from '../../src/presets/ngsi-ld-parking-spot.ts';
import { parkapi } from '../../src/presets/parkapi.ts';
import { parkingAalen } from '../../src/presets/parking-aalen.ts';
import { parkingBasel } from '../../src/presets/parking-basel.ts';
import { parkingFreiburg } from '../../src/presets/parking-freiburg.ts';
import { parkingFreiburgParkAndRide } from '../../src/presets/parking-freiburg-park-and-ride.ts';
import { parkingKarlsruhe } from '../../src/presets/parking-karlsruhe.ts';
import { parkingNedap } from '../../src/presets/parking-nedap.ts';
import { sensorThings } from '../../src/presets/sensor-things.ts';
import { sensorThingsMqtt } from '../../src/presets/sensor-things-mqtt.ts';
import { usgsWater } from '../../src/presets/usgs-water.ts';
import { waqi } from '../../src/presets/waqi.ts';
import { bietigheimBissingen, sensade } from './city-mappings.ts';
import { type HandWrittenShapes, type MappedPreset, mapPreset, sample } from './map-preset.ts';

interface SampleInput {
  /** Files of the lookups. */
  readonly lookups?: Readonly<Record<string, string>>;
  readonly topic?: readonly string[];
}

/** The samples, made up in this repository: what each is mapped by, and which shape that has. */
export const samples: Readonly<Record<string, readonly [Mapping, HandWrittenShapes, SampleInput?]>> = {
  'aalen.json': [parkingAalen, 'parking'],
  'basel.json': [parkingBasel, 'parking'],
  'bietigheim.csv': [bietigheimBissingen, 'parking'],
  'datex2-status.xml': [datex2Parking, 'parking', { lookups: { sites: 'datex2-table.xml' } }],
  'freiburg.json': [parkingFreiburg, 'parking'],
  'freiburg-park-and-ride.json': [parkingFreiburgParkAndRide, 'parking'],
  'gbfs-2-free-bike-status.json': [gbfsVehicleStatus, 'gbfs'],
  'gbfs-2-station-status.json': [
    gbfsStationStatus,
    'gbfs',
    { lookups: { information: 'gbfs-2-station-information.json' } },
  ],
  'gbfs-3-station-status.json': [
    gbfsStationStatus,
    'gbfs',
    { lookups: { information: 'gbfs-3-station-information.json' } },
  ],
  'gbfs-3-vehicle-status.json': [gbfsVehicleStatus, 'gbfs'],
  'ghent-1.json': [ghentGarages, 'parking'],
  'ghent-2.json': [ghentGarages, 'parking'],
  'gios-sensor.json': [gios, 'observation'],
  'gios-station.json': [giosStation, 'observation', { lookups: { sensors: 'gios-sensors.json' } }],
  'karlsruhe.json': [parkingKarlsruhe, 'parking'],
  'nedap.json': [parkingNedap, 'parking'],
  'ngsi-ld-parking-key-values.json': [ngsiLdParking, 'parking'],
  'ngsi-ld-parking-normalised.json': [ngsiLdParking, 'parking'],
  'ngsi-ld-spots.json': [ngsiLdParkingSpot, 'parking'],
  'parkapi.json': [parkapi, 'parking'],
  'sensade.json': [sensade, 'parking'],
  'sensorthings-mqtt-observation.json': [
    sensorThingsMqtt,
    'observation',
    { topic: ['v1.1', 'Datastreams(12)', 'Observations'] },
  ],
  'sensorthings-observations.json': [sensorThings, 'observation'],
  'usgs.json': [usgsWater, 'observation'],
  'waqi.json': [waqi, 'observation'],
};

/** What a sample is mapped to. */
export function ofSample(file: string): MappedPreset {
  const [mapping, , { lookups = {}, topic = [] } = {}] = samples[file] as (typeof samples)[string];
  const bodies = Object.entries(lookups).map(([name, lookup]) => [name, sample(lookup)]);
  return mapPreset(mapping, { body: sample(file), lookups: Object.fromEntries(bodies), topic });
}
