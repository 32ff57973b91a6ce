/*
 * A log as a source of commits: its latest state, and every commit from then on.
 *
 *   log.readLatest() -> { kind: 'state', cursor: 'a-7', members } -> { cursor: 'a-9', time, members } -> ...
 *   more than `limitMembers` members wait for the reader -> they are dropped, and the state comes anew
 */
import { type Commit, type Cursor, formatCursor, type Member } from '@ldes-live/rdf-stream';
import { Wakeup } from '../run/waiting.ts';
import type { CommitSource, SourceEvent } from '../source.ts';

/** What a log is read by: the log of a server has it, and so does any other that keeps these promises. */
export interface CommitLog {
  /** The cursor of the last commit. */
  readonly head: { readonly cursor: Cursor };
  /** All that was published up to then was given to subscribers: epoch milliseconds. */
  completeToMs(): number;
  /** Reads the newest version of every entity that lives at the time of the call. */
  readLatest(): Promise<readonly Member[]>;
  /** Calls a listener with each commit from now on, in order, until the function that it returns is called. */
  subscribe(listener: (commit: Commit) => void): () => void;
}

/**
 * The latest state of a log, and every commit from then on.
 *
 * @param url - IRI of the stream, by which queries mean it
 * @param signal - ends the reading
 * @param limitMembers - members of commits that may wait for the reader
 */
export function logCommits(log: CommitLog, url: string, signal: AbortSignal, limitMembers = 20_000): CommitSource {
  /** Commits that wait for the reader; `undefined` while the state comes next. */
  let waiting: Commit[] | undefined;
  let waitingMembers = 0;
  const news = new Wakeup();
  const add = (commit: Commit) => {
    if (!waiting) return;
    waiting.push(commit);
    waitingMembers += commit.members.length;
    // One alone is no reason to read everything again.
    if (waitingMembers > limitMembers && waiting.length > 1) waiting = undefined;
    news.notify();
  };
  async function* events(): AsyncGenerator<SourceEvent, void, undefined> {
    const stop = () => news.notify();
    signal.addEventListener('abort', stop);
    const unsubscribe = log.subscribe(add);
    try {
      while (!signal.aborted) {
        const next = waiting?.shift();
        if (next) {
          waitingMembers -= next.members.length;
          yield next;
        } else if (waiting) await news.wait();
        else {
          // In one tick: what is committed while the members are read waits behind them.
          const { cursor } = log.head;
          const reading = log.readLatest();
          waiting = [];
          waitingMembers = 0;
          yield { kind: 'state', cursor: formatCursor(cursor), members: await reading };
        }
      }
    } finally {
      unsubscribe();
      signal.removeEventListener('abort', stop);
    }
  }
  return {
    url,
    // What waits was published; nothing is known of it where the state is still to be read.
    completeToMs: () => {
      if (!waiting) return undefined;
      const [next] = waiting;
      return next ? Math.min(log.completeToMs(), Date.parse(next.time) - 1) : log.completeToMs();
    },
    [Symbol.asyncIterator]: events,
  };
}
