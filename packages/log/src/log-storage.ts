import type { Commit, Member } from '@ldes-live/rdf-stream';
import type { LatestChange } from './latest-change.ts';
import type { RunsChange } from './removal-runs.ts';

/** Where an ordered log keeps its commits. It is written by one commit or removal at a time. */
export interface LogStorage {
  /**
   * Stores a commit and what it changes of the latest state: all or nothing, durably once the promise resolves.
   *
   * @param freed - sequence numbers of members on erased pages that the commit replaces: they are taken out with it
   */
  write(commit: Commit, change: LatestChange, freed: readonly number[]): Promise<void>;
  /** What a read has to wait for; `undefined` while it need not, and as soon as it resolves. Never rejected. */
  readonly pause?: Promise<void> | undefined;
  /** Which of these are IRIs of stored versions that have IRIs of their own. */
  held(versionIris: readonly string[]): ReadonlySet<string>;
  /** The members of these sequence numbers, all of them stored, in the order asked for. */
  read(sequences: readonly number[]): Member[];
  /**
   * Stores what is removed from now on and takes members out: all or nothing, durably once the promise resolves.
   *
   * @param sequences - of the members to take out
   */
  remove(sequences: readonly number[], change: RunsChange): Promise<void>;
}
