import type { Commit, Member } from '@ldes-live/rdf-stream';
import type { LatestChange } from './latest-change.ts';

/** Where an ordered log keeps its commits. It is written by one commit at a time. */
export interface LogStorage {
  /** Stores a commit and what it changes of the latest state: all or nothing, durably once the promise resolves. */
  write(commit: Commit, change: LatestChange): Promise<void>;
  /** The members of these sequence numbers, all of them stored, in the order asked for. */
  read(sequences: readonly number[]): Member[];
}
