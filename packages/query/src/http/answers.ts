import { Worker } from 'node:worker_threads';
import { formatCursor } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { CommitSource, SourceEvent } from '../source.ts';
import { type CarriedError, carriedError, type EventHead } from '../thread/link.ts';
import { type MembersSlice, packMembers } from '../thread/packing.ts';
import type { HeldLimits, WrittenAnswer } from '../thread/state-worker.ts';
import type { Accepted } from './formats.ts';
import type { SparqlLimits } from './limits.ts';

/** Who answers one query after the other over the latest state. */
interface Answerer {
  /**
   * Answers over the state at a cursor or a later one.
   *
   * @throws {@link StreamError} those of queries, `ERR_EVALUATION_TIMEOUT` and `ERR_QUERY_MEMORY` included
   */
  answer(sparql: string, accepted: Accepted, cursor: string): Promise<WrittenAnswer>;
  close(): Promise<void>;
}

/** What an {@link AnswerLine} takes. */
interface AnswerLineParts {
  readonly limits: Pick<SparqlLimits, 'limitWaitingQueries' | 'limitAnswerBytes' | 'limitQueryChars'>;
  readonly answerer: Answerer;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * Has queries wait for their turn, as many as may, and equal ones over one state be answered once.
 *
 * @see specs/query.md QUERY-82
 */
export class AnswerLine {
  readonly #parts: AnswerLineParts;
  /** Answers over the state at one cursor, found or being found. */
  #answers = new Map<string, Promise<WrittenAnswer>>();
  #cursor: string | undefined;
  #keptBytes = 0;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: AnswerLineParts) {
    this.#parts = parts;
  }

  /**
   * @param cursor - of the present state
   * @throws {@link StreamError} `ERR_QUERIES_WAITING`, and those of {@link Answerer.answer}
   */
  answer(sparql: string, accepted: Accepted, cursor: string): Promise<WrittenAnswer> {
    const { limits, random } = this.#parts;
    const { limitQueryChars, limitWaitingQueries } = limits;
    // Before its turn: what is long is not worth keeping.
    if (sparql.length > limitQueryChars) {
      return Promise.reject(errors.ERR_QUERY_TOO_LONG({ chars: sparql.length, limitQueryChars }));
    }
    if (this.#cursor !== cursor) this.#begin(cursor);
    const key = JSON.stringify([sparql, accepted]);
    const known = this.#answers.get(key);
    if (known) return known;
    if (this.#waiting >= limitWaitingQueries) {
      const retryAfterSeconds = 1 + Math.floor(random() * 5);
      return Promise.reject(errors.ERR_QUERIES_WAITING({ limitWaitingQueries, retryAfterSeconds }));
    }
    this.#waiting += 1;
    const answers = this.#answers;
    const answer = this.#inTurn(() => this.#parts.answerer.answer(sparql, accepted, cursor));
    answers.set(key, answer);
    void answer
      .then(({ content, isVolatile }) => {
        this.#keptBytes += answers === this.#answers ? content.length : 0;
        if (isVolatile || this.#keptBytes > limits.limitAnswerBytes) this.#drop(answers, key, content.length);
      })
      // What has failed of time or memory may go better later; who asks again waits for his turn again.
      .catch(() => answers.delete(key))
      .finally(() => {
        this.#waiting -= 1;
      });
    return answer;
  }

  close(): Promise<void> {
    return this.#parts.answerer.close();
  }

  #begin(cursor: string): void {
    this.#cursor = cursor;
    this.#answers = new Map();
    this.#keptBytes = 0;
  }

  #drop(answers: Map<string, unknown>, key: string, bytes: number): void {
    if (answers.delete(key) && answers === this.#answers) this.#keptBytes -= bytes;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** A thread that holds a state, as whoever asks it sees it. */
export interface Thread {
  post(message: ToStateThread): void;
  onMessage(listener: (message: FromStateThread) => void): void;
  /** Told once it has ended, however. */
  onEnd(listener: (error: unknown) => void): void;
  end(): Promise<void>;
}

/** What a {@link StateThread} takes. */
interface StateThreadParts {
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

/** What the thread of a state is begun with. */
export interface StateTask {
  readonly limits: HeldLimits;
}

/** What is sent to the thread of a state. */
export type ToStateThread =
  /** Some members of an event; the last of them come with its head. */
  | { readonly kind: 'members'; readonly slice: MembersSlice; readonly head?: EventHead }
  | { readonly kind: 'ask'; readonly id: number; readonly sparql: string; readonly accepted: Accepted };

/** What the thread of a state sends. */
export type FromStateThread =
  /** An event has been applied whole. */
  | { readonly kind: 'applied' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: WrittenAnswer }
  | { readonly kind: 'failed'; readonly id: number; readonly error: CarriedError };

/** The messages that bring an event, one after the other, so that whoever sends them can let others have their turn. */
function* eventMessages(event: SourceEvent): Generator<ToStateThread, void, undefined> {
  const { members, ...head } = event;
  let before: MembersSlice | undefined;
  for (const slice of packMembers(members)) {
    if (before) yield { kind: 'members', slice: before };
    before = slice;
  }
  // There is one always.
  yield { kind: 'members', slice: before as MembersSlice, head: head as EventHead };
}

/** Beside this file, in the sources as where they are compiled to. */
const PROGRAM = new URL(
  `../thread/state-worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/**
 * Starts a thread that holds a state, within a limit on its memory.
 *
 * @param execArgv - options of Node.js for it; those of this thread when absent
 */
export function startWorkerThread(limits: SparqlLimits, execArgv?: readonly string[]): Thread {
  const { limitMemoryMib, limitRows, limitQuads, limitQueryChars } = limits;
  const task: StateTask = { limits: { limitRows, limitQuads, limitQueryChars } };
  const worker = new Worker(PROGRAM, {
    workerData: task,
    ...(execArgv && { execArgv: [...execArgv] }),
    resourceLimits: { maxOldGenerationSizeMb: limitMemoryMib },
  });
  // It keeps no process alive that has nothing else to do.
  worker.unref();
  const ended: ((error: unknown) => void)[] = [];
  let isTold = false;
  const tell = (error: unknown) => {
    if (isTold) return;
    isTold = true;
    for (const listener of ended) listener(error);
  };
  worker.on('error', (error: NodeJS.ErrnoException) => {
    tell(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? errors.ERR_QUERY_MEMORY({ limitMemoryMib }, error) : error);
  });
  worker.on('exit', (code) => tell(new Error(`the thread ended with exit code ${code}`)));
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => worker.on('message', (message: FromStateThread) => listener(message)),
    onEnd: (listener) => ended.push(listener),
    end: async () => {
      await worker.terminate();
    },
  };
}
