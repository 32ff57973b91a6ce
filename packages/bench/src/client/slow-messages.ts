import type { ConflationCounts } from './conflation-tally.ts';

/** How a slow reader reads. */
export interface SlowReaderPlan {
  readonly url: string;
  readonly versions: 'newest' | 'all';
  readonly readEveryMs: number;
  readonly restMs: number;
  /** Entities of the stream, each of which has one version before. */
  readonly entities: number;
}

/** Tells it that nothing more is published, and the sequence of the last change. */
export interface SlowReaderOrder {
  readonly head: number;
}

/** Its memory at one moment. */
export interface MemorySample {
  /** Since it began, milliseconds. */
  readonly atMs: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Bytes of buffers outside the heap. */
  readonly externalBytes: number;
}

/** What it got: by the time of the order, and when it had read the rest as fast as it could. */
export interface SlowReaderReport {
  readonly slow: ConflationCounts;
  /** Versions left out by then, as its status told. */
  readonly slowConflated: number;
  readonly whole: ConflationCounts;
  readonly gaps: number;
  /** Whether the rest was read in time. */
  readonly isWhole: boolean;
  readonly restMs: number;
  /** Versions left out, as its status tells at the end. */
  readonly statusConflated: number;
  readonly mode: string;
  readonly memory: readonly MemorySample[];
}
