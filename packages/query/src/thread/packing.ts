/*
 * Quads, rows and members as they cross to another thread: a structured clone of RDF/JS terms would cost more than the work that
 * they are sent for. Each term crosses once, as text; each record is the places of its terms. What is large crosses in slices.
 *
 *   quads -> packRecords -> { terms: ["Nurn:x:a", "Nurn:x:speed", "S30", "D"], places: [1, 2, 3, 4], count: 1 }
 *         -> unpackRecords -> quads
 *   members -> packMembers -> slices { heads: [{ id, entity, ..., quadCount: 3 }], quads } -> MembersBeingUnpacked -> members
 */
import { type Member, xsd } from '@ldes-live/rdf-stream';
import type { Literal, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'rdf-data-factory';
import type { Explanation } from '../evaluate/evaluator.ts';
import { rowKey } from '../evaluate/rows.ts';
import type { Row } from '../result.ts';
import { quadKey } from '../views/quads.ts';

/** How many quads or rows cross to another thread at once: about 5 ms of work on either side. */
export const SLICE_RECORDS = 1000;

/** A part of some members: heads of those that begin in it, and the next of all their quads. */
export interface MembersSlice {
  readonly heads: readonly MemberHead[];
  readonly quads: PackedRecords;
}

interface MemberHead extends Omit<Member, 'quads' | 'nquads'> {
  readonly quadCount: number;
}

/** There is always a last slice, which may be empty. */
export function* packMembers(members: readonly Member[], sliceQuads = SLICE_RECORDS): Generator<MembersSlice> {
  let heads: MemberHead[] = [];
  let quads: Quad[] = [];
  const slice = (): MembersSlice => {
    const packed = { heads, quads: packRecords(quads, quadKind) };
    heads = [];
    quads = [];
    return packed;
  };
  for (const { quads: all, nquads: _unused, ...head } of members) {
    heads.push({ ...head, quadCount: all.length });
    for (const quad of all) {
      quads.push(quad);
      if (quads.length >= sliceQuads) yield slice();
    }
    if (heads.length >= sliceQuads) yield slice();
  }
  yield slice();
}

export class MembersBeingUnpacked {
  #heads: MemberHead[] = [];
  #quads: Quad[] = [];

  add({ heads, quads }: MembersSlice): void {
    for (const head of heads) this.#heads.push(head);
    for (const quad of unpackRecords(quads, quadKind)) this.#quads.push(quad);
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

export interface PackedRecords {
  readonly terms: readonly string[];
  /** A number for each field of each record: 0 for none, otherwise the index of its term, plus 1. */
  readonly places: Uint32Array;
  /** Records without fields have no places. */
  readonly count: number;
}

export interface RecordKind<R> {
  /** The fields of a record. */
  readonly width: number;
  /** A text that equal records share, and no others. */
  readonly key: (record: R) => string;
  readonly fields: (record: R) => readonly (Term | undefined)[];
  readonly make: (fields: readonly (Term | undefined)[]) => R;
}

export const quadKind: RecordKind<Quad> = {
  width: 4,
  key: quadKey,
  fields: ({ subject, predicate, object, graph }) => [subject, predicate, object, graph],
  make: quadOf,
};

/** @param variables - all that may be bound */
export function rowKind(variables: readonly string[]): RecordKind<Row> {
  return {
    width: variables.length,
    key: (row) => rowKey(row, variables),
    // A variable may have the name of a property of every object.
    fields: (row) => variables.map((name) => (Object.hasOwn(row, name) ? row[name] : undefined)),
    make: (fields) => {
      const bound: [string, Term][] = [];
      for (const [index, name] of variables.entries()) {
        const term = fields[index];
        if (term) bound.push([name, term]);
      }
      return Object.fromEntries(bound);
    },
  };
}

export function solutionKind({ form, variables }: Pick<Explanation, 'form' | 'variables'>): RecordKind<Row | Quad> {
  return (form === 'select' ? rowKind(variables) : quadKind) as RecordKind<unknown> as RecordKind<Row | Quad>;
}

export function packRecords<R>(records: readonly R[], kind: RecordKind<R>): PackedRecords {
  const terms: string[] = [];
  const placeOf = new Map<string, number>();
  const places = new Uint32Array(records.length * kind.width);
  let next = 0;
  for (const record of records) {
    for (const term of kind.fields(record)) places[next++] = term ? place(packTerm(term)) : 0;
  }
  return { terms, places, count: records.length };

  function place(text: string): number {
    let found = placeOf.get(text);
    if (found === undefined) {
      found = terms.push(text);
      placeOf.set(text, found);
    }
    return found;
  }
}

export function unpackRecords<R>({ terms, places, count }: PackedRecords, kind: RecordKind<R>): R[] {
  const unpacked = terms.map(unpackTerm);
  return Array.from({ length: count }, (_, index) => {
    const fields: (Term | undefined)[] = [];
    for (let at = index * kind.width; at < (index + 1) * kind.width; at += 1) {
      const place = places[at] as number;
      fields.push(place === 0 ? undefined : unpacked[place - 1]);
    }
    return kind.make(fields);
  });
}

const factory: DataFactory<Quad> = new DataFactory<Quad>();

/** A text that no other term has: its kind, its language or datatype after the length of that, and its value. */
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
    default:
      return `Q${JSON.stringify(quadKind.fields(term as Quad).map((part) => packTerm(part as Term)))}`;
  }
}

const DIRECTION_MARKS: Readonly<Record<string, string>> = { ltr: '>', rtl: '<' };

function packLiteral({ value, language, direction, datatype }: Literal): string {
  if (language) return `L${language.length}${DIRECTION_MARKS[direction ?? ''] ?? ' '}${language}${value}`;
  // Some parsers give no datatype for strings.
  if (!datatype || datatype.value === xsd.string) return `S${value}`;
  return `T${datatype.value.length} ${datatype.value}${value}`;
}

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
    default:
      return quadOf((JSON.parse(rest) as string[]).map(unpackTerm));
  }
}

function quadOf(terms: readonly (Term | undefined)[]): Quad {
  return factory.quad(...(terms as [Quad['subject'], Quad['predicate'], Quad['object'], Quad['graph']]));
}

function cut(text: string): { readonly about: string; readonly value: string; readonly mark: string } {
  const end = text.search(/[^0-9]/);
  const start = end + 1;
  const length = Number(text.slice(0, end));
  return { about: text.slice(start, start + length), value: text.slice(start + length), mark: text[end] as string };
}
