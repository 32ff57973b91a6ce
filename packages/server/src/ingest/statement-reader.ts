import { createQuadReader, type QuadReader, type TextFormat } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { IngestLimits } from '../options.ts';
import { LIMIT_IRI_CHARACTERS } from './ingest-limits.ts';
import { MemberGrouper } from './member-grouper.ts';
import type { MemberReader } from './member-reader.ts';
import type { PostedMember } from './posted-member.ts';

/** Reads members from Turtle, TriG, N-Quads or N-Triples. */
export class StatementReader implements MemberReader {
  readonly #reader: QuadReader;
  readonly #grouper: MemberGrouper;
  readonly #limits: IngestLimits;

  /** @param random - in [0, 1) */
  constructor(format: TextFormat, limits: IngestLimits, random: () => number) {
    this.#reader = createQuadReader(format, LIMIT_IRI_CHARACTERS);
    this.#grouper = new MemberGrouper(limits, random);
    this.#limits = limits;
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
    const last = this.#grouper.end();
    if (last) yield last;
  }

  *#group(slices: Iterable<readonly Quad[]>): Iterable<PostedMember> {
    for (const quads of slices) {
      for (const quad of quads) {
        const ended = this.#grouper.take(quad);
        if (ended) yield ended;
      }
    }
  }
}
