/*
 * Queries that are answered once, over the latest state of a stream.
 *
 *   query -> AnswerQueue (equal ones are one; as many wait as may) -> Follower (a thread that follows the stream, from
 *   the first query until nobody has asked for a while) -> thread/worker.ts -> QueriedState -> answer
 *
 *   { cursor: 'e5-41', mediaType: 'text/csv', content: <bytes of 'v\r\nurn:x\r\n'>, isVolatile: false }
 *
 * Answers are over the state at the cursor that the client has seen, or a later one: the thread is waited for. A query that takes
 * too long, or too much memory, ends its thread; the next query starts another.
 */
import { compareCursors, parseCursor } from '@ldes-live/rdf-stream';
import type { EngineStore } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { PreparedQuery } from '../prepare/prepared-query.ts';
import { Wakeup } from '../run/waiting.ts';
import { cursorOf, type SourceEvent } from '../source.ts';
import { type EngineName, sendEvent, type Thread, ThreadLink, withinLimit } from '../thread/link.ts';
import { createView, type View } from '../views/view.ts';
import { type Accepted, offeredFor, type WholeAnswer, writeAnswer } from './formats.ts';
import type { OpenStreamOptions, SparqlLimits } from './limits.ts';

export interface WrittenAnswer {
  /** The cursor of the state that it was found over. */
  readonly cursor: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
  /** Whether it may differ at another time, over the same state. */
  readonly isVolatile: boolean;
}

/** One for all clients that ask the same. */
interface Question {
  readonly answer: Promise<WrittenAnswer>;
  /** Aborted once all its clients have gone. */
  readonly left: AbortController;
  /** Begins to find the answer; resolves when that has ended or failed. */
  readonly take: () => Promise<unknown>;
  clients: number;
}

/** Answers over the state at one cursor, found or being found. */
interface KeptAnswers {
  readonly cursor: string;
  readonly questions: Map<string, Question>;
  bytes: number;
}

/** How long an evaluation goes on after its clients have gone, milliseconds: most end sooner, and keep their thread. */
const LEFT_GRACE_MS = 500;

/**
 * Answers one query after the other, as many as may wait, and equal ones over one state once.
 *
 * @see specs/query.md QUERY-82, QUERY-83
 */
export class AnswerQueue {
  readonly #options: OpenStreamOptions;
  #kept: KeptAnswers | undefined;
  /** In the order of their turns; the first is being answered. */
  readonly #waiting = new Set<Question>();
  #isWorking = false;
  #isClosed = false;
  #follower: Follower | undefined;
  #idling: NodeJS.Timeout | undefined;

  constructor(options: OpenStreamOptions) {
    this.#options = options;
  }

  /**
   * @param cursor - of the present state: the answer is over it or a later one
   * @param gone - aborted once the client has gone
   * @throws {@link StreamError} `ERR_QUERIES_WAITING`, those of {@link QueriedState.write}, `ERR_STATE_LATE`,
   *   `ERR_EVALUATION_TIMEOUT` and `ERR_QUERY_MEMORY`
   * @throws an `AbortError` - all clients have gone
   */
  async answer(sparql: string, accepted: Accepted, cursor: string, gone: AbortSignal): Promise<WrittenAnswer> {
    const { limitQueryChars } = this.#options.limits;
    // Before its turn: what is long is not worth keeping.
    if (sparql.length > limitQueryChars) throw errors.ERR_QUERY_TOO_LONG({ chars: sparql.length, limitQueryChars });
    gone.throwIfAborted();
    const kept: KeptAnswers = this.#kept?.cursor === cursor ? this.#kept : { cursor, questions: new Map(), bytes: 0 };
    this.#kept = kept;
    const key = JSON.stringify([sparql, accepted]);
    const question =
      kept.questions.get(key) ?? this.#enqueue(kept, key, (left) => this.#find(sparql, accepted, cursor, left));
    question.clients += 1;
    const leave = () => {
      question.clients -= 1;
      if (question.clients > 0) return;
      this.#waiting.delete(question);
      kept.questions.delete(key);
      question.left.abort();
    };
    gone.addEventListener('abort', leave);
    try {
      return await question.answer;
    } finally {
      gone.removeEventListener('abort', leave);
    }
  }

