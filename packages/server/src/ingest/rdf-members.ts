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
 * @see specs/ingest.md ING-10, ING-12, ING-19
 */
export class RdfMemberReader implements MemberReader {
  readonly #reader: QuadReader;
  readonly #limits: IngestLimits;
  readonly #seen: SeenIris;
  #open: GrowingMember;

  /** @param random - in [0, 1) */
  constructor(format: TextFormat, limits: IngestLimits, random: () => number) {
    this.#reader = createQuadReader(format, LIMIT_IRI_CHARACTERS);
    this.#limits = limits;
    this.#seen = new SeenIris(random);
    this.#open = new GrowingMember(limits);
  }

  *take(text: string): Iterable<PostedMember> {
    yield* this.#group(this.#reader.push(text));
    const { limitMemberCharacters } = this.#limits;
    if (this.#reader.pendingCharacters <= limitMemberCharacters) return;
    const member = 'with an unfinished statement';
    throw errors.ERR_POST_MEMBER_TOO_LARGE({ member, limit: 'limitMemberCharacters', value: limitMemberCharacters });
  }

  *end(): Iterable<PostedMember> {
    yield* this.#group(this.#reader.end());
    const last = this.#open.last();
    if (last) yield last;
  }

  *#group(slices: Iterable<readonly Quad[]>): Iterable<PostedMember> {
    for (const quads of slices) {
      for (const quad of quads) {
        const iri = quad.graph.termType === 'DefaultGraph' ? ofSubject(quad) : ofGraph(quad);
        let ended: PostedMember | undefined;
        if (iri !== undefined && iri !== this.#open.iri) {
          const { member, others } = this.#open.end();
          if (!this.#seen.add(iri)) throw errors.ERR_POST_SPLIT({ member: iri });
          this.#open = new GrowingMember(this.#limits, iri, others);
          ended = member;
        }
        this.#open.add(quad);
        if (ended) yield ended;
      }
    }
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

/** Characters of an IRI: prefixes would else make much of little. */
export const LIMIT_IRI_CHARACTERS = 4096;

/** A member that grows statement by statement, within its limits. @see specs/ingest.md ING-11, ING-40 */
export class GrowingMember {
  /** `undefined` for what stands before the first member: it is of the first, or of none. */
  readonly iri: string | undefined;
  readonly #limits: IngestLimits;
  readonly #quads: Quad[] = [];
  /** How many of the statements stood before its own. */
  readonly #carried: number;
  #characters = 0;
  #hasBlankNodes = false;

  constructor(limits: IngestLimits, iri?: string, before: readonly Quad[] = []) {
    this.iri = iri;
    this.#limits = limits;
    this.#carried = before.length;
    for (const quad of before) this.add(quad);
  }

  /**
   * Adds a statement, without its graph.
   *
   * @throws {@link StreamError} `ERR_POST_TERM` - an IRI is longer than the limit
   * @throws {@link StreamError} `ERR_POST_MEMBER_TOO_LARGE` - the member is too large
   */
  add(quad: Quad): void {
    const { subject, predicate, object, graph } = quad;
    this.#hasBlankNodes ||= subject.termType === 'BlankNode' || object.termType === 'BlankNode';
    this.#characters += charactersOf(quad);
    this.#quads.push(
      graph.termType === 'DefaultGraph' ? quad : makeQuad(subject, predicate as Parameters<typeof makeQuad>[1], object),
    );
    const { limitMemberCharacters, limitMemberQuads } = this.#limits;
    if (this.#characters > limitMemberCharacters) throw this.#tooLarge('limitMemberCharacters');
    if (this.#quads.length > limitMemberQuads) throw this.#tooLarge('limitMemberQuads');
  }

  /**
   * The member, and statements of blank nodes that it does not refer to: they are of the next, or of none.
   *
   * @throws {@link StreamError} `ERR_POST_BLANK_NODE` - it refers to a blank node without statements, or there is one beside
   * it that nothing refers to
   */
  end(): { readonly member?: PostedMember; readonly others: readonly Quad[] } {
    const { iri } = this;
    if (iri === undefined) return { others: this.#quads };
    const whole = { iri, quads: this.#quads, characters: this.#characters };
    if (!this.#hasBlankNodes) return { member: whole, others: [] };
    const own = this.#reached(iri);
    const isOwn = ({ subject }: Quad) => subject.termType !== 'BlankNode' || own.has(subject.value);
    const quads = this.#quads.filter(isOwn);
    const others = this.#quads.filter((quad) => !isOwn(quad));
    const [first] = others;
    if (!first) return { member: whole, others };
    if (this.#quads.indexOf(first) < this.#carried) throw strayBlankNode(iri, first);
    return { member: { iri, quads, characters: quads.reduce((sum, quad) => sum + charactersOf(quad), 0) }, others };
  }

  /** The member where nothing follows that statements could be of; absent where nothing was added. */
  last(): PostedMember | undefined {
    const { member, others } = this.end();
    const [stray] = others;
    if (stray) throw member ? strayBlankNode(member.iri, stray) : errors.ERR_POST_NO_IRI({ place: 'the body' });
    return member;
  }

  /** The blank nodes that it refers to, directly or by others. */
  #reached(iri: string): ReadonlySet<string> {
    const ofBlankNodes = new Map<string, Quad[]>();
    const reached = new Set<string>();
    for (const quad of this.#quads) {
      const { subject, object } = quad;
      if (subject.termType !== 'BlankNode') {
        if (object.termType === 'BlankNode') reached.add(object.value);
      } else if (!ofBlankNodes.get(subject.value)?.push(quad)) ofBlankNodes.set(subject.value, [quad]);
    }
    // What is added on the way is walked, too.
    for (const label of reached) {
      const statements = ofBlankNodes.get(label);
      if (!statements) {
        const problem = 'is used there, but has no statements there';
        throw errors.ERR_POST_BLANK_NODE({ member: iri, label: `_:${label}`, problem });
      }
      for (const { object } of statements) if (object.termType === 'BlankNode') reached.add(object.value);
    }
    return reached;
  }

  #tooLarge(limit: 'limitMemberCharacters' | 'limitMemberQuads') {
    const member = this.iri ?? 'at the start of the body';
    return errors.ERR_POST_MEMBER_TOO_LARGE({ member, limit, value: this.#limits[limit] });
  }
}

function strayBlankNode(member: string, { subject }: Quad) {
  const label = `_:${subject.value}`;
  return errors.ERR_POST_BLANK_NODE({
    member,
    label,
    problem: 'has statements, but no member next to them refers to it',
  });
}

/** Characters of the terms of a statement. @throws {@link StreamError} `ERR_POST_TERM` */
function charactersOf({ subject, predicate, object, graph }: Quad): number {
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
    let slot = low & mask;
    for (; slots[2 * slot] !== 0; slot = (slot + 1) & mask) {
      if (slots[2 * slot] === high && slots[2 * slot + 1] === low) return false;
    }
    slots[2 * slot] = high;
    slots[2 * slot + 1] = low;
    this.#size += 1;
    return true;
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
