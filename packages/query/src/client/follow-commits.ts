import { parseCursor } from '@ldes-live/rdf-stream';
import type { CommitSource, SourceEvent } from '../commit-source.ts';
import { CommitGathering } from './commit-gathering.ts';
import type { FollowedChange, FollowedStream } from './followed-stream.ts';

/** What {@link followCommits} takes beside the follower. */
export interface FollowCommitsOptions {
  /** The stream's IRI, by which RSP-QL means it. */
  readonly url?: string;
  /** Whether the follower begins with the latest state, as it does unless it was told another start. @defaultValue true */
  readonly beginsWithState?: boolean;
  /** The present in epoch milliseconds. @defaultValue `Date.now` */
  readonly clock?: () => number;
}

/**
 * A stream that is followed, as a source of live queries: its state first, anew after each gap, then commit by commit.
 *
 * @param follower - of every version: not of `versions: 'newest'`, which does not keep commits together
 * @see specs/query.md QUERY-90, QUERY-91, QUERY-92
 */
export function followCommits(follower: FollowedStream, options: FollowCommitsOptions = {}): CommitSource {
  const { url, beginsWithState = true, clock = Date.now } = options;
  let gathering = new CommitGathering(beginsWithState);
  return {
    ...(url === undefined ? {} : { url }),
    completeToMs() {
      const { lagBoundMs } = follower.status;
      // What waits for the rest of its commit was not handed out.
      return gathering.isWaiting || !Number.isFinite(lagBoundMs) ? undefined : clock() - lagBoundMs;
    },
    trouble() {
      const { isInTrouble, reason } = follower.status;
      return isInTrouble ? reason : undefined;
    },
    [Symbol.asyncIterator]: () => {
      gathering = new CommitGathering(beginsWithState);
      return new CommitReader(follower, gathering);
    },
  };
}

/** Not a generator: one that waits cannot be returned before it is through, and a stream may be silent for hours. */
class CommitReader implements AsyncIterator<SourceEvent, undefined> {
  readonly #gathering: CommitGathering;
  readonly #changes: AsyncIterator<FollowedChange>;
  readonly #stopListening: () => void;
  readonly #ready: SourceEvent[] = [];
  #pending: Promise<IteratorResult<FollowedChange>> | undefined;
  #wake: (() => void) | undefined;
  // Where the follower stood when it had caught up; absent while that is not to be told of.
  #caughtUpAt: string | undefined;
  #isOver = false;

  constructor(follower: FollowedStream, gathering: CommitGathering) {
    this.#gathering = gathering;
    this.#changes = follower[Symbol.asyncIterator]();
    this.#stopListening = follower.on('caught-up', () => {
      this.#caughtUpAt = follower.state.cursor ?? '';
      this.#wake?.();
    });
  }

  async next(): Promise<IteratorResult<SourceEvent, undefined>> {
    for (;;) {
      const event = this.#ready.shift();
      if (event) return { done: false, value: event };
      if (this.#isOver) return { done: true, value: undefined };
      await this.#read();
    }
  }

  async return(): Promise<IteratorResult<SourceEvent, undefined>> {
    this.#end();
    await this.#changes.return?.();
    return { done: true, value: undefined };
  }

  async #read(): Promise<void> {
    this.#pending ??= this.#changes.next();
    const caughtUpAt = this.#caughtUpAt;
    // The change that it caught up by may be handed out just after it has told so.
    const otherwise = caughtUpAt === undefined ? this.#woken() : soon();
    const result = await Promise.race([this.#pending, otherwise]).catch((error) => {
      this.#end();
      throw error;
    });
    if (result) this.#pending = undefined;
    if (caughtUpAt === undefined) {
      if (result) this.#take(result, '');
      return;
    }
    this.#caughtUpAt = undefined;
    const belongs = result && !result.done && !isAfter(result.value.cursor, caughtUpAt);
    if (belongs) this.#take(result, caughtUpAt);
    this.#ready.push(...this.#gathering.caughtUp(caughtUpAt));
    if (result && !belongs) this.#take(result, caughtUpAt);
  }

  #woken(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#wake = () => resolve(undefined);
    });
  }

  #take(result: IteratorResult<FollowedChange>, cursor: string): void {
    if (!result.done) {
      this.#ready.push(...this.#gathering.take(result.value));
      return;
    }
    // What has ended brings nothing more that belongs to what waits.
    this.#ready.push(...this.#gathering.caughtUp(cursor));
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#stopListening();
  }
}

function soon(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), 0));
}

function isAfter(cursor: string, other: string): boolean {
  return other === '' || parseCursor(cursor).sequence > parseCursor(other).sequence;
}
