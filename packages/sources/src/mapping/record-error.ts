import type { StreamError } from '@ldes-live/rdf-stream';
import { errors, mappingPathText } from '../errors.ts';
import type { RecordProblem } from './paths.ts';
import type { LineOf } from './schema.ts';

/** How many records of a document that cannot be mapped are told one by one. */
export const MOST_PROBLEMS = 20;

/** A problem of a record as an error. */
export function recordError(
  record: number,
  { place, value, message }: RecordProblem,
  lineOf: LineOf | undefined,
): StreamError {
  const line = lineOf?.(place.at);
  return errors.ERR_MAPPING_RECORD({
    record,
    mapping: mappingPathText(place.at),
    ...(line === undefined ? {} : { line }),
    path: place.path,
    sample: sampleOf(value),
    reason: message,
  });
}

/** How much of a value a report shows, in characters. */
const SAMPLE_CHARACTERS = 80;

/** The beginning of a value as JSON, on one line. */
function sampleOf(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value));
  const characters = [...text.slice(0, 2 * SAMPLE_CHARACTERS)];
  return characters.length > SAMPLE_CHARACTERS ? `${characters.slice(0, SAMPLE_CHARACTERS - 1).join('')}…` : text;
}
