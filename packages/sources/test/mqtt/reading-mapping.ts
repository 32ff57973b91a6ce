import type { CompiledMapping } from '../../src/mapping/compile.ts';
import { compileMapping, parseMapping } from '../../src/mapping/compile.ts';

const PUBLIC_URL = 'https://live.example.org/';
export const ENTITY = 'https://live.example.org/sensors/';

const properties = [
  { path: 'value', predicate: 'http://www.w3.org/ns/sosa/hasSimpleResult', required: true },
  { path: 'at', predicate: 'http://www.w3.org/ns/sosa/resultTime', convert: 'iso' },
];
const variables = { sensor: { path: '$topic[1]' } };
const versionTime = { path: 'at', convert: 'iso' };

/** The mapping of `{ value, at }` by topic `sensors/NAME`: the state of each sensor. */
export function readingMapping(): CompiledMapping {
  return compiled({ subject: '{+base}sensors/{sensor}', variables, versionTime, properties });
}

/** The same as observations of their own: `{ n, value, at }`. */
export function observationMapping(): CompiledMapping {
  return compiled({
    kind: 'observation',
    subject: '{+base}observations/{sensor}/{n}',
    series: '{+base}sensors/{sensor}',
    variables,
    versionTime,
    properties,
  });
}

function compiled(mapping: object): CompiledMapping {
  return compileMapping(parseMapping(mapping), { publicUrl: PUBLIC_URL, streamUrl: `${PUBLIC_URL}sensors` });
}
