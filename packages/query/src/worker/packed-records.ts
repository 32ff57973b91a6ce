import type { Quad, Term } from '@rdfjs/types';
import type { Row } from '../live-result.ts';
import { packTerm, quadOf, unpackTerm } from './packed-terms.ts';

/** Rows or quads on the way to another thread: each term once, as text, and which of them each record has. */
export interface PackedRecords {
  readonly terms: readonly string[];
  /** For each record, a number for each of its fields: 0 for none, otherwise the term's place and 1. */
  readonly places: Uint32Array;
}

/** How records of a kind are taken apart, and made. */
export interface RecordKind<R> {
  /** How many terms a record has at most. */
  readonly width: number;
  readonly fields: (record: R) => readonly (Term | undefined)[];
  readonly make: (fields: readonly (Term | undefined)[]) => R;
}

/** Quads as records. */
export const quadKind: RecordKind<Quad> = {
  width: 4,
  fields: ({ subject, predicate, object, graph }) => [subject, predicate, object, graph],
  make: quadOf,
};

/**
 * Solutions as records.
 *
 * @param variables - all that may be bound
 */
export function rowKind(variables: readonly string[]): RecordKind<Row> {
  return {
    width: variables.length,
    // A variable may have the name of something that every object has.
    fields: (row) => variables.map((name) => (Object.hasOwn(row, name) ? row[name] : undefined)),
    make: (fields) => Object.fromEntries(boundOf(variables, fields)),
  };
}

function boundOf(variables: readonly string[], fields: readonly (Term | undefined)[]): [string, Term][] {
  const bound: [string, Term][] = [];
  for (const [index, name] of variables.entries()) {
    const term = fields[index];
    if (term) bound.push([name, term]);
  }
  return bound;
}

/** Packs records. What it costs grows with their number: give it no more at once than others can wait for. */
export function packRecords<R>(records: readonly R[], kind: RecordKind<R>): PackedRecords {
  const terms: string[] = [];
  const placeOf = new Map<string, number>();
  const places = new Uint32Array(records.length * kind.width);
  let next = 0;
  for (const record of records) {
    for (const term of kind.fields(record)) {
      places[next++] = term ? place(packTerm(term)) : 0;
    }
  }
  return { terms, places };

  function place(text: string): number {
    let found = placeOf.get(text);
    if (found === undefined) {
      found = terms.push(text);
      placeOf.set(text, found);
    }
    return found;
  }
}

/** A record, and a text that only equal ones have. */
export interface KeyedRecord<R> {
  readonly record: R;
  readonly key: string;
}

/**
 * Unpacks records.
 *
 * @param count - how many there are: records without fields take no room
 */
export function unpackRecords<R>({ terms, places }: PackedRecords, count: number, kind: RecordKind<R>): R[] {
  const unpacked = terms.map((text) => unpackTerm(text));
  const fieldsOf = (index: number) => fields(places, index, kind.width, unpacked);
  return Array.from({ length: count }, (_, index) => kind.make(fieldsOf(index)));
}

/** Unpacks records with a key for each. */
export function unpackKeyed<R>(packed: PackedRecords, count: number, kind: RecordKind<R>): KeyedRecord<R>[] {
  const records = unpackRecords(packed, count, kind);
  // A line break is in no length, and the length before each text keeps its end apart from the next one.
  const texts = packed.terms.map((text) => `${text.length}\n${text}`);
  return records.map((record, index) => ({
    record,
    key: fields(packed.places, index, kind.width, texts)
      .map((text) => text ?? '-')
      .join(''),
  }));
}

function fields<T>(places: Uint32Array, index: number, width: number, of: readonly T[]): (T | undefined)[] {
  const found: (T | undefined)[] = [];
  for (let at = index * width; at < (index + 1) * width; at += 1) {
    const place = places[at] as number;
    found.push(place === 0 ? undefined : of[place - 1]);
  }
  return found;
}
