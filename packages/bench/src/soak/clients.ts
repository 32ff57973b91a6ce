/* What the process of clients is told, and what it tells: see clients-process.ts. */

/** The streams of the city. */
export const STREAMS = ['vehicles', 'sensors', 'buoys'] as const;
export type StreamName = (typeof STREAMS)[number];

/** What the process is to do. JSON. */
export interface ClientsPlan {
  readonly publicUrl: string;
  readonly token: string;
  readonly seed: number;
  readonly vehicles: number;
  readonly followers: number;
  readonly walkers: number;
  readonly liveQueries: number;
  readonly postEveryMs: number;
  readonly queryEveryMs: number;
}

/** What is counted over all of them. */
export const NOTHING = {
  followed: 0,
  resumed: 0,
  walked: 0,
  delivered: 0,
  /** Members that did not come to a reader, though later ones did. */
  lost: 0,
  /** Members that came to a reader again. */
  doubled: 0,
  /** Members that are not what the keeper has of their number. */
  unlike: 0,
  /** Gaps that a reader was told of, since what follows was erased. */
  gaps: 0,
  /** Gaps though the log has what follows. */
  wrongGaps: 0,
  /** Readers that failed for good. */
  failed: 0,
  posted: 0,
  postedAgain: 0,
  answers: 0,
  /** Queries that were answered by an error of the server. */
  refusedQueries: 0,
  /** Queries that were not answered, as while there is no server. */
  unansweredQueries: 0,
  liveQueries: 0,
  liveEvents: 0,
};

export type ClientCounts = Readonly<typeof NOTHING>;

/** What all of them met so far. */
export interface ClientsReport {
  readonly counts: ClientCounts;
  /** How far the keeper of each stream is. */
  readonly reached: Readonly<Record<StreamName, number>>;
  /** Acknowledged posts that their keeper does not have. */
  readonly missingPosts: number;
  /** Acknowledged posts that their keeper had more than once. */
  readonly doubledPosts: number;
  /** The first things that went wrong, in words. */
  readonly remarks: readonly string[];
}

/** `settle`: nobody comes or goes any more, and nothing is posted. */
export type ClientsOrder = { readonly order: 'report' | 'settle' };
