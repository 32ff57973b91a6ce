/*
 * Queries that are answered once, over the latest state of a stream.
 *
 *   query -> AnswerQueue (equal ones are one; as many wait as may) -> StateAnswerer (a thread that follows the stream, from
 *   the first query until nobody has asked for a while) -> thread/worker.ts -> QueriedState -> answer
 *
 *   { cursor: 'e5-41', mediaType: 'text/csv', content: <bytes of 'v\r\nurn:x\r\n'>, isVolatile: false }
 *
 * Answers are over the state at the cursor that the asker has seen, or a later one: for that the thread is waited for. A query
 * that takes too long, or too much memory, takes its thread along; the next one begins another.
 */
import { formatCursor, parseCursor } from '@ldes-live/rdf-stream';
import type { EngineStore } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import { type PreparedQuery, prepareQuery } from '../prepare/prepared-query.ts';
import { Wakeup } from '../run/waiting.ts';
import type { CommitSource, SourceEvent } from '../source.ts';
import { type EngineName, sendEvent, type Thread, ThreadLink, withinLimit } from '../thread/link.ts';
import { createView, type View } from '../views/view.ts';
import { type Accepted, offeredFor, type WholeAnswer, writeAnswer } from './formats.ts';
import type { SparqlLimits } from './limits.ts';

/** An answer over the latest state as it is sent. */
export interface WrittenAnswer {
  /** The cursor of the state that it was found over. */
  readonly cursor: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
  /** Whether it may be another one at another time, over the same state. */
  readonly isVolatile: boolean;
}

/** What an {@link AnswerQueue} takes. */
interface AnswerQueueOptions {
  readonly limits: Pick<SparqlLimits, 'limitWaitingQueries' | 'limitAnswerBytes' | 'limitQueryChars'>;
  readonly answerer: StateAnswerer;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * Has queries wait for their turn, as many as may, and equal ones over one state be answered once.
 *
 * @see specs/query.md QUERY-82
 */
export class AnswerQueue {
  readonly #options: AnswerQueueOptions;
  /** Answers over the state at one cursor, found or being found. */
  #answers = new Map<string, Promise<WrittenAnswer>>();
  #cursor: string | undefined;
  #keptBytes = 0;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: AnswerQueueOptions) {
    this.#options = options;
  }

  /**
   * @param cursor - of the present state
   * @throws {@link StreamError} `ERR_QUERIES_WAITING`, and those of {@link StateAnswerer.answer}
   */
  async answer(sparql: string, accepted: Accepted, cursor: string): Promise<WrittenAnswer> {
    const { limits, random, answerer } = this.#options;
    const { limitQueryChars, limitWaitingQueries } = limits;
    // Before its turn: what is long is not worth keeping.
    if (sparql.length > limitQueryChars) throw errors.ERR_QUERY_TOO_LONG({ chars: sparql.length, limitQueryChars });
    if (this.#cursor !== cursor) this.#begin(cursor);
    const key = JSON.stringify([sparql, accepted]);
    const known = this.#answers.get(key);
    if (known) return known;
    if (this.#waiting >= limitWaitingQueries) {
      const retryAfterSeconds = 1 + Math.floor(random() * 5);
      throw errors.ERR_QUERIES_WAITING({ limitWaitingQueries, retryAfterSeconds });
    }
    this.#waiting += 1;
    const answers = this.#answers;
    const answer = this.#last.then(() => answerer.answer(sparql, accepted, cursor));
    answers.set(key, answer);
    this.#last = answer
      .then(
        ({ content, isVolatile }) => this.#keep(answers, key, content.length, isVolatile),
        // What has failed of time or memory may go better later; who asks again waits for his turn again.
        () => answers.delete(key),
      )
      .finally(() => {
        this.#waiting -= 1;
      });
    return answer;
  }

  close(): Promise<void> {
    return this.#options.answerer.close();
  }

  #begin(cursor: string): void {
    this.#cursor = cursor;
    this.#answers = new Map();
    this.#keptBytes = 0;
  }

