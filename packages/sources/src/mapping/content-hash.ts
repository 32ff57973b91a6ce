import type { Quad_Object } from '@rdfjs/types';

/**
 * A hash of content that grows piece by piece: 64 bits, so that of 2^64 changes one would pass for none. It is no
 * protection against whoever makes such a change on purpose: a source can hide changes of its own data as it likes.
 *
 * Every record of every poll is hashed, and to join its text for a cryptographic hash takes longer than all else.
 *
 * @see specs/mappings.md MAP-21
 */
export class ContentHash {
  #high: number;
  #low: number;

  /** @param seed - 32 bits of what is hashed besides texts */
  constructor(seed = 0) {
    this.#high = seed ^ 0x3c6ef372;
    this.#low = seed ^ 0x510e527f;
  }

  /**
   * Adds a text; where it ends counts.
   *
   * @param of - 32 bits of what it is said by, such as a predicate and a datatype
   */
  text(text: string, of = 0): void {
    const { length } = text;
    let high = Math.imul(this.#high ^ of, 0xc2b2ae3d);
    let low = Math.imul(this.#low ^ length, 0x27d4eb2f);
    // Into all bits of both, also where the text is empty: a difference by which two texts are said would else be taken back
    // by the same difference the other way round, as where two predicates exchange their values.
    high = (high << 15) | (high >>> 17);
    low = ((low << 11) | (low >>> 21)) ^ high;
    high = (high + low) | 0;
    // In twos: each step waits for the one before.
    for (let index = 0; index < length; index += 2) {
      const second = index + 1 < length ? text.charCodeAt(index + 1) : 0;
      const units = text.charCodeAt(index) | (second << 16);
      high = Math.imul(high ^ units, 0x9e3779b1);
      low = Math.imul(low ^ units, 0x85ebca77);
      // What was multiplied is in the upper bits only: it has to come back into the lower ones.
      high = (high << 13) | (high >>> 19);
      low = (low << 17) | (low >>> 15);
    }
    this.#high = high;
    this.#low = low;
  }

  /** What was added, as 11 characters. */
  digest(): string {
    const high = finished(this.#high ^ Math.imul(this.#low, 0x165667b1));
    const low = finished(this.#low ^ Math.imul(high, 0x9e3779b1));
    // To write numbers, or to join texts, takes longer than to hash a record.
    return String.fromCharCode(
      unitOf(high >>> 26),
      unitOf(high >>> 20),
      unitOf(high >>> 14),
      unitOf(high >>> 8),
      unitOf(high >>> 2),
      unitOf((high << 4) | (low >>> 28)),
      unitOf(low >>> 22),
      unitOf(low >>> 16),
      unitOf(low >>> 10),
      unitOf(low >>> 4),
      unitOf(low << 2),
    );
  }

  /** What was added, in 32 bits. */
  bits(): number {
    return finished(this.#low ^ Math.imul(this.#high, 0x165667b1));
  }
}

/** Base64 as URLs have it, by 6 bits; bits above them do not count. */
const units = Uint8Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', (unit) =>
  unit.charCodeAt(0),
);

function unitOf(bits: number): number {
  return units[bits & 63] as number;
}

/** The hash of a text. */
export function textHash(text: string): string {
  const hash = new ContentHash();
  hash.text(text);
  return hash.digest();
}

/** What besides its value makes a term what it is: the language or the datatype of a literal. Empty for others. */
export function termKind(term: Quad_Object): string {
  return term.termType === 'Literal' ? term.language || term.datatype.value : '';
}

/** A term as text that is equal for equal terms only. Of IRIs and literals. */
export function termText(term: Quad_Object): string {
  if (term.termType !== 'Literal') return `<${term.value}>`;
  const { value, language, datatype } = term;
  return `${value.length}:${value}${language ? `@${language}` : `^${datatype.value}`}`;
}

const numbers = new Map<string, number>();
/** Datatypes and languages come from mappings, which are few. */
const REMEMBERED = 10_000;

/** 32 bits of the hash of a text that comes often, such as that of a predicate or a datatype. */
export function numberOf(text: string): number {
  let number = numbers.get(text);
  if (number === undefined) {
    const hash = new ContentHash();
    hash.text(text);
    number = hash.bits();
    if (numbers.size >= REMEMBERED) numbers.clear();
    numbers.set(text, number);
  }
  return number;
}

function finished(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
