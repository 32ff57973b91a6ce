/* Turtle, TriG, N-Quads and N-Triples -> members, as the text comes; and what a member is.
 *
 *   text -> statements (QuadReader of rdf-stream) -> grouped by the IRI that they are of, blank nodes with who refers to them
 *
 *   <http://e/a> <http://e/at> _:x .        one member:
 *   _:x <http://e/lat> "51.05" .              { iri: 'http://e/a', quads: [both statements], characters: 43 }
 *   <http://e/b> <http://e/p> "1" .         the next begins, and ends it */

import { createQuadReader, quad as makeQuad, type QuadReader, type TextFormat } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { IngestLimits } from '../options.ts';

/** A member as a body has it: statements of one IRI, and of the blank nodes that it refers to. */
export interface PostedMember {
  readonly iri: string;
  /** In the order of the body, all in the default graph. */
  readonly quads: readonly Quad[];
  /** Characters of all terms together. */
  readonly characters: number;
}

/** Makes members of a body, piece by piece. */
export interface MemberReader {
  /** The members that a further piece completes, in the order of the body, as far as they are asked for. */
  take(text: string): Iterable<PostedMember> | AsyncIterable<PostedMember>;
  /** The members that the end completes. */
  end(): Iterable<PostedMember> | AsyncIterable<PostedMember>;
}

/**
 * Reads members from Turtle, TriG, N-Quads or N-Triples: statements of one IRI without another in between, with the blank
 * nodes that it refers to, before it or after. A named graph is of the member that it is named by.
 *
 * @see specs/ingest.md ING-10, ING-11, ING-12, ING-19
 */
export class RdfMemberReader implements MemberReader {
  readonly #reader: QuadReader;
  readonly #limits: IngestLimits;
  readonly #seen: SeenIris;
  #iri: string | undefined;
  #quads: Quad[] = [];
  #characters = 0;
  #hasBlankNodes = false;
  /** How many of the statements stood before those of the member before. */
  #carried = 0;

  /** @param random - in [0, 1) */
  constructor(format: TextFormat, limits: IngestLimits, random: () => number) {
    this.#reader = createQuadReader(format, LIMIT_IRI_CHARACTERS);
    this.#limits = limits;
    this.#seen = new SeenIris(random);
  }

  *take(text: string): Iterable<PostedMember> {
    yield* this.#group(this.#reader.push(text));
    const { limitMemberCharacters } = this.#limits;
    if (this.#reader.pendingCharacters <= limitMemberCharacters) return;
    const member = 'whose statement does not end';
    throw errors.ERR_POST_MEMBER_TOO_LARGE({ member, limit: 'limitMemberCharacters', value: limitMemberCharacters });
  }

  *end(): Iterable<PostedMember> {
    yield* this.#group(this.#reader.end());
    const last = this.#close();
    const [stray] = this.#quads;
    if (stray && !last) throw errors.ERR_POST_NO_IRI({ place: 'the body' });
    if (last) {
      if (stray) throw strayBlankNode(last.iri, stray);
      yield last;
    }
  }

  *#group(slices: Iterable<readonly Quad[]>): Iterable<PostedMember> {
    for (const quads of slices) {
      for (const quad of quads) {
        const ended = this.#add(quad);
        if (ended) yield ended;
      }
    }
  }

