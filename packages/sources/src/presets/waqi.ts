import type { Mapping } from '../mapping/schema.ts';
import { pageOf, pointOf, presetPrefixes } from './preset-terms.ts';

/**
 * A station of the World Air Quality Index: a collection of observations, one for each value of `iaqi`. Those of
 * pollutants are values of an index and have no unit; `t h p w wg` and the like are weather.
 *
 * @see specs/presets.md PRE-15
 */
export const waqi: Mapping = {
  prefixes: presetPrefixes,
  records: 'data | $root',
  subject: '{+stream}/entities/stations/{idx}',
  type: 'sosa:ObservationCollection',
  versionTime: { path: 'time.iso', convert: 'iso' },
  ignoreForChange: ['time.iso'],
  properties: [
    { predicate: 'dct:modified', path: 'time.iso', convert: 'iso' },
    {
      predicate: 'sosa:hasFeatureOfInterest',
      node: {
        subject: '{+base}id/stations/{idx}',
        properties: [
          { predicate: 'rdfs:label', path: 'city.name' },
          pageOf('city.url'),
          pointOf('city.geo[1]', 'city.geo[0]', '{+base}id/stations/{idx}#geometry'),
        ],
      },
    },
    {
      predicate: 'sosa:hasMember',
      path: 'iaqi[*]',
      node: {
        type: 'sosa:Observation',
        properties: [
          { predicate: 'sosa:observedProperty', path: '$key', iri: '{+base}id/properties/waqi/{value}' },
          { predicate: 'sosa:hasSimpleResult', path: 'v', convert: 'decimal' },
        ],
      },
    },
    {
      predicate: 'sosa:hasMember',
      path: 'aqi',
      // What a station without an index sends.
      convert: { sentinel: ['-'] },
      node: {
        type: 'sosa:Observation',
        properties: [
          { predicate: 'sosa:observedProperty', value: 'aqi', iri: '{+base}id/properties/waqi/{value}' },
          { predicate: 'sosa:hasSimpleResult', path: '$this', convert: 'decimal' },
        ],
      },
    },
    {
      predicate: 'schema:additionalProperty',
      path: 'dominentpol',
      node: {
        type: 'schema:PropertyValue',
        properties: [
          { predicate: 'schema:propertyID', value: 'dominentpol' },
          { predicate: 'schema:value', path: '$this' },
        ],
      },
    },
    {
      predicate: 'prov:wasAttributedTo',
      path: 'attributions[*]',
      node: { type: 'prov:Agent', properties: [{ predicate: 'rdfs:label', path: 'name' }, pageOf('url')] },
    },
  ],
  // The same time in other forms, a picture, another service, and what is no measurement.
  leftOut: ['time.s', 'time.tz', 'time.v', 'city.location', 'attributions[*].logo', 'debug', 'forecast'],
};
