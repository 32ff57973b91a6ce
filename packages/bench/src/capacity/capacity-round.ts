import type { LatencyCounts } from '../load/latency-histogram.ts';

/** What one round found. */
export interface CapacityRound {
  /** Polls of the latest state, not compressed. */
  readonly plain: PolledRate;
  /** The same in gzip. */
  readonly zipped: PolledRate;
  /** Length of the latest state, not compressed, without header fields. */
  readonly documentBytes: number;
  readonly push: PushedRate;
  /** Memory of a server process that nobody is connected to; absent where the system does not tell. */
  readonly processBytes?: number;
  /** Memory for a connection that stays open after a poll. */
  readonly pollerBytes?: number;
  /** Memory for a push connection, after updates. */
  readonly streamBytes?: number;
}

/** How polls were answered. */
export interface PolledRate {
  /** CPU time of the server for an answer, microseconds. */
  readonly cpuMicros: number;
  /** Answers a second, closed loop: each connection asks when it has been answered. */
  readonly perSecond: number;
  readonly answers: number;
  /** Bytes of an answer, header fields included. */
  readonly answerBytes: number;
}

/** How updates were delivered. */
export interface PushedRate {
  /** CPU time of the server for a delivery, microseconds. */
  readonly cpuMicros: number;
  readonly expected: number;
  /** Deliveries that a reader never had, and those that it had before, of each reader by itself. */
  readonly lost: number;
  readonly doubled: number;
  readonly deliveryBytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Share of its core that the load took. */
  readonly loadShare: number;
  readonly histogram: LatencyCounts;
}

/** What a core does in a second that it is fully used. */
export function perCoreSecond(cpuMicros: number): number {
  return 1e6 / cpuMicros;
}
