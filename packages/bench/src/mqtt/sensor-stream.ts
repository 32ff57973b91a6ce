import { describeStream, type StreamDescription } from '@ldes-live/rdf-stream';
import { type CompiledMapping, compileMapping, parseMapping } from '@ldes-live/sources';

/** Begins the IRIs of observations; behind it comes `SENSOR/NUMBER`. */
export const OBSERVATIONS = 'observations/';

/** The stream of observations at a server. */
export function sensorStream(publicUrl: string): StreamDescription {
  return describeStream({ publicUrl, name: 'observations' });
}

/** How `{ n, at, value }` of topic `sensors/NAME` becomes an observation. */
export function sensorMapping({ publicUrl, url: streamUrl }: StreamDescription): CompiledMapping {
  const mapping = {
    kind: 'observation',
    subject: `{+base}${OBSERVATIONS}{sensor}/{n}`,
    series: '{+base}sensors/{sensor}',
    type: 'sosa:Observation',
    variables: { sensor: { path: '$topic[1]' } },
    versionTime: { path: 'at', convert: 'iso' },
    properties: [
      { path: '$topic[1]', predicate: 'sosa:madeBySensor', iri: `${publicUrl}sensors/{value}` },
      { path: 'at', predicate: 'sosa:resultTime', convert: 'iso' },
      { path: 'value', predicate: 'sosa:hasSimpleResult', convert: 'decimal' },
    ],
  };
  return compileMapping(parseMapping(mapping), { publicUrl, streamUrl });
}
