import { type Mode, type PushEvidence, pushLagBound } from '@ldes-live/latency';
import type { FollowStateName } from './follow-state.ts';

/** How a follower fares: a copy of the moment it was asked for. */
export interface LiveStatus {
  /** What it is doing. */
  readonly state: FollowStateName;
  /** The way updates come. */
  readonly mode: Mode;
  /** Why that way, or what is wrong, in words for a person. */
  readonly reason: string;
  /**
   * How late the next update may be when it is delivered, or already is, in milliseconds. It grows while the
   * server cannot be heard; `Infinity` before anything was read.
   */
  readonly lagBoundMs: number;
  /** Live updates that came later than the MAL. */
  readonly malMisses: number;
  /** Times that the stream could not be continued and was read anew. */
  readonly gaps: number;
  /** Requests sent, a redirected one counted twice. */
  readonly requests: number;
  /** Bytes of bodies received, after decompression. */
  readonly bytes: number;
}

/** What a lag bound follows from. */
export interface LagEvidence {
  readonly nowMs: number;
  /** Up to when nothing published is missing, epoch milliseconds. */
  readonly currentAtMs: number;
  /** How long a read takes, milliseconds. */
  readonly readMs: number;
  /** The bound that the planned poll keeps; absent when none is planned. */
  readonly plannedMs?: number;
  /** What the push connection shows; absent without one. */
  readonly push?: PushEvidence;
}

/**
 * How late an update may be when it is delivered, in milliseconds.
 *
 * @see specs/mal.md
 */
export function lagBound({ nowMs, currentAtMs, readMs, plannedMs = 0, push }: LagEvidence): number {
  // A plan that was not kept promises nothing: from then on the bound is the time since the last news.
  return Math.ceil(push ? pushLagBound(push) : Math.max(plannedMs, nowMs - currentAtMs + readMs));
}