  /** Adds a statement; gives the member that ends before it. */
  #add(given: Quad): PostedMember | undefined {
    const { subject, object, graph } = given;
    const about = graph.termType === 'DefaultGraph' ? ofSubject(given) : ofGraph(given);
    let ended: PostedMember | undefined;
    if (about !== undefined && about !== this.#iri) {
      ended = this.#close();
      if (!this.#seen.add(about)) throw errors.ERR_POST_SPLIT({ member: about });
      this.#iri = about;
    }
    this.#hasBlankNodes ||= subject.termType === 'BlankNode' || object.termType === 'BlankNode';
    this.#characters += quadCharacters(given);
    this.#quads.push(graph.termType === 'DefaultGraph' ? given : inDefaultGraph(given));
    checkMemberSize(this.#iri ?? 'at the beginning', this.#characters, this.#quads.length, this.#limits);
    return ended;
  }

  #close(): PostedMember | undefined {
    const iri = this.#iri;
    // What stands before the first member is of the first, or of none.
    if (iri === undefined) {
      this.#carried = this.#quads.length;
      return undefined;
    }
    this.#iri = undefined;
    if (!this.#hasBlankNodes) return this.#begin([], { iri, quads: this.#quads, characters: this.#characters });
    const { quads, others } = describeMember(iri, this.#quads);
    const before = new Set(this.#quads.slice(0, this.#carried));
    const stray = others.find((other) => before.has(other));
    if (stray) throw strayBlankNode(iri, stray);
    return this.#begin(others, { iri, quads, characters: sizeOf(quads) });
  }

  #begin(carried: readonly Quad[], ended: PostedMember): PostedMember {
    this.#quads = [...carried];
    this.#carried = carried.length;
    this.#hasBlankNodes = carried.length > 0;
    this.#characters = sizeOf(carried);
    return ended;
  }
}

/** The IRI that a statement of the default graph is of; `undefined` for one of a blank node. */
function ofSubject({ subject }: Quad): string | undefined {
  return subject.termType === 'NamedNode' ? subject.value : undefined;
}

function ofGraph({ subject, graph }: Quad): string {
  if (graph.termType !== 'NamedNode') throw errors.ERR_POST_NO_IRI({ place: `the graph _:${graph.value}` });
  if (subject.termType === 'NamedNode' && subject.value !== graph.value) {
    throw errors.ERR_POST_SUBJECT({ member: graph.value, subject: subject.value });
  }
  return graph.value;
}

/** The same statement without its graph. */
export function inDefaultGraph({ subject, predicate, object }: Quad): Quad {
  return makeQuad(subject, predicate as Parameters<typeof makeQuad>[1], object);
}

function sizeOf(quads: readonly Quad[]): number {
  return quads.reduce((sum, quad) => sum + quadCharacters(quad), 0);
}

export function strayBlankNode(member: string, { subject }: Quad) {
  const label = `_:${subject.value}`;
  return errors.ERR_POST_BLANK_NODE({ member, label, problem: 'is told of, and no member beside it refers to it' });
}

/** @throws {@link StreamError} `ERR_POST_MEMBER_TOO_LARGE` - a member is too large */
export function checkMemberSize(member: string, characters: number, quads: number, limits: IngestLimits): void {
  const { limitMemberCharacters, limitMemberQuads } = limits;
  if (characters > limitMemberCharacters) {
    throw errors.ERR_POST_MEMBER_TOO_LARGE({ member, limit: 'limitMemberCharacters', value: limitMemberCharacters });
  }
  if (quads > limitMemberQuads) {
    throw errors.ERR_POST_MEMBER_TOO_LARGE({ member, limit: 'limitMemberQuads', value: limitMemberQuads });
  }
}

/** Characters of an IRI: prefixes would else make much of little. */
const LIMIT_IRI_CHARACTERS = 4096;

/** Characters of the terms of a statement. @throws {@link StreamError} `ERR_POST_TERM` - an IRI is longer than the limit */
export function quadCharacters({ subject, predicate, object, graph }: Quad): number {
  const limit = LIMIT_IRI_CHARACTERS;
  const [first, second, third] = [subject.value.length, predicate.value.length, object.value.length];
  const fourth = graph.value.length;
  const isObjectLong = third > limit && object.termType !== 'Literal';
  if (first > limit || second > limit || fourth > limit || isObjectLong) {
    throw errors.ERR_POST_TERM({ term: `An IRI of more than ${limit} characters` });
  }
  return first + second + third + fourth;
}

/**
 * Separates the statements of a member from those of blank nodes that it does not refer to (`others`).
 *
 * @throws {@link StreamError} `ERR_POST_BLANK_NODE` - it refers to a blank node without statements
 * @see specs/ingest.md ING-11
 */
export function describeMember(iri: string, quads: readonly Quad[]): Record<'quads' | 'others', readonly Quad[]> {
  const ofBlankNodes = new Map<string, Quad[]>();
  const reached: string[] = [];
  for (const quad of quads) {
    if (quad.subject.termType === 'BlankNode') {
      const own = ofBlankNodes.get(quad.subject.value);
      if (own) own.push(quad);
      else ofBlankNodes.set(quad.subject.value, [quad]);
    } else if (quad.object.termType === 'BlankNode') reached.push(quad.object.value);
  }
  if (ofBlankNodes.size === 0 && reached.length === 0) return { quads, others: [] };
  const own = new Set<string>();
  for (let label = reached.pop(); label !== undefined; label = reached.pop()) {
    if (own.has(label)) continue;
    const statements = ofBlankNodes.get(label);
    if (!statements) {
      const problem = 'is referred to, and nothing is said of it there';
      throw errors.ERR_POST_BLANK_NODE({ member: iri, label: `_:${label}`, problem });
    }
    own.add(label);
    for (const { object } of statements) if (object.termType === 'BlankNode') reached.push(object.value);
  }
  const isOwn = ({ subject }: Quad) => subject.termType !== 'BlankNode' || own.has(subject.value);
  return { quads: quads.filter(isOwn), others: quads.filter((quad) => !isOwn(quad)) };
}

/**
 * Remembers which IRIs there were, in 16 bytes for each at most.
 *
 * It keeps 64 bits of each: among five million two are taken for one another by chance less than once in a million
 * bodies, and with another seed not again.
 */
class SeenIris {
  readonly #seed: number;
  #slots = new Uint32Array(2 * 1024);
  #size = 0;

  /** @param random - in [0, 1) */
  constructor(random: () => number) {
    this.#seed = Math.floor(random() * 0x1_0000_0000);
  }

  /** Adds one; false when it was there. */
  add(iri: string): boolean {
    if (2 * this.#size >= this.#slots.length / 2) this.#grow();
    let [high, low] = [this.#seed | 0, ~this.#seed | 0];
    for (let index = 0; index < iri.length; index += 1) {
      const code = iri.charCodeAt(index);
      high = Math.imul(high ^ code, 0x85eb_ca6b);
      low = Math.imul(low ^ code, 0xc2b2_ae35);
      high ^= low >>> 15;
      low ^= high >>> 13;
    }
    // Zero marks a slot that is free.
    return this.#put(high >>> 0 || 1, low >>> 0);
  }

  #put(high: number, low: number): boolean {
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const there = slots[2 * slot];
      if (there === 0) {
        slots[2 * slot] = high;
        slots[2 * slot + 1] = low;
        this.#size += 1;
        return true;
      }
      if (there === high && slots[2 * slot + 1] === low) return false;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(2 * before.length);
    this.#size = 0;
    for (let index = 0; index < before.length; index += 2) {
      if (before[index] !== 0) this.#put(before[index] as number, before[index + 1] as number);
    }
  }
}
