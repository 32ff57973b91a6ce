import type { Mode } from '@ldes-live/latency';
import type { FollowStateName } from './follow-state.ts';

/** How a follower fares: a copy of the moment it was asked for. */
export interface LiveStatus {
  /** What it is doing. */
  readonly state: FollowStateName;
  /** The way updates come. */
  readonly mode: Mode;
  /** Why that way, or what is wrong, in words for a person. */
  readonly reason: string;
  /** Whether something is wrong that is expected to pass: `reason` says what. */
  readonly isInTrouble: boolean;
  /**
   * How late the next update may be when it is delivered, or already is, in milliseconds. It grows while the
   * server cannot be heard; `Infinity` before anything was read, and 0 once nothing can follow.
   */
  readonly lagBoundMs: number;
  /** Whether everything was delivered that there was when the stream was last heard. */
  readonly isCaughtUp: boolean;
  /** Live updates that came later than the MAL. */
  readonly malMisses: number;
  /** Times that the stream could not be continued and was read anew. */
  readonly gaps: number;
  /** Members left out since newer versions of their entities came before they were read. */
  readonly conflated: number;
  /** Requests sent, a redirected one counted twice; those of all followers of the URL in one client. */
  readonly requests: number;
  /** Bytes of bodies received, after decompression. */
  readonly bytes: number;
}
