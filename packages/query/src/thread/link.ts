/*
 * Starts a thread, asks it, ends it. One program answers (worker.ts), for both uses of a thread: a live query, and a state that
 * is asked one query after the other.
 *
 *   link.ask('evaluate') -> ['evaluate'] -> the thread -> { reply: { answer: { added: 2, removed: 0, ... } } } -> the caller
 *   link.ask('write', 'ASK {', accepted) -> the thread -> { error: { code: 'ERR_QUERY_SYNTAX', ... } } -> thrown here
 *
 * Replies come in the order of the calls. When the thread ends, every call that waits fails with the reason, and so does each
 * later one.
 */
import { Worker } from 'node:worker_threads';
import { type Commit, type ErrorCode, type ErrorDetails, isStreamError, StreamError } from '@ldes-live/rdf-stream';
import { comunica } from '../engines/comunica.ts';
import { oxigraph } from '../engines/oxigraph.ts';
import { errors } from '../errors.ts';
import type { Answer, Applied, Evaluator, Explanation } from '../evaluate/evaluator.ts';
import type { StateLimits, WrittenAnswer } from '../http/answers.ts';
import type { Accepted } from '../http/formats.ts';
import type { EvaluationTask } from '../options.ts';
import { MAX_SLEEP_MS, turn } from '../run/waiting.ts';
import { isState, type SourceEvent, type StateEvent } from '../source.ts';
import { type MembersSlice, type PackedRecords, packMembers } from './packing.ts';

/** The engines that can be used in another thread. */
export const ENGINES = { comunica, oxigraph };

/** The name of an engine. */
export type EngineName = keyof typeof ENGINES;

export type ThreadTask = { readonly engine: EngineName } & (
  | { readonly kind: 'live'; readonly task: Omit<EvaluationTask, 'engine'> }
  | { readonly kind: 'state'; readonly limits: StateLimits }
);

/** What a thread can be asked, and what it replies. Each use knows some of these. */
export interface ThreadCalls {
  explain(): Explanation;
  load(quads: PackedRecords): void;
  /** A part of the members of an event, which is applied with its last part: that has the head. */
  event(source: number, slice: MembersSlice, head?: EventHead): (Applied & NextClose) | undefined;
  /** As `Evaluator.evaluate`, without the records. */
  evaluate(closedToMs?: number): { readonly answer: AnswerHead | undefined } & NextClose;
  /** Some records of the last answer. */
  records(part: AnswerPart, from: number, to: number): PackedRecords;
  write(sparql: string, accepted: Accepted): WrittenAnswer;
}

type EventHead = Omit<StateEvent, 'members'> | Omit<Commit, 'members'>;

type NextClose = Pick<Evaluator, 'nextCloseMs'>;

/** An answer without its records, and how many of each there are. */
export interface AnswerHead extends Omit<Answer, 'added' | 'removed'> {
  readonly added: number;
  readonly removed: number;
  /** The whole answer, where it does not follow from what came and went. */
  readonly whole?: number;
}

export type AnswerPart = 'added' | 'removed' | 'whole';

export type ThreadMessage = readonly [name: keyof ThreadCalls, ...given: unknown[]];

/** The reply to the oldest call that has none yet. */
export type ThreadReply = ({ readonly reply: unknown } | { readonly error: SerializedError }) & {
  /** Why the thread has to end now: WebAssembly has taken too much memory, or a fault may have broken it. */
  readonly spent?: 'memory' | 'fault' | undefined;
};

/** A thread as its callers see it. */
export type Thread = Pick<ThreadLink, 'ended' | 'ask' | 'end'>;

interface ThreadOptions {
  readonly task: ThreadTask;
  readonly limitMemoryMib: number;
  /** Options of Node.js for it; those of this thread when absent. */
  readonly execArgv?: readonly string[] | undefined;
}

