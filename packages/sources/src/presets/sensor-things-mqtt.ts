import type { Mapping } from '../mapping/schema.ts';
import { notOfObservation, saidOfObservation, sensorThingsCommon } from './sensor-things-observation.ts';

/**
 * Observations of SensorThings as its extension for MQTT sends them, by topics such as
 * `v1.1/Datastreams(851)/Observations`: without what they belong to, which the topic names alone.
 *
 * @see specs/presets.md PRE-6
 */
export const sensorThingsMqtt: Mapping = {
  ...sensorThingsCommon,
  variables: {
    id: { path: '["@iot.id"]' },
    datastream: { path: '$topic[1]', convert: [{ split: '(' }, { item: 1 }, { split: ')' }, { item: 0 }] },
  },
  key: ['["@iot.id"]'],
  properties: [...saidOfObservation, { predicate: 'dct:isPartOf', iri: '{+stream}/entities/datastreams/{datastream}' }],
  leftOut: notOfObservation,
};
