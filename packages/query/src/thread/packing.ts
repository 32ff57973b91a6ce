import type { Member } from '@ldes-live/rdf-stream';
import type { Literal, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'rdf-data-factory';
import type { Row } from '../result.ts';

/** How many quads or rows cross to another thread at once: about 5 ms of work on either side. */
export const SLICE_RECORDS = 1000;

/** A member without its quads, and how many those are. */
interface MemberHead extends Omit<Member, 'quads' | 'nquads'> {
  readonly quadCount: number;
}

/** A part of some members: heads of those that begin in it, and the next of all their quads. */
export interface MembersSlice {
  readonly heads: readonly MemberHead[];
  readonly count: number;
  readonly quads: PackedRecords;
}

/** Takes members apart for another thread; the last slice may be empty, and there is one always. */
export function* packMembers(members: readonly Member[], sliceQuads = SLICE_RECORDS): Generator<MembersSlice> {
  let heads: MemberHead[] = [];
  let quads: Quad[] = [];
  const slice = (): MembersSlice => {
    const packed = { heads, count: quads.length, quads: packRecords(quads, quadKind) };
    heads = [];
    quads = [];
    return packed;
  };
  for (const { quads: said, nquads: _unused, ...head } of members) {
    heads.push({ ...head, quadCount: said.length });
    for (const quad of said) {
      quads.push(quad);
      if (quads.length >= sliceQuads) yield slice();
    }
    if (heads.length >= sliceQuads) yield slice();
  }
  yield slice();
}

/** Puts members together again. */
export class MembersBeingUnpacked {
  #heads: MemberHead[] = [];
  #quads: Quad[] = [];

  add({ heads, count, quads }: MembersSlice): void {
    for (const head of heads) this.#heads.push(head);
    for (const quad of unpackRecords(quads, count, quadKind)) this.#quads.push(quad);
  }

  /** All members that were added, once. */
  take(): Member[] {
    let start = 0;
    const members = this.#heads.map(({ quadCount, ...head }) => {
      const quads = this.#quads.slice(start, start + quadCount);
      start += quadCount;
      return { ...head, quads };
    });
    this.#heads = [];
    this.#quads = [];
    return members;
  }
}

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

const factory: DataFactory<Quad> = new DataFactory<Quad>();

const XSD_STRING = 'http://www.w3.org/2001/XMLSchema#string';

/** A term as text that no other term has: its kind, what there is to say of it with its length before, and its value. */
export function packTerm(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return `N${term.value}`;
    case 'BlankNode':
      return `B${term.value}`;
    case 'Literal':
      return packLiteral(term);
    case 'Variable':
      return `V${term.value}`;
    case 'DefaultGraph':
      return 'D';
    default: {
      const { subject, predicate, object, graph } = term;
      return `Q${JSON.stringify([subject, predicate, object, graph].map((part) => packTerm(part)))}`;
    }
  }
}

function packLiteral({ value, language, direction, datatype }: Literal): string {
  if (language)
    return `L${language.length}${direction === 'ltr' ? '>' : direction === 'rtl' ? '<' : ' '}${language}${value}`;
  // Parsers that give no datatype mean this one.
  if (!datatype || datatype.value === XSD_STRING) return `S${value}`;
  return `T${datatype.value.length} ${datatype.value}${value}`;
}

/** The term of a text of {@link packTerm}, as an RDF/JS term. */
function unpackTerm(packed: string): Term {
  const rest = packed.slice(1);
  switch (packed[0]) {
    case 'N':
      return factory.namedNode(rest);
    case 'B':
      return factory.blankNode(rest);
    case 'S':
      return factory.literal(rest);
    case 'T': {
      const { about, value } = cut(rest);
      return factory.literal(value, factory.namedNode(about));
    }
    case 'L': {
      const { about, value, mark } = cut(rest);
      if (mark === ' ') return factory.literal(value, about);
      return factory.literal(value, { language: about, direction: mark === '>' ? 'ltr' : 'rtl' });
    }
    case 'V':
      return factory.variable(rest);
    case 'D':
      return factory.defaultGraph();
    default: {
      const parts = (JSON.parse(rest) as string[]).map((part) => unpackTerm(part));
      return quadOf(parts);
    }
  }
}

/** A quad of its four terms, in their order. */
function quadOf([subject, predicate, object, graph]: readonly (Term | undefined)[]): Quad {
  return factory.quad(
    subject as Quad['subject'],
    predicate as Quad['predicate'],
    object as Quad['object'],
    graph as Quad['graph'],
  );
}

function cut(text: string): { readonly about: string; readonly value: string; readonly mark: string } {
  const end = text.search(/[^0-9]/);
  const start = end + 1;
  const length = Number(text.slice(0, end));
  return { about: text.slice(start, start + length), value: text.slice(start + length), mark: text[end] as string };
}
