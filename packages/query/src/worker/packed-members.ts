import type { Member } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { type PackedRecords, packRecords, quadKind, unpackRecords } from './packed-records.ts';

/** How many quads or rows cross to another thread at once: about 5 ms of work on either side. */
export const SLICE_RECORDS = 1000;

/** A member without its quads, and how many those are. */
export interface MemberHead extends Omit<Member, 'quads' | 'nquads'> {
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