  #enqueue(kept: KeptAnswers, key: string, find: (left: AbortSignal) => Promise<WrittenAnswer>): Question {
    const { limits, random } = this.#options;
    const { limitWaitingQueries, limitAnswerBytes } = limits;
    if (this.#isClosed) throw errors.ERR_QUERY_STOPPING(undefined);
    if (this.#waiting.size >= limitWaitingQueries) {
      const retryAfterSeconds = 1 + Math.floor(random() * 5);
      throw errors.ERR_QUERIES_WAITING({ limitWaitingQueries, retryAfterSeconds });
    }
    const left = new AbortController();
    let take: Question['take'] = async () => undefined;
    const answer = new Promise<WrittenAnswer>((resolve, reject) => {
      left.signal.addEventListener('abort', () => reject(left.signal.reason), { once: true });
      take = () => {
        const finding = find(left.signal);
        resolve(finding);
        return finding.catch(() => undefined);
      };
    });
    const question = { answer, left, take, clients: 0 };
    const isKept = () => kept.questions.get(key) === question;
    answer.then(
      ({ content, isVolatile }) => {
        if (!isKept()) return;
        if (isVolatile || kept.bytes + content.length > limitAnswerBytes) kept.questions.delete(key);
        else kept.bytes += content.length;
      },
      // What has failed for time or memory may succeed later, in a turn of its own.
      () => isKept() && kept.questions.delete(key),
    );
    kept.questions.set(key, question);
    this.#waiting.add(question);
    void this.#work();
    return question;
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    // The iteration includes those that come meanwhile, and not those that have left.
    for (const question of this.#waiting) {
      await question.take();
      this.#waiting.delete(question);
    }
    this.#isWorking = false;
  }

  /** Answers nothing any more: those that wait are told so. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { left } of this.#waiting) left.abort(errors.ERR_QUERY_STOPPING(undefined));
    this.#waiting.clear();
    await this.#rest();
  }

  async #rest(): Promise<void> {
    clearTimeout(this.#idling);
    await this.#follower?.thread.end(errors.ERR_QUERY_STOPPING(undefined));
  }

  /** Never while another is being found. */
  async #find(sparql: string, accepted: Accepted, cursor: string, left: AbortSignal): Promise<WrittenAnswer> {
    const { limits, idleMs } = this.#options;
    clearTimeout(this.#idling);
    let ending: NodeJS.Timeout | undefined;
    try {
      if (!this.#follower?.mayReach(cursor)) {
        void this.#rest();
        this.#follower = new Follower(this.#options);
      }
      const { thread } = this.#follower;
      await this.#follower.reached(cursor, limits.limitLoadingMs);
      left.throwIfAborted();
      const end = () => {
        ending = setTimeout(() => void thread.end(left.reason), LEFT_GRACE_MS);
      };
      left.addEventListener('abort', end, { once: true });
      // The wait for the state does not count: else that would end the thread, and then the next one.
      return await withinLimit(thread, thread.ask('write', sparql, accepted), limits.limitEvaluationMs);
    } finally {
      clearTimeout(ending);
      clearTimeout(this.#idling);
      this.#idling = setTimeout(() => void this.#rest(), idleMs).unref();
    }
  }
}

/** A thread, and what sends it the commits until it ends. */
class Follower {
  readonly thread: Thread;
  readonly #news = new Wakeup();
  #cursor: string | undefined;
  #hasSourceEnded = false;

