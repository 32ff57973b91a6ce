import type { MappedProperty, Mapping } from '../mapping/schema.ts';
import { presetPrefixes } from './preset-terms.ts';

/** What an observation says of itself, whichever way it comes. An interval has two times, its ends. */
export const saidOfObservation: readonly MappedProperty[] = [
  { predicate: 'dct:identifier', path: '["@iot.id"]', datatype: 'xsd:string' },
  { predicate: 'rdfs:seeAlso', path: '["@iot.selfLink"]', iri: true },
  { predicate: 'sosa:phenomenonTime', path: 'phenomenonTime', convert: [{ split: '/' }, 'iso'] },
  { predicate: 'sosa:hasSimpleResult', path: 'result', required: true },
];

/** `resultTime` is often null; an interval has happened when it ends. */
const versionTime = { path: 'resultTime | phenomenonTime', convert: [{ split: '/' }, { item: -1 }, 'iso'] } as const;

/** What the mappings of SensorThings have in common. */
export const sensorThingsCommon = {
  kind: 'observation',
  prefixes: presetPrefixes,
  type: 'sosa:Observation',
  series: '{+stream}/entities/datastreams/{datastream}',
  subject: '{+stream}/entities/datastreams/{datastream}#{id}',
  versionTime,
} as const satisfies Partial<Mapping>;

const links = [
  '["Datastream@iot.navigationLink"]',
  '["MultiDatastream@iot.navigationLink"]',
  '["FeatureOfInterest@iot.navigationLink"]',
];
/** Fields of an observation that are left out: links of the interface, and what is said of its quality. */
export const notOfObservation = ['resultQuality', 'validTime', 'parameters', ...links];
