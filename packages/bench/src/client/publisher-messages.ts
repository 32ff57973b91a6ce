import type { StreamRhythm } from './stream-rhythm.ts';

/** What a publisher is to publish, in a process of its own. */
export interface PublisherPlan {
  /** Base of its IRIs: its own, or that of a cache in front of it. */
  readonly publicUrl: string;
  readonly port: number;
  readonly streams: readonly StreamRhythm[];
  /** Entities of each stream; each update has a new state of so many of them, in turns. */
  readonly entities: number;
  readonly membersPerUpdate: number;
  readonly seed: number;
  /** The MAL below which push is advised, seconds; as the server has it when absent. */
  readonly breakEvenSeconds?: number;
  /** Where its logs are kept; in memory when absent. */
  readonly folder?: string;
  /** Members that are in each log before it publishes, in commits of 1,000 at most. */
  readonly history?: number;
}

/** What it is told to do: each order is answered before the next one. */
export type PublisherOrder = 'publish' | 'hold' | 'begin' | 'report' | 'close';

/** One commit: when it was published, epoch milliseconds, and up to which sequence the log reaches with it. */
export interface PublishedCommit {
  readonly timeMs: number;
  readonly last: number;
}

/** What happened since it was told to begin. */
export interface PublisherReport {
  /** CPU time of the process, microseconds. */
  readonly cpuMicros: number;
  /** When requests arrived, but for those of push, milliseconds since the beginning, ascending. */
  readonly arrivalsMs: readonly number[];
  /** What was published, by the names of the streams. */
  readonly commits: Readonly<Record<string, readonly PublishedCommit[]>>;
}
