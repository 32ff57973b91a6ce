import { durationSchema } from '../duration-schema.ts';
import type { Environment } from '../expand-environment.ts';
import { strictMapping } from '../strict-mapping.ts';
import { documentShape, pagesSchema } from './documents-schema.ts';
import { httpUrl } from './http-fields.ts';
import { mappingChoice, mappingShape } from './mapping-choice.ts';

/** The preset where no other mapping is named. */
const SENSOR_THINGS_PRESET = 'sensorthings';

/** The observations of an OGC SensorThings server, polled. */
export function sensorThingsSchema(environment: Environment) {
  return strictMapping('a mapping with sensorThings and every', {
    sensorThings: httpUrl('an http or https URL of a SensorThings service, such as https://sensors.example/v1.1/'),
    every: durationSchema({ least: '100ms', example: '60s' }),
    pages: pagesSchema().exactOptional(),
    ...mappingShape(),
    ...documentShape(environment),
  }).transform(({ sensorThings: url, every: everyMs, mapping, preset, ...beside }, context) => ({
    kind: 'sensorThings' as const,
    ...beside,
    url,
    everyMs,
    mapping: mappingChoice({ mapping, preset }, context, SENSOR_THINGS_PRESET),
  }));
}