/** Beside this file, in the sources and in what is compiled. */
const PROGRAM = new URL(`./worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url);

interface Waiting {
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread of Node.js. It keeps no process running unless it is asked something. */
export class ThreadLink {
  readonly #worker: Worker;
  readonly #options: ThreadOptions;
  readonly #waiting: Waiting[] = [];
  readonly #ending = new AbortController();

  constructor(options: ThreadOptions) {
    this.#options = options;
    const { task, limitMemoryMib, execArgv } = options;
    this.#worker = new Worker(PROGRAM, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: limitMemoryMib },
      ...(execArgv && { execArgv: [...execArgv] }),
    });
    this.#worker.unref();
    this.#worker.on('message', (reply: ThreadReply) => this.#settle(reply));
    this.#worker.on('error', (error: NodeJS.ErrnoException) => this.#fail(this.#reasonOf(error)));
    this.#worker.on('exit', (code) => this.#fail(this.#reasonOf(new Error(`the thread ended with exit code ${code}`))));
  }

  /** Aborted once it has ended, with the reason. */
  get ended(): AbortSignal {
    return this.#ending.signal;
  }

  /** @throws what the call failed with in the thread, or the reason why the thread ended */
  async ask<Name extends keyof ThreadCalls>(
    name: Name,
    ...given: Parameters<ThreadCalls[Name]>
  ): Promise<ReturnType<ThreadCalls[Name]>> {
    this.ended.throwIfAborted();
    return new Promise((resolve, reject) => {
      this.#worker.ref();
      this.#waiting.push({ resolve: resolve as Waiting['resolve'], reject });
      this.#worker.postMessage([name, ...given] satisfies ThreadMessage);
    });
  }

  /** Ends it at once; what it was asked fails with the reason. */
  async end(reason: unknown): Promise<void> {
    this.#fail(reason);
    await this.#worker.terminate();
  }

  #settle(message: ThreadReply): void {
    const waiting = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#worker.unref();
    if ('error' in message) waiting?.reject(deserializeError(message.error));
    else waiting?.resolve(message.reply);
    const { limitMemoryMib } = this.#options;
    if (message.spent === 'memory') void this.end(errors.ERR_QUERY_MEMORY({ limitMemoryMib }));
    if (message.spent === 'fault') void this.end(this.#reasonOf(new Error('a fault of its engine may have broken it')));
  }

  #fail(reason: unknown): void {
    this.#ending.abort(reason);
    this.#worker.unref();
    for (const { reject } of this.#waiting.splice(0)) reject(this.ended.reason);
  }

  #reasonOf(error: NodeJS.ErrnoException): unknown {
    const { limitMemoryMib, task } = this.#options;
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return errors.ERR_QUERY_MEMORY({ limitMemoryMib }, error);
    // When the thread of a state ends, that is a fault of the server, not of a query.
    return task.kind === 'state'
      ? error
      : errors.ERR_QUERY_FAILED({ engine: task.engine, problem: error.message }, error);
  }
}

/** Sends an event in slices, so that nothing else waits for the whole on either side. */
export async function sendEvent(
  thread: Thread,
  source: number,
  event: SourceEvent,
): Promise<ReturnType<ThreadCalls['event']>> {
  const slices = packMembers(event.members);
  let slice = slices.next().value as MembersSlice;
  for (let next = slices.next(); !next.done; next = slices.next()) {
    await thread.ask('event', source, slice);
    await turn();
    slice = next.value;
  }
  // Other properties of an event might not be cloneable.
  const head = isState(event) ? { kind: event.kind, cursor: event.cursor } : { cursor: event.cursor, time: event.time };
  return thread.ask('event', source, slice, head);
}

/**
 * Waits for an evaluation, and ends its thread when it takes longer than the limit and `graceMs`.
 *
 * @throws {@link StreamError} `ERR_EVALUATION_TIMEOUT` - it took longer
 */
export async function withinLimit<T>(
  thread: Thread,
  evaluation: Promise<T>,
  limitEvaluationMs: number,
  graceMs = 0,
): Promise<T> {
  const end = () => void thread.end(errors.ERR_EVALUATION_TIMEOUT({ limitEvaluationMs }));
  const timer = setTimeout(end, Math.min(limitEvaluationMs + graceMs, MAX_SLEEP_MS));
  try {
    return await evaluation;
  } finally {
    clearTimeout(timer);
  }
}

/** Has a code if it is a {@link StreamError}. */
interface SerializedError extends Pick<Error, 'name' | 'message'> {
  readonly code?: ErrorCode;
  readonly details?: ErrorDetails;
}

/** Without the cause. */
export function serializeError(error: unknown): SerializedError {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (!isStreamError(error)) return { name, message };
  // Details are for messages; a value that cannot be cloned must not hide the error.
  return { name, message, code: error.code, details: JSON.parse(JSON.stringify(error.details)) as ErrorDetails };
}

function deserializeError({ name, message, code, details }: SerializedError): Error {
  if (code) return new StreamError(code, message, details);
  return Object.assign(new Error(message), { name });
}
