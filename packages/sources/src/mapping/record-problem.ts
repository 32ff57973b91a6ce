import type { MappingPath } from '../errors.ts';

/** Where a value of a record was asked for. */
export interface ValuePlace {
  /** Where in the mapping. */
  readonly at: MappingPath;
  /** The path that leads to the value, as the mapping has it; empty where there is none. */
  readonly path: string;
}

/** Why a record cannot be mapped. It is reported and left out; it never leaves the mapping. */
export class RecordProblem extends Error {
  override readonly name = 'RecordProblem';
  readonly place: ValuePlace;
  /** The value at fault; `undefined` when there is none. */
  readonly value: unknown;

  constructor(place: ValuePlace, message: string, value?: unknown) {
    super(message);
    this.place = place;
    this.value = value;
  }
}

/** How much of a value a report shows, in characters. */
const SAMPLE_CHARACTERS = 80;

/** The beginning of a value as JSON, on one line. */
export function sampleOf(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value));
  const characters = [...text.slice(0, 2 * SAMPLE_CHARACTERS)];
  return characters.length > SAMPLE_CHARACTERS ? `${characters.slice(0, SAMPLE_CHARACTERS - 1).join('')}…` : text;
}
