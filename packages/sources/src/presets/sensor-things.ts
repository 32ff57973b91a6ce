import type { MappedProperty, Mapping } from '../mapping/schema.ts';
import { geometryOf } from './preset-terms.ts';
import { notOfObservation, saidOfObservation, sensorThingsCommon } from './sensor-things-observation.ts';

const linksOf = [
  '@iot.selfLink',
  'Observations@iot.navigationLink',
  'Datastreams@iot.navigationLink',
  'MultiDatastreams@iot.navigationLink',
  'Thing@iot.navigationLink',
  'Sensor@iot.navigationLink',
  'ObservedProperty@iot.navigationLink',
  'Locations@iot.navigationLink',
  'HistoricalLocations@iot.navigationLink',
  'TaskingCapabilities@iot.navigationLink',
];

/** A numeric result as a quantity; a unit that QUDT does not have is said as text alone. */
const ofQuantity: readonly MappedProperty[] = [
  {
    predicate: 'sosa:hasResult',
    node: {
      type: 'qudt:QuantityValue',
      properties: [
        {
          predicate: 'qudt:numericValue',
          path: 'result',
          convert: [{ ifPossible: 'decimal' }, 'decimal'],
          required: true,
        },
        {
          predicate: 'qudt:hasUnit',
          path: 'Datastream.unitOfMeasurement.definition',
          convert: { ifPossible: 'ucum' },
          iri: true,
        },
      ],
    },
  },
  { predicate: 'schema:unitText', path: 'Datastream.unitOfMeasurement.symbol' },
];

const described = (name: string) => ['description', 'properties'].map((field) => `${name}.${field}`);

/**
 * Observations of OGC SensorThings 1.0 and 1.1 with what they belong to, asked for by
 * `$expand=Datastream($expand=Thing,Sensor,ObservedProperty),FeatureOfInterest`.
 *
 * @see specs/presets.md PRE-5
 */
export const sensorThings: Mapping = {
  ...sensorThingsCommon,
  records: 'value[*]',
  variables: {
    id: { path: '["@iot.id"]' },
    datastream: { path: 'Datastream["@iot.id"]' },
    thing: { path: 'Datastream.Thing["@iot.id"]' },
    sensor: { path: 'Datastream.Sensor["@iot.id"]' },
    property: { path: 'Datastream.ObservedProperty["@iot.id"]' },
    feature: { path: 'FeatureOfInterest["@iot.id"]' },
  },
  key: ['["@iot.id"]', 'Datastream["@iot.id"]'],
  properties: [
    ...saidOfObservation,
    ...ofQuantity,
    {
      predicate: 'dct:isPartOf',
      node: {
        subject: '{+stream}/entities/datastreams/{datastream}',
        properties: [{ predicate: 'rdfs:label', path: 'Datastream.name' }],
      },
    },
    {
      predicate: 'sosa:madeBySensor',
      node: {
        subject: '{+base}id/sensors/{sensor}',
        properties: [
          { predicate: 'rdfs:label', path: 'Datastream.Sensor.name' },
          {
            predicate: 'sosa:isHostedBy',
            node: {
              subject: '{+base}id/things/{thing}',
              properties: [{ predicate: 'rdfs:label', path: 'Datastream.Thing.name' }],
            },
          },
        ],
      },
    },
    {
      predicate: 'sosa:observedProperty',
      node: {
        subject: '{+base}id/properties/{property}',
        properties: [
          { predicate: 'rdfs:label', path: 'Datastream.ObservedProperty.name' },
          { predicate: 'schema:url', path: 'Datastream.ObservedProperty.definition', datatype: 'xsd:anyURI' },
        ],
      },
    },
    {
      predicate: 'sosa:hasFeatureOfInterest',
      node: {
        subject: '{+base}id/features/{feature}',
        properties: [
          { predicate: 'rdfs:label', path: 'FeatureOfInterest.name' },
          geometryOf('FeatureOfInterest.feature', '{+base}id/features/{feature}#geometry'),
        ],
      },
    },
  ],
  // Links of the interface, and what is known of things beyond their names and places.
  leftOut: [
    ...notOfObservation,
    ...[
      'Datastream',
      'Datastream.Thing',
      'Datastream.Sensor',
      'Datastream.ObservedProperty',
      'FeatureOfInterest',
    ].flatMap((thing) => [...described(thing), ...linksOf.map((link) => `${thing}["${link}"]`)]),
    'Datastream.observationType',
    'Datastream.observedArea',
    'Datastream.phenomenonTime',
    'Datastream.resultTime',
    'Datastream.unitOfMeasurement.name',
    'Datastream.Sensor.encodingType',
    'Datastream.Sensor.metadata',
    'FeatureOfInterest.encodingType',
  ],
};
