/* What the readers of all formats share: limits, and faults that know where they are. */

import type { StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { checkedNumbers, type NumberRange } from '../options.ts';
import type { Steps } from '../slices.ts';

/** What a document may have at most. */
export interface DocumentLimits {
  /** How deep lists, mappings and elements nest, 1 to 1,000. @defaultValue 64 */
  readonly limitDepth: number;
  /**
   * Lines, rows, columns, items of a list, fields of a mapping, or children of an element, 1 to 100,000,000. Also the
   * records that a mapping finds, of a document in pages together.
   * @defaultValue 200,000
   */
  readonly limitRecords: number;
  /**
   * Values in all: lists, mappings and commas of JSON, cells of CSV, elements and attributes of XML, 1 to 1,000,000,000.
   * Of a document in pages they count together.
   * @defaultValue 1,000,000
   */
  readonly limitValues: number;
  /** Bytes of one text, 1 to 268,435,456. @defaultValue 1,048,576, 1 MiB */
  readonly limitTextBytes: number;
}

/** @see specs/mapping-values.md MAP-81 */
const RANGES: Readonly<Record<keyof DocumentLimits, NumberRange>> = {
  limitDepth: [64, 1, 1000],
  limitRecords: [200_000, 1, 100_000_000],
  limitValues: [1_000_000, 1, 1_000_000_000],
  limitTextBytes: [1_048_576, 1, 268_435_456],
};

/**
 * The limits with their defaults.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - one is out of its range
 */
export function documentLimits(given: Partial<DocumentLimits> = {}): DocumentLimits {
  return checkedNumbers(RANGES, given);
}

/** How many values may still come: of several documents together, where they share it. */
export interface ValueBudget {
  left: number;
}

/** Limits, and what is left of them. */
export interface ReaderLimits extends DocumentLimits {
  readonly budget: ValueBudget;
}

/** Line and column, from 1; columns count as strings do, in UTF-16. */
interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** What refuses a document, where it stands in its bytes: which line that is, is looked for once it matters. */
export class DocumentFault extends Error {
  readonly index: number;
  readonly toError: (place: TextPlace) => StreamError;

  constructor(index: number, toError: (place: TextPlace) => StreamError) {
    super('A document is refused.');
    this.index = index;
    this.toError = toError;
  }
}

/**
 * Reads bytes, and turns faults into errors that have a line.
 *
 * @param bytes - in UTF-8
 * @throws {@link StreamError} those of the reader
 */
export function* located<Value>(bytes: Uint8Array, reader: Steps<Value>): Steps<Value> {
  try {
    return yield* reader;
  } catch (thrown) {
    if (thrown instanceof DocumentFault) throw thrown.toError(yield* placeOf(bytes, thrown.index));
    throw thrown;
  }
}

const PLACE_STEP_BYTES = 1_048_576;

function* placeOf(bytes: Uint8Array, index: number): Steps<TextPlace> {
  let line = 1;
  let column = 1;
  for (let at = 0; at < index; ) {
    for (const until = Math.min(index, at + PLACE_STEP_BYTES); at < until; at += 1) {
      const byte = bytes[at] as number;
      if (byte === 0x0a || (byte === 0x0d && bytes[at + 1] !== 0x0a)) {
        line += 1;
        column = 1;
      } else if (byte < 0x80 || byte >= 0xc0) {
        // What four bytes say are two units of UTF-16; bytes from 0x80 to 0xbf go on with a character.
        column += byte >= 0xf0 ? 2 : 1;
      }
    }
    yield;
  }
  return { line, column };
}

/** Sets a field, also one that is named `__proto__`. */
export function setField(mapping: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') mapping[name] = value;
  else Object.defineProperty(mapping, name, { value, writable: true, enumerable: true, configurable: true });
}

/** More than `limitRecords` stand in one place of a document. */
export function tooManyAt(index: number, limitRecords: number): DocumentFault {
  return new DocumentFault(index, ({ line }) => errors.ERR_DOCUMENT_TOO_MANY({ limitRecords, line }));
}

/** More than `limitValues` stand in a document. */
export function tooManyValuesAt(index: number, limitValues: number): DocumentFault {
  return new DocumentFault(index, ({ line }) => errors.ERR_DOCUMENT_TOO_MANY_VALUES({ limitValues, line }));
}

/** A text is longer than `limitTextBytes`. */
export function textTooLongAt(index: number, limitTextBytes: number): DocumentFault {
  return new DocumentFault(index, ({ line }) => errors.ERR_DOCUMENT_TEXT_TOO_LONG({ limitTextBytes, line }));
}

/** Where the character begins that a byte of UTF-8 is of; of bytes that are not UTF-8 somewhere near. */
export function characterStart(bytes: Uint8Array, index: number): number {
  const end = Math.min(index, bytes.length);
  for (let start = end; start > end - 4; start -= 1) {
    if (start === bytes.length || ((bytes[start] as number) & 0xc0) !== 0x80) return start;
  }
  return end;
}
