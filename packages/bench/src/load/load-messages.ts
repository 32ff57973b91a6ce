import type { LatencyCounts } from './latency-histogram.ts';
import type { PublishSchedule } from './publish-on-schedule.ts';
import type { SequenceTally } from './sequence-check.ts';
import type { SeriesTally } from './series-counts.ts';

/** What the readers of one process of the load are. */
export interface LoadPlan {
  readonly readers: number;
  /** The number of its first reader, which {@link LoadPlan.path} may name. */
  readonly firstReader: number;
  readonly port: number;
  /** Path of the requests; `{reader}` in it stands for the number of the reader, in six digits. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** From which address of the loopback network: each has ports for some 28,000 connections to one server. */
  readonly localAddress: string;
  /** Connections that may be under way at a time. */
  readonly opening: number;
  /** Whether a reader that is cut comes back after the wait that its server stated, and resumes. */
  readonly comesBack: boolean;
  /** Members of every commit, where ids are to be followed; see {@link SequenceCheck}. */
  readonly step?: number;
  /** Whether updates carry a stamp. @defaultValue true */
  readonly isStamped?: boolean;
  /** Decode the first so many readers' streams, and only count the bytes of the others; absent: nothing is compressed. */
  readonly decoded?: number;
}

/** What a process of the load is told to do. */
export type LoadOrder =
  | { readonly order: 'report' }
  | { readonly order: 'tally' }
  /** Count from now on how often each reader gets each of these updates; every reader is to get all. */
  | { readonly order: 'series'; readonly series: PublishSchedule }
  /** Stop reading, or go on: the readers from one number to before another. */
  | { readonly order: 'pause' | 'resume'; readonly from: number; readonly to: number }
  /** Cut all connections at once. */
  | { readonly order: 'cut' }
  | { readonly order: 'stop' };

/** Plain numbers of what the readers of a process met, since it began. */
export interface LoadTally {
  /** Connections that are open and answered by 200. */
  open: number;
  /** Times that a connection was answered. */
  opened: number;
  /** Times that the server ended a connection, or none came to be. */
  ended: number;
  /** Answers with another status. */
  refused: number;
  /** Events that had a stamp; with compression, of the readers that decode. */
  events: number;
  /** Of the events, those that their reader had, as far as a series is counted. */
  doubled: number;
  bytes: number;
}

/** How one update reached the readers: microseconds of the clock of {@link monotonicMicros}. */
export interface Arrival {
  readonly stamp: number;
  first: number;
  last: number;
  events: number;
}

/** What a process of the load found since its last report. */
export interface LoadReport {
  readonly tally: LoadTally;
  readonly sequence: SequenceTally;
  /** Of the series that is counted, since its beginning. */
  readonly series?: SeriesTally;
  readonly latency: LatencyCounts;
  readonly arrivals: readonly Arrival[];
  /** When each reader's first connection ended, microseconds. */
  readonly ends: readonly number[];
  /** Readers, of those whose ids are followed, by the id of the last event. */
  readonly lastIds: Readonly<Record<string, number>>;
  readonly cpuMicros: number;
  readonly wallMicros: number;
  /** The longest time for which a process of the load did nothing else than one turn of its event loop. */
  readonly longestLoopLagMicros: number;
}
