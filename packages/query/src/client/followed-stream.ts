import type { Member } from '@ldes-live/rdf-stream';

/** What a live query needs of a client: that of `@ldes-live/client` has it. */
export interface FollowingClient {
  /** The maximum acceptable latency, in seconds. */
  readonly mal: number;
  follow(url: string, request: FollowedRequest): FollowedStream;
}

/** How a stream is followed for a query. */
export interface FollowedRequest {
  readonly from: string;
  readonly mal: number;
  readonly signal?: AbortSignal;
}

/** A stream being followed. */
export interface FollowedStream extends AsyncIterable<FollowedChange> {
  readonly status: FollowedStatus;
  readonly state: { readonly cursor?: string };
  on(type: 'caught-up', listener: () => void): () => void;
}

/** How it fares. */
export interface FollowedStatus {
  readonly lagBoundMs: number;
  readonly isCaughtUp: boolean;
  /** Whether something is wrong that is expected to pass: `reason` says what. */
  readonly isInTrouble: boolean;
  readonly reason: string;
}

/** A change of it. */
export type FollowedChange =
  | {
      readonly kind: 'upsert' | 'delete';
      readonly member: Member;
      readonly cursor: string;
      readonly endsCommit: boolean;
    }
  | { readonly kind: 'gap'; readonly cursor: string };