  #keep(answers: Map<string, unknown>, key: string, bytes: number, isVolatile: boolean): void {
    // Answers over a state that has passed are gone with their map.
    if (answers !== this.#answers) return;
    if (isVolatile || this.#keptBytes + bytes > this.#options.limits.limitAnswerBytes) answers.delete(key);
    else this.#keptBytes += bytes;
  }
}

/** What a {@link StateAnswerer} takes. */
interface StateAnswererOptions {
  readonly start: () => Thread;
  readonly commits: (signal: AbortSignal) => CommitSource;
  readonly limits: Pick<SparqlLimits, 'limitEvaluationMs' | 'limitLoadingMs'>;
  /** After how long without a question the thread is ended, milliseconds. */
  readonly idleMs: number;
}

/**
 * Answers one query after the other over the latest state of a stream, by a thread that follows it.
 *
 * @see specs/query.md QUERY-83
 */
export class StateAnswerer {
  readonly #options: StateAnswererOptions;
  #follower: Follower | undefined;
  #idling: NodeJS.Timeout | undefined;

  constructor(options: StateAnswererOptions) {
    this.#options = options;
  }

  /**
   * Answers over the state at a cursor or a later one. Never while another is being answered.
   *
   * @throws {@link StreamError} those of queries, `ERR_STATE_LATE`, `ERR_EVALUATION_TIMEOUT` and `ERR_QUERY_MEMORY` included
   */
  async answer(sparql: string, accepted: Accepted, cursor: string): Promise<WrittenAnswer> {
    const { limits, idleMs } = this.#options;
    clearTimeout(this.#idling);
    try {
      const follower = this.#followerTo(cursor);
      const { thread } = follower;
      await follower.reached(cursor, limits.limitLoadingMs);
      // The state's coming does not count: who has waited for it would have its thread ended for that, and then the next.
      return await withinLimit(thread, thread.ask('write', sparql, accepted), limits.limitEvaluationMs);
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
    this.#follower = new Follower(this.#options);
    return this.#follower;
  }
}

/** A thread, and what brings it what is committed. */
class Follower {
  readonly thread: Thread;
  /** Aborted when this has ended: its reason is what it ended by. */
  readonly #ending = new AbortController();
  readonly #news = new Wakeup();
  #cursor: string | undefined;
  #hasSourceEnded = false;
  #ended: Promise<void> | undefined;

  constructor({ start, commits }: StateAnswererOptions) {
    // Before there is a thread, which would be left where there is no source.
    const source = commits(this.#ending.signal);
    this.thread = start();
    const { ended } = this.thread;
    ended.addEventListener('abort', () => void this.end(ended.reason));
    void this.#follow(source);
  }

  /** Whether the state at a cursor, or a later one, is there or may come. */
  mayReach(cursor: string): boolean {
    return !this.#ending.signal.aborted && (!this.#hasSourceEnded || isAtOrPast(this.#cursor, cursor));
  }

  /**
   * Resolves once the thread has the state at a cursor, or a later one. For one who waits at a time.
   *
   * @throws {@link StreamError} `ERR_STATE_LATE` - it has not after so many milliseconds; it goes on nevertheless
   */
  async reached(cursor: string, limitLoadingMs: number): Promise<void> {
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      this.#news.notify();
    }, limitLoadingMs);
    try {
      while (!isAtOrPast(this.#cursor, cursor)) {
        this.#ending.signal.throwIfAborted();
        if (isLate) throw errors.ERR_STATE_LATE({ limitLoadingMs });
        if (this.#hasSourceEnded) await this.end(new Error('the source has ended short of the present cursor'));
        else await this.#news.wait();
      }
    } finally {
      clearTimeout(late);
    }
  }

  /** Ends the thread at once; whoever waits is told the error. */
  end(error: unknown): Promise<void> {
    this.#ending.abort(error);
    this.#news.notify();
    this.#ended ??= this.thread.end(error);
    return this.#ended;
  }

  async #follow(source: CommitSource): Promise<void> {
    try {
      for await (const event of source) {
        // What comes while a question is answered waits where it is bounded.
        await sendEvent(this.thread, 0, event);
        this.#cursor = cursorOf(event);
        this.#news.notify();
      }
      this.#hasSourceEnded = true;
      this.#news.notify();
    } catch (error) {
      await this.end(error);
    }
  }
}

/** Of another epoch is another life of the log: nothing of it can be waited for. */
function isAtOrPast(cursor: string | undefined, wanted: string): boolean {
  if (cursor === undefined) return false;
  const [at, to] = [parseCursor(cursor), parseCursor(wanted)];
  return at.epoch !== to.epoch || at.sequence >= to.sequence;
}

function cursorOf({ cursor }: SourceEvent): string {
  return typeof cursor === 'string' ? cursor : formatCursor(cursor);
}

/**
 * Starts a thread that holds a state, within a limit on its memory.
 *
 * @param execArgv - options of Node.js for it; those of this thread when absent
 */
export function startStateThread(limits: SparqlLimits, engine: EngineName, execArgv?: readonly string[]): Thread {
  const { limitMemoryMib, limitRows, limitQuads, limitQueryChars } = limits;
  const task = { kind: 'state', engine, limits: { limitRows, limitQuads, limitQueryChars } } as const;
  return new ThreadLink({ task, limitMemoryMib, execArgv });
}

/** What the thread is told of limits. */
export type StateLimits = Pick<SparqlLimits, 'limitRows' | 'limitQuads' | 'limitQueryChars'>;

/**
 * The latest state of a stream in an engine's store, and the answers over it: what lives in the thread. Nothing is applied
 * while a query is being answered: whoever calls sees to it.
 */
export class QueriedState {
  readonly #store: EngineStore;
  readonly #view: View;
  readonly #limits: StateLimits;
  #cursor = '';

  /** @param store - empty */
  constructor(store: EngineStore, limits: StateLimits) {
    this.#store = store;
    this.#limits = limits;
    this.#view = createView({ window: { type: 'latest' }, windows: [], sources: [undefined], malMs: 1000 });
  }

  apply(source: number, event: SourceEvent): void {
    const { added, removed } = this.#view.apply(source, event);
    for (const quad of removed) this.#store.delete(quad);
    for (const quad of added) this.#store.add(quad);
    this.#cursor = cursorOf(event);
  }

  /**
   * Answers a query over the state as it stands.
   *
   * @throws {@link StreamError} those of preparing the query
   * @throws {@link StreamError} `ERR_SPARQL_FORMAT`, `ERR_QUERY_UNSUPPORTED`, `ERR_QUERY_FAILED`, `ERR_ANSWER_TOO_LARGE`,
   *   `ERR_VIEW_TOO_LARGE`
   */
  async write(sparql: string, accepted: Accepted): Promise<WrittenAnswer> {
    const { limitQuads, limitQueryChars } = this.#limits;
    const quads = this.#view.size;
    if (quads > limitQuads) throw errors.ERR_VIEW_TOO_LARGE({ quads, limitQuads });
    const prepared = await prepareQuery(sparql, { limitQueryChars });
    if (prepared.windows.length > 0) {
      const remedy = 'the latest state has no windows; ask for a live query, by Accept: text/event-stream';
      throw errors.ERR_QUERY_UNSUPPORTED({ what: 'a window of RSP-QL', remedy });
    }
    const form = formOf(prepared);
    const mediaType = accepted[form];
    if (mediaType === undefined) throw errors.ERR_SPARQL_FORMAT({ offered: offeredFor(form) });
    const text = writeAnswer(await this.#find(prepared), mediaType);
    const { isVolatile } = prepared;
    return { cursor: this.#cursor, mediaType, content: new TextEncoder().encode(text), isVolatile };
  }

  async #find({ form, query, variables }: PreparedQuery): Promise<WholeAnswer> {
    const limits = { limitRows: this.#limits.limitRows };
    if (form === 'ask') return { form: 'boolean', value: await this.#store.ask(query, limits) };
    if (form === 'select') return { form: 'bindings', variables, rows: await this.#store.select(query, limits) };
    return { form: 'quads', quads: await this.#store.construct(query, limits) };
  }
}

function formOf({ form }: PreparedQuery): WholeAnswer['form'] {
  if (form === 'ask') return 'boolean';
  return form === 'select' ? 'bindings' : 'quads';
}
