import type { Mapping } from '../mapping/schema.ts';
import { quantity } from './observation-terms.ts';
import { pointOf, presetPrefixes } from './preset-terms.ts';

const SERIES = '^.^';
const SITE = `${SERIES}.sourceInfo`;
const PLACE = `${SITE}.geoLocation.geogLocation`;
const VARIABLE = `${SERIES}.variable`;

/**
 * Instantaneous values of the U.S. Geological Survey, as JSON of WaterML 1.1: an observation for each value.
 *
 * @see specs/presets.md PRE-16
 */
export const usgsWater: Mapping = {
  kind: 'observation',
  prefixes: presetPrefixes,
  records: 'value.timeSeries[*].values[*].value[*]',
  variables: {
    agency: { path: `${SITE}.siteCode[0].agencyCode` },
    site: { path: `${SITE}.siteCode[0].value` },
    parameter: { path: `${VARIABLE}.variableCode[0].value` },
    method: { path: '^.method[0].methodID' },
    time: { path: 'dateTime', convert: 'iso' },
  },
  series: '{+stream}/entities/series/{agency}/{site}/{parameter}/{method}',
  subject: '{+stream}/entities/series/{agency}/{site}/{parameter}/{method}#{+time}',
  type: 'sosa:Observation',
  versionTime: { path: 'dateTime', convert: 'iso' },
  properties: [
    { predicate: 'sosa:phenomenonTime', path: 'dateTime', convert: 'iso' },
    {
      predicate: 'sosa:hasFeatureOfInterest',
      node: {
        subject: '{+base}id/sites/{agency}/{site}',
        properties: [
          { predicate: 'rdfs:label', path: `${SITE}.siteName` },
          pointOf(`${PLACE}.longitude`, `${PLACE}.latitude`, '{+base}id/sites/{agency}/{site}#geometry'),
        ],
      },
    },
    {
      predicate: 'sosa:observedProperty',
      node: {
        subject: '{+base}id/properties/usgs/{parameter}',
        properties: [{ predicate: 'rdfs:label', path: `${VARIABLE}.variableDescription`, language: 'en' }],
      },
    },
    // Values stay in the unit that they were published in.
    ...quantity(
      'value',
      {
        path: `${VARIABLE}.unit.unitCode`,
        convert: {
          enum: {
            values: {
              ft: 'unit:FT',
              'ft3/s': 'unit:FT3-PER-SEC',
              in: 'unit:IN',
              'deg C': 'unit:DEG_C',
              'deg F': 'unit:DEG_F',
              'mg/l': 'unit:MilliGM-PER-L',
              'uS/cm @25C': 'unit:MicroS-PER-CentiM',
              'std units': 'unit:PH',
              '%': 'unit:PERCENT',
              mph: 'unit:MI-PER-HR',
              'ft/sec': 'unit:FT-PER-SEC',
            },
            otherwise: 'absent',
            iri: true,
          },
        },
      },
      [-999999],
    ),
    { predicate: 'schema:unitText', path: `${VARIABLE}.unit.unitCode` },
    // P for provisional, A for approved, and so on.
    { predicate: 'schema:measurementQualifier', path: 'qualifiers[*]' },
  ],
};
