import type { LatencyCounts } from './latency-histogram.ts';

/** When a polling reader asks. */
export type PollBehaviour =
  /**
   * So long after its last answer, and at steps as long from there on: while its own copy is fresh, by `max-age` or `Expires`
   * less `Age`, a step is answered by that copy and costs nothing; a stale one is asked for by its tag.
   */
  | { readonly kind: 'article'; readonly pauseMs: number }
  /** As late as a MAL allows, planned as this project's client plans, by conditional requests. */
  | { readonly kind: 'mal'; readonly malSeconds: number }
  /** At fixed instants of its own phase, whatever became of the request before (open loop); never by a conditional request. */
  | { readonly kind: 'every'; readonly everyMs: number };

/** Where a polling reader asks, on 127.0.0.1. */
export interface PollTarget {
  readonly port: number;
  readonly path: string;
}

/** What the polling readers of one process are. */
export interface PollPlan {
  readonly readers: number;
  /** The number of its first reader, of all readers of all processes. */
  readonly firstReader: number;
  /** Readers take turns over these. */
  readonly targets: readonly PollTarget[];
  readonly headers: Readonly<Record<string, string>>;
  readonly behaviour: PollBehaviour;
  /** From one version to the next, by which versions are counted that a reader never had, milliseconds. */
  readonly updateIntervalMs: number;
  /** Readers that may be under way to their first answer at a time. */
  readonly opening: number;
  /** What the phases of the readers come from. */
  readonly seed: number;
  /** From which address of the loopback network. */
  readonly localAddress: string;
}

/** What a process of the load is told to do. */
export type PollOrder =
  | { readonly order: 'begin' | 'stop' }
  /** What was scheduled before that instant, microseconds, counts no more from now on. */
  | { readonly order: 'report'; readonly sinceMicros: number };

/** What polling readers met since the last report. */
export interface PollReport {
  /** Answers that came whole. */
  readonly requests: number;
  /** Status codes, each with how often. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests whose connection ended, or never came to be, before the answer was whole. */
  readonly failed: number;
  /** Versions that count, and that a reader had for the first time; its first answer of all tells none. */
  readonly news: number;
  /** Versions that count, and that a reader never had, since a newer one came first. */
  readonly skipped: number;
  /** Answers with a version older than one that the reader had: never, of a right server. */
  readonly older: number;
  /** Of the news: from the instant that a version was scheduled for until the reader has the whole answer. */
  readonly latency: LatencyCounts;
  /** From when a request was due until its answer was whole. */
  readonly responseTime: LatencyCounts;
  /** Of `every`: requests that were due while the one before was not answered. */
  readonly lateRequests: number;
  /** Requests that are due and not answered at the moment. */
  readonly waiting: number;
  /** Times that a kept-alive connection, ended by its server, was opened anew. */
  readonly reopened: number;
  /** Bytes of the answers, header fields included. */
  readonly bytes: number;
  /** CPU time of all processes of the load. */
  readonly cpuMicros: number;
  readonly wallMicros: number;
  /** The longest time for which a process of the load did nothing else than one turn of its event loop. */
  readonly longestLoopLagMicros: number;
}

/** What a process of the load tells: that all its readers were answered, or how many were not; then reports. */
export type PollTold = { readonly opened: number } | PollReport;
