import { quad as makeQuad } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { IngestLimits } from '../options.ts';
import { describeMember, type PostedMember } from './posted-member.ts';
import { quadCharacters } from './quad-characters.ts';
import { SeenIris } from './seen-iris.ts';

type GrouperLimits = Pick<IngestLimits, 'limitMemberCharacters' | 'limitMemberQuads'>;

/**
 * Makes members of statements as they come: what is said of one IRI without another in between, with the blank nodes that
 * it refers to, before it or after. A named graph is of the member that it is named by.
 *
 * @see specs/ingest.md ING-10, ING-11, ING-12
 */
export class MemberGrouper {
  readonly #limits: GrouperLimits;
  readonly #seen: SeenIris;
  #iri: string | undefined;
  #quads: Quad[] = [];
  #characters = 0;
  #hasBlankNodes = false;
  /** How many of the statements stood before what was said of the member before. */
  #carried = 0;

  /** @param random - in [0, 1) */
  constructor(limits: GrouperLimits, random: () => number) {
    this.#limits = limits;
    this.#seen = new SeenIris(random);
  }

  /** Takes a statement; gives the member that ends before it. */
  take(given: Quad): PostedMember | undefined {
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
    this.#checkSize();
    return ended;
  }

  /** Gives the last member. */
  end(): PostedMember | undefined {
    const ended = this.#close();
    const [stray] = this.#quads;
    if (stray) {
      if (!ended) throw errors.ERR_POST_NO_IRI({ place: 'the body' });
      throw strayBlankNode(ended.iri, stray);
    }
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

  #checkSize(): void {
    const { limitMemberCharacters, limitMemberQuads } = this.#limits;
    const member = this.#iri ?? 'at the beginning';
    if (this.#characters > limitMemberCharacters) {
      throw errors.ERR_POST_MEMBER_TOO_LARGE({ member, limit: 'limitMemberCharacters', value: limitMemberCharacters });
    }
    if (this.#quads.length > limitMemberQuads) {
      throw errors.ERR_POST_MEMBER_TOO_LARGE({ member, limit: 'limitMemberQuads', value: limitMemberQuads });
    }
  }
}

/** The IRI that a statement of the default graph is said of; `undefined` for one of a blank node. */
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

function inDefaultGraph({ subject, predicate, object }: Quad): Quad {
  return makeQuad(subject, predicate as Parameters<typeof makeQuad>[1], object);
}

function sizeOf(quads: readonly Quad[]): number {
  return quads.reduce((sum, quad) => sum + quadCharacters(quad), 0);
}

function strayBlankNode(member: string, { subject }: Quad) {
  const label = `_:${subject.value}`;
  return errors.ERR_POST_BLANK_NODE({ member, label, problem: 'is told of, and no member beside it refers to it' });
}
