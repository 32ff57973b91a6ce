import type { Mapping } from '../mapping/schema.ts';
import { giosCommon, giosHour, giosPollutants, giosTime } from './gios-hour.ts';

/**
 * The same of a whole station, gathered by pollutant, with the list of its sensors beside it.
 *
 * @see specs/presets.md PRE-14
 */
export const giosStation: Mapping = {
  ...giosCommon,
  lookups: { sensors: { records: '[*]', key: '["Wskaźnik - kod"]', by: '^.$key', convert: 'upper' } },
  records: '[*]["Lista danych pomiarowych"][*]',
  variables: { sensor: { path: '$sensors["Identyfikator stanowiska"]' }, time: giosTime },
  series: '{+stream}/entities/sensors/{sensor}',
  subject: '{+stream}/entities/sensors/{sensor}#{+time}',
  versionTime: giosTime,
  properties: [
    { predicate: 'sosa:madeBySensor', path: '$sensors["Identyfikator stanowiska"]', iri: '{+base}id/sensors/{value}' },
    {
      predicate: 'sosa:hasFeatureOfInterest',
      path: '$sensors["Identyfikator stacji"]',
      iri: '{+base}id/stations/{value}',
    },
    ...giosHour({ path: '^.$key', convert: { enum: { values: giosPollutants } } }),
  ],
  // Other names of the pollutant.
  leftOut: ['$sensors["Wskaźnik"]', '$sensors["Wskaźnik - wzór"]', '$sensors["Id wskaźnika"]'],
};
