import type { LatencyCounts } from '../load/latency-histogram.ts';

/** One way with so many clients, once. JSON. */
export interface CellRun {
  /** Id of the way. */
  readonly way: string;
  readonly clients: number;
  /** From 0. */
  readonly repeat: number;
  readonly measured?: Measured;
  /** Why there is nothing. */
  readonly failure?: string;
  /** Why its latencies are those of the load. */
  readonly refusal?: string;
}

/** What was counted in one run, from just before an update to just before another. */
export interface Measured {
  readonly updates: number;
  /** From one update to the next, milliseconds. */
  readonly intervalMs: number;
  /** Updates times clients. */
  readonly expected: number;
  /** Updates that a client had for the first time. */
  readonly delivered: number;
  /** Updates that a client never had since a newer one came first. */
  readonly skipped: number;
  /** Updates that neither came nor were passed by. */
  readonly lost: number;
  /** Updates that came again, or after a newer one. */
  readonly doubled: number;
  /** From the instant that an update was due until a client had all of it. */
  readonly latency: LatencyCounts;
  /** Of polling clients. */
  readonly requests?: number;
  /** Requests that no answer, or none that is of use, came to. */
  readonly failed?: number;
  readonly wallMicros: number;
  /** CPU time of the server, and of what stands before it. */
  readonly serverCpuMicros: number;
  /** CPU time of a delivery beside readers in C, microseconds. */
  readonly leanCpuMicros?: number;
  /** Resident memory of the server and what stands before it, with all clients. */
  readonly residentBytes?: number;
  /** The same before the first client. */
  readonly residentBytesBefore?: number;
  readonly bytes: number;
  readonly loadShare: number;
  readonly loadLagMs: number;
}

/** CPU time of a delivery, microseconds: beside readers that take nothing from it, where it was measured so. */
export function cpuPerDelivery({ serverCpuMicros, delivered, leanCpuMicros }: Measured): number {
  return leanCpuMicros ?? serverCpuMicros / delivered;
}

/** Share of a core that updates take, when there is one every so often. */
export function cpuShare({ serverCpuMicros, updates }: Measured, everyMs: number): number {
  return serverCpuMicros / updates / (everyMs * 1000);
}

/** Share of the updates: with more lost or skipped, the 99th percentile is one of these. */
export const MOST_MISSING = 0.01;

/** Whether clients had what they should: what a server takes that leaves them without says nothing of what they cost. */
export function isServed({ skipped, lost, expected }: Pick<Measured, 'skipped' | 'lost' | 'expected'>): boolean {
  return skipped + lost <= MOST_MISSING * expected;
}

/** How much memory each client took, bytes. */
export function bytesPerClient({ residentBytes, residentBytesBefore }: Measured, clients: number): number | undefined {
  if (residentBytes === undefined || residentBytesBefore === undefined) return undefined;
  return (residentBytes - residentBytesBefore) / clients;
}