  constructor({ start, commits }: OpenStreamOptions) {
    this.thread = start();
    this.thread.ended.addEventListener('abort', () => this.#news.notify());
    void this.#follow(commits);
  }

  /** Whether the thread has the state at a cursor or a later one, or may get it. */
  mayReach(cursor: string): boolean {
    return !this.thread.ended.aborted && (!this.#hasSourceEnded || this.#isAtOrPast(cursor));
  }

  /**
   * Resolves once the thread has the state at a cursor or a later one. Only one caller may wait at a time.
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
      while (!this.#isAtOrPast(cursor)) {
        this.thread.ended.throwIfAborted();
        if (isLate) throw errors.ERR_STATE_LATE({ limitLoadingMs });
        if (this.#hasSourceEnded) await this.thread.end(new Error('the source ended before the current cursor'));
        else await this.#news.wait();
      }
    } finally {
      clearTimeout(late);
    }
  }

  async #follow(commits: OpenStreamOptions['commits']): Promise<void> {
    try {
      for await (const event of commits(this.thread.ended)) {
        // What comes while a question is answered waits where it is bounded.
        await sendEvent(this.thread, 0, event);
        this.#cursor = cursorOf(event);
        this.#news.notify();
      }
      this.#hasSourceEnded = true;
      this.#news.notify();
    } catch (error) {
      await this.thread.end(error);
    }
  }

  /** A cursor of another epoch is of another life of the log: it cannot be waited for. */
  #isAtOrPast(cursor: string): boolean {
    if (this.#cursor === undefined) return false;
    return (compareCursors(parseCursor(this.#cursor), parseCursor(cursor)) ?? 0) >= 0;
  }
}

/** @param execArgv - options of Node.js for the thread; those of this thread when absent */
export function startStateThread(limits: SparqlLimits, engine: EngineName, execArgv?: readonly string[]): Thread {
  const { limitMemoryMib } = limits;
  return new ThreadLink({ task: { kind: 'state', engine, limits }, limitMemoryMib, execArgv });
}

const FORM_OF = { ask: 'boolean', select: 'bindings', construct: 'quads', describe: 'quads' } as const;

/** The latest state of a stream, as the thread holds it. Callers must apply nothing while a query is being answered. */
export class QueriedState {
  readonly #store: EngineStore;
  readonly #view: View;
  readonly #limits: StateLimits;
  #cursor = '';

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
   *   `ERR_TEXT_TOO_LONG`, `ERR_VIEW_TOO_LARGE`
   */
  async write(sparql: string, accepted: Accepted): Promise<WrittenAnswer> {
    const { limitQuads } = this.#limits;
    const quads = this.#view.size;
    if (quads > limitQuads) throw errors.ERR_VIEW_TOO_LARGE({ quads, limitQuads });
    const { prepareQuery } = await import('../prepare/prepared-query.ts');
    const prepared = await prepareQuery(sparql, this.#limits);
    if (prepared.windows.length > 0) {
      const remedy = 'the latest state has no windows. Send a live query with Accept: text/event-stream';
      throw errors.ERR_QUERY_UNSUPPORTED({ what: 'a window of RSP-QL', remedy });
    }
    const form = FORM_OF[prepared.form];
    const mediaType = accepted[form];
    if (mediaType === undefined) throw errors.ERR_SPARQL_FORMAT({ offered: offeredFor(form) });
    const text = writeAnswer(await this.#find(form, prepared), mediaType, this.#limits.limitAnswerBytes);
    const content = new TextEncoder().encode(text);
    return { cursor: this.#cursor, mediaType, content, isVolatile: prepared.isVolatile };
  }

  async #find(form: WholeAnswer['form'], { query, variables }: PreparedQuery): Promise<WholeAnswer> {
    const limits = this.#limits;
    if (form === 'boolean') return { form, value: await this.#store.ask(query, limits) };
    if (form === 'bindings') return { form, variables, rows: await this.#store.select(query, limits) };
    return { form, quads: await this.#store.construct(query, limits) };
  }
}

/** The limits that the thread keeps. */
export type StateLimits = Pick<
  SparqlLimits,
  'limitRows' | 'limitQuads' | 'limitQueryChars' | 'limitTextChars' | 'limitAnswerBytes'
>;
