import type { MappedProperty } from '../mapping/schema.ts';
import { quantity } from './observation-terms.ts';
import { presetPrefixes } from './preset-terms.ts';

const EIONET = 'http://dd.eionet.europa.eu/vocabulary/aq/pollutant/';

/** Pollutants by the vocabulary of the European Environment Agency. */
export const giosPollutants = {
  so2: `${EIONET}1`,
  pm10: `${EIONET}5`,
  o3: `${EIONET}7`,
  no2: `${EIONET}8`,
  nox: `${EIONET}9`,
  co: `${EIONET}10`,
  c6h6: `${EIONET}20`,
  no: `${EIONET}38`,
  'pm2.5': `${EIONET}6001`,
};

/** What an hour says, whatever names the pollutant. */
export function giosHour(pollutant: Pick<MappedProperty, 'path' | 'convert'>): MappedProperty[] {
  return [
    { predicate: 'sosa:observedProperty', ...pollutant, iri: true, required: true },
    { predicate: 'sosa:phenomenonTime', path: 'Data', convert: 'local' },
    ...quantity('Wartość', { value: 'unit:MicroGM-PER-M3' }),
  ];
}

/** When an hour was: in the zone of the mapping. */
export const giosTime = { path: 'Data', convert: 'local' } as const;
/** What the mappings of this network have in common. */
export const giosCommon = {
  kind: 'observation',
  type: 'sosa:Observation',
  timeZone: 'Europe/Warsaw',
  prefixes: presetPrefixes,
} as const;
