import type { LatencyCounts } from '../load/latency-histogram.ts';
import type { PublishSchedule } from '../load/publish-on-schedule.ts';
import type { DeliveryCounts } from './count-deliveries.ts';
import type { PostTally } from './post-connections.ts';

/** What the users and the providers of a measurement are. */
export interface RequestersPlan {
  readonly port: number;
  /** Path of the stream of replies. */
  readonly path: string;
  /** Users, of whom each follows its own subject on a connection of its own. */
  readonly users: number;
  readonly providers: number;
  /** Connections that requests are posted by, and as many that replies are. */
  readonly postConnections: number;
  /** What random users come from. */
  readonly seed: number;
  /** Connections that may be under way at a time. */
  readonly opening: number;
  /** How long nothing may come before it is taken for lost, milliseconds. */
  readonly quietMs: number;
  /** From which address of the loopback network. */
  readonly localAddress: string;
}

/** What is under way: updates that the server publishes itself, or requests of the users. */
export type RoundKind = 'updates' | 'requests';

/** What the process of the users is told to do. */
export type RequesterOrder =
  | { readonly order: 'round'; readonly kind: RoundKind; readonly schedule: PublishSchedule }
  | { readonly order: 'stop' };

/** What it tells: that all are connected, then a report of each round. */
export type RequesterTold = { readonly kind: 'open' } | { readonly kind: 'round'; readonly report: RequesterReport };

/** How a round was for the users. */
export interface RequesterReport extends DeliveryCounts {
  /** From the instant that it was scheduled for until its user had it whole. */
  readonly latency: LatencyCounts;
  /** Requests that their providers had. */
  readonly received: number;
  readonly posts: { readonly requests: PostTally; readonly replies: PostTally };
  /** Bytes that users and providers read. */
  readonly readBytes: number;
  /** When nothing more was waited for, microseconds of the clock that processes share. */
  readonly endedMicros: number;
  readonly cpuMicros: number;
  readonly wallMicros: number;
  readonly longestLoopLagMicros: number;
}
