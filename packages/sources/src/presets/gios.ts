import type { Mapping } from '../mapping/schema.ts';
import { giosCommon, giosHour, giosPollutants, giosTime } from './gios-hour.ts';

/**
 * Hourly means of one sensor of the Polish air quality network, as its interface gives them: an observation for each
 * hour, in local time without a zone.
 *
 * @see specs/presets.md PRE-14
 */
export const gios: Mapping = {
  ...giosCommon,
  records: '["Lista danych pomiarowych"][*]',
  variables: { sensor: { path: '["Kod stanowiska"]' }, time: giosTime },
  series: '{+stream}/entities/sensors/{sensor}',
  subject: '{+stream}/entities/sensors/{sensor}#{+time}',
  versionTime: giosTime,
  properties: [
    { predicate: 'sosa:madeBySensor', path: '["Kod stanowiska"]', iri: '{+base}id/sensors/{value}' },
    {
      predicate: 'sosa:hasFeatureOfInterest',
      path: '["Kod stanowiska"]',
      convert: [{ split: '-' }, { item: 0 }],
      iri: '{+base}id/stations/{value}',
    },
    ...giosHour({
      path: '["Kod stanowiska"]',
      convert: [{ split: '-' }, { item: 1 }, 'lower', { enum: { values: giosPollutants } }],
    }),
  ],
};
