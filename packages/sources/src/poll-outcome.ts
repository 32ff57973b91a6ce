import type { Draft, StreamError } from '@ldes-live/rdf-stream';
import type { PollMemory } from './poll-feed.ts';

/** What came of one poll, and what it leaves to the next. */
export type PollOutcome = UnchangedPoll | FailedPoll | RejectedPoll | AcceptedPoll;

interface AnyPoll {
  /** Errors of documents beside the feed, which stay as they were. */
  readonly besideProblems: readonly StreamError[];
  /** For the next poll; that of a poll that counts, once its batches have been appended. */
  readonly memory: PollMemory;
}

/** The feed is what it was. */
export interface UnchangedPoll extends AnyPoll {
  readonly kind: 'unchanged';
  readonly by: 'status' | 'bytes';
  /** What is noticed of it now. */
  readonly findings: Readonly<Record<string, number>>;
}

/** Nothing came that can be read. */
interface FailedPoll extends AnyPoll {
  readonly kind: 'failed';
  readonly error: StreamError;
}

/** What came is not believed yet. */
export interface RejectedPoll extends AnyPoll {
  readonly kind: 'rejected';
  readonly error: StreamError;
  readonly findings: Readonly<Record<string, number>>;
  /** What else is to be told of it. */
  readonly problems: readonly StreamError[];
}

/** A poll that counts. */
export interface AcceptedPoll extends AnyPoll {
  readonly kind: 'accepted';
  /** What changed, to be appended one after the other: none is empty or has two drafts of one entity. */
  readonly batches: readonly (readonly Draft[])[];
  readonly upserts: number;
  readonly deletes: number;
  readonly bytes: number;
  readonly entities: number;
  readonly findings: Readonly<Record<string, number>>;
  /** What could not be read. */
  readonly problems: readonly StreamError[];
}
