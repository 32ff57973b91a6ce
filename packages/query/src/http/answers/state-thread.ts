import { formatCursor } from '@ldes-live/rdf-stream';
import type { CommitSource } from '../../commit-source.ts';
import { errors } from '../../errors.ts';
import { carriedError } from '../../worker/carried-error.ts';
import type { Accepted } from '../formats.ts';
import type { SparqlLimits } from '../limits.ts';
import type { Answerer } from './answer-line.ts';
import type { WrittenAnswer } from './held-state.ts';
import { eventMessages, type FromStateThread, type ToStateThread } from './thread-messages.ts';

/** A thread that holds a state, as whoever asks it sees it. */
export interface Thread {
  post(message: ToStateThread): void;
  onMessage(listener: (message: FromStateThread) => void): void;
  /** Told once it has ended, however. */
  onEnd(listener: (error: unknown) => void): void;
  end(): Promise<void>;
}

/** What a {@link StateThread} takes. */
export interface StateThreadParts {
  readonly start: () => Thread;
  readonly commits: (signal: AbortSignal) => CommitSource;
  readonly limits: Pick<SparqlLimits, 'limitEvaluationMs' | 'limitLoadingMs'>;
  /** After how long without a question the thread is ended, milliseconds. */
  readonly idleMs: number;
}

/**
 * Answers queries over the latest state of a stream by a thread that follows it, from the first question until nobody has
 * asked for a while. A question that takes too long, or too much memory, takes its thread along: the next one begins
 * another.
 *
 * @see specs/query.md QUERY-83
 */
export class StateThread implements Answerer {
  readonly #parts: StateThreadParts;
  #follower: Follower | undefined;
  #idling: NodeJS.Timeout | undefined;

  constructor(parts: StateThreadParts) {
    this.#parts = parts;
  }

  async answer(sparql: string, accepted: Accepted, cursor: string): Promise<WrittenAnswer> {
    const { limits, idleMs } = this.#parts;
    const { limitEvaluationMs, limitLoadingMs } = limits;
    clearTimeout(this.#idling);
    try {
      const follower = this.#followerTo(cursor);
      await follower.reached(cursor, limitLoadingMs);
      // The state's coming does not count: who has waited for it would have its thread ended for that, and then the next.
      const late = setTimeout(
        () => follower.end(errors.ERR_EVALUATION_TIMEOUT({ limitEvaluationMs })),
        limitEvaluationMs,
      );
      return await follower.ask(sparql, accepted).finally(() => clearTimeout(late));
    } finally {
      clearTimeout(this.#idling);
      this.#idling = setTimeout(() => void this.close(), idleMs).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idling);
    await this.#follower?.end(errors.ERR_QUERY_STOPPING(undefined));
  }

  /** The follower there is, unless its source can bring it no further. */
  #followerTo(cursor: string): Follower {
    if (this.#follower?.mayReach(cursor)) return this.#follower;
    void this.#follower?.end(errors.ERR_QUERY_STOPPING(undefined));
    this.#follower = undefined;
    this.#follower = new Follower(this.#parts);
    return this.#follower;
  }
}

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread, and what brings it what is committed. */
class Follower {
  readonly #thread: Thread;
  readonly #ending = new AbortController();
  readonly #asked = new Map<number, Waiting<WrittenAnswer>>();
  readonly #reaching = new Set<Waiting<void> & { readonly cursor: string }>();
  #cursor: string | undefined;
  /** Whether the source has ended. */
  #isLast = false;
  #applied: () => void = () => undefined;
  #ended: { readonly error: unknown; readonly done: Promise<void> } | undefined;
  #lastId = 0;

  constructor({ start, commits }: StateThreadParts) {
    // Before there is a thread, which would be left where there is no source.
    const source = commits(this.#ending.signal);
    this.#thread = start();
    this.#thread.onMessage((message) => this.#take(message));
    this.#thread.onEnd((error) => void this.end(error));
    void this.#follow(source);
  }

  /** Whether the state at a cursor, or a later one, is there or may come. */
  mayReach(cursor: string): boolean {
    return this.#ended === undefined && (!this.#isLast || isAtOrPast(this.#cursor, cursor));
  }

  /**
   * Resolves once the thread has the state at a cursor, or a later one.
   *
   * @throws {@link StreamError} `ERR_STATE_LATE` - it has not after so many milliseconds; it goes on nevertheless
   */
  reached(cursor: string, limitLoadingMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended.error);
      if (isAtOrPast(this.#cursor, cursor)) return resolve();
      const settle = <Given extends unknown[]>(done: (...given: Given) => void) => {
        return (...given: Given) => {
          clearTimeout(late);
          this.#reaching.delete(waiting);
          done(...given);
        };
      };
      const waiting = { cursor, resolve: settle(resolve), reject: settle(reject) };
      const late = setTimeout(() => waiting.reject(errors.ERR_STATE_LATE({ limitLoadingMs })), limitLoadingMs);
      this.#reaching.add(waiting);
    });
  }

  ask(sparql: string, accepted: Accepted): Promise<WrittenAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended.error);
      this.#lastId += 1;
      this.#asked.set(this.#lastId, { resolve, reject });
      this.#thread.post({ kind: 'ask', id: this.#lastId, sparql, accepted });
    });
  }

  /** Ends the thread at once; whoever waits is told the error. */
  end(error: unknown): Promise<void> {
    if (this.#ended) return this.#ended.done;
    this.#ended = { error, done: this.#thread.end() };
    this.#ending.abort();
    this.#applied();
    for (const { reject } of [...this.#asked.values(), ...this.#reaching]) reject(error);
    return this.#ended.done;
  }

  async #follow(source: CommitSource): Promise<void> {
    try {
      for await (const event of source) {
        const applied = new Promise<void>((resolve) => {
          this.#applied = resolve;
        });
        for (const message of eventMessages(event)) {
          if (this.#ended) return;
          this.#thread.post(message);
          await new Promise((resolve) => setImmediate(resolve));
        }
        // What comes while a question is answered waits where it is bounded.
        await applied;
        if (this.#ended) return;
        this.#reach(typeof event.cursor === 'string' ? event.cursor : formatCursor(event.cursor));
      }
      this.#isLast = true;
      if (this.#reaching.size > 0) await this.end(new Error('the source has ended short of the present cursor'));
    } catch (error) {
      await this.end(error);
    }
  }

  #reach(cursor: string): void {
    this.#cursor = cursor;
    for (const waiting of this.#reaching) if (isAtOrPast(cursor, waiting.cursor)) waiting.resolve();
  }

  #take(message: FromStateThread): void {
    if (message.kind === 'applied') {
      this.#applied();
      return;
    }
    const waiting = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if (message.kind === 'answer') waiting?.resolve(message.answer);
    else waiting?.reject(carriedError(message.error));
  }
}

/** Of another epoch is another life of the log: nothing of it can be waited for. */
function isAtOrPast(cursor: string | undefined, wanted: string): boolean {
  if (cursor === undefined) return false;
  const [at, to] = [cursor.lastIndexOf('-'), wanted.lastIndexOf('-')];
  if (cursor.slice(0, at) !== wanted.slice(0, to)) return true;
  return Number(cursor.slice(at + 1)) >= Number(wanted.slice(to + 1));
}
