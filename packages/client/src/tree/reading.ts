import type { Member } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';
import { orderSpan } from './order-value.ts';
import type { PageIndex } from './page-index.ts';
import { type MemberDetails, memberDetails, ownQuads, type PageMember, readMember, valueAt } from './page-members.ts';
import type { TreeContext } from './tree-context.ts';
import type { Page } from './tree-pages.ts';

/** By what members are ordered. */
export type Dimension = 'time' | 'sequence';

/** A member that was read and not handed out yet. */
export interface Reading {
  readonly member: PageMember;
  readonly details: MemberDetails;
  /** Of its IRI. */
  readonly hash: number;
  /** Its place in the order; `NaN` when it has none. */
  readonly place: number;
  readonly page: Page;
  /** Whether it is the last of its transaction. */
  readonly isFinalizer: boolean;
  /** The source's time (whole) and number of the version, then time and sequence of its publication, as far as it has them. */
  readonly rank: readonly (number | undefined)[];
  /** How many members had been read before it. */
  readonly order: number;
}

/**
 * Reads a member in full.
 *
 * @param at.dimension - by what members are ordered; by the reading itself where there is nothing else
 */
export function readReading(
  term: Term,
  index: PageIndex,
  context: TreeContext,
  at: {
    readonly page: Page;
    readonly hash: number;
    readonly order: number;
    readonly limitQuads: number;
    readonly dimension: Dimension | undefined;
  },
): Reading {
  const { page, hash, order, limitQuads, dimension } = at;
  const member = readMember(term, index, context, limitQuads);
  const number = (path: Parameters<typeof valueAt>[0]) => orderSpan(valueAt(path, term, member.quads, index))?.start;
  const sequence = number(context.sequencePath);
  const versionTime = number(context.versionTimestampPath);
  const finalized = valueAt(context.transactionFinalizedPath, term, member.quads, index);
  return {
    member,
    details: memberDetails(term, member.quads, index, context),
    hash,
    place: (dimension === undefined ? order : dimension === 'time' ? member.time?.start : sequence) ?? Number.NaN,
    page,
    isFinalizer: finalized !== undefined && finalized.value === context.transactionFinalizedObject,
    rank: [versionTime && Math.floor(versionTime), number(context.versionSequencePath), member.time?.start, sequence],
    order,
  };
}

/**
 * A member as it is handed out.
 *
 * @param sequence - how many were handed out, itself included
 * @param nowMs - its time where it has none, epoch milliseconds
 */
export function memberOf({ member, details }: Reading, sequence: number, nowMs: number): Member {
  return {
    id: member.id,
    ...details,
    sequence,
    time: new Date(member.time?.start ?? nowMs).toISOString(),
    quads: ownQuads(member, sequence),
  };
}

/** Whether a member comes before another where both are handed out in order. */
export function comesBefore(left: Reading, right: Reading): boolean {
  if (left.place !== right.place) return left.place < right.place;
  if (left.isFinalizer !== right.isFinalizer) return right.isFinalizer;
  const difference = (left.rank[SEQUENCE] ?? 0) - (right.rank[SEQUENCE] ?? 0);
  return difference < 0 || (difference === 0 && left.order < right.order);
}

const SEQUENCE = 3;
