import type { ReadableLog } from '@ldes-live/log';
import type { CommitSource, SourceEvent } from '@ldes-live/query';
import { type Commit, formatCursor } from '@ldes-live/rdf-stream';

/** What a log is read by here. */
export type ReadLog = Pick<ReadableLog, 'head' | 'readLatest' | 'subscribe' | 'completeToMs'>;

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
export function logCommits(log: ReadLog, url: string, signal: AbortSignal, limitMembers = LIMIT_MEMBERS): CommitSource {
  const reader = new LogReader(log, limitMembers);
  return {
    url,
    completeToMs: () => reader.completeToMs(),
    [Symbol.asyncIterator]: () => reader.events(signal),
  };
}

class LogReader {
  readonly #log: ReadLog;
  readonly #limitMembers: number;
  #waiting: Commit[] = [];
  #waitingMembers = 0;
  /** Whether the next to be handed out is the state. */
  #isStateDue = true;
  #wake: () => void = () => undefined;

  constructor(log: ReadLog, limitMembers: number) {
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
