/*
 * A log as a source of commits: its latest state, and every commit from then on.
 *
 *   log.readLatest() -> { kind: 'state', cursor: 'a-7', members } -> { cursor: 'a-9', time, members } -> ...
 *   more than `limitMembers` members wait for the reader -> they are dropped, and the state comes anew
 */
import { type Commit, type Cursor, formatCursor, type Member } from '@ldes-live/rdf-stream';
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

/** Members of commits that may wait for a reader. */
const LIMIT_MEMBERS = 20_000;

/**
 * The latest state of a log, and every commit from then on. To a reader for whom more waits than there is room for the
 * state is given anew.
 *
 * @param url - IRI of the stream, by which queries mean it
 * @param signal - ends the reading
 * @param limitMembers - members of commits that may wait for the reader
 */
export function logCommits(
  log: CommitLog,
  url: string,
  signal: AbortSignal,
  limitMembers = LIMIT_MEMBERS,
): CommitSource {
  const reader = new LogReader(log, limitMembers);
  return {
    url,
    completeToMs: () => reader.completeToMs(),
    [Symbol.asyncIterator]: () => reader.events(signal),
  };
}

class LogReader {
  readonly #log: CommitLog;
  readonly #limitMembers: number;
  #waiting: Commit[] = [];
  #waitingMembers = 0;
  /** Whether the next to be handed out is the state. */
  #isStateDue = true;
  #wake: () => void = () => undefined;

  constructor(log: CommitLog, limitMembers: number) {
    this.#log = log;
    this.#limitMembers = limitMembers;
  }

  /** What waits was published; nothing is known of it where the state is still to be read. */
  completeToMs(): number | undefined {
    if (this.#isStateDue) return undefined;
    const [next] = this.#waiting;
    const toldMs = this.#log.completeToMs();
    return next ? Math.min(toldMs, Date.parse(next.time) - 1) : toldMs;
  }

  async *events(signal: AbortSignal): AsyncGenerator<SourceEvent, void, undefined> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake);
    const unsubscribe = this.#log.subscribe((commit) => this.#add(commit));
    try {
      while (!signal.aborted) {
        if (this.#isStateDue) yield await this.#state();
        const next = this.#waiting.shift();
        if (next) {
          this.#waitingMembers -= next.members.length;
          yield next;
        } else if (!this.#isStateDue && !signal.aborted) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      unsubscribe();
      signal.removeEventListener('abort', wake);
    }
  }

  async #state(): Promise<SourceEvent> {
    this.#drop();
    // In one tick: what is committed while the members are read waits behind them.
    const { cursor } = this.#log.head;
    const reading = this.#log.readLatest();
    this.#isStateDue = false;
    return { kind: 'state', cursor: formatCursor(cursor), members: await reading };
  }

  #add(commit: Commit): void {
    if (this.#isStateDue) return;
    this.#waiting.push(commit);
    this.#waitingMembers += commit.members.length;
    // One alone is no reason to read everything again.
    if (this.#waitingMembers > this.#limitMembers && this.#waiting.length > 1) {
      this.#isStateDue = true;
      this.#drop();
    }
    this.#wake();
  }

  #drop(): void {
    this.#waiting = [];
    this.#waitingMembers = 0;
  }
}
