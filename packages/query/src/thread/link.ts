import { Worker } from 'node:worker_threads';
import { type ErrorCode, type ErrorDetails, isStreamError, StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { Answer, Applied, Explanation } from '../evaluate/evaluator.ts';
import type { EvaluationTask } from '../options.ts';
import type { MembersSlice, PackedRecords } from './packing.ts';

/** What {@link ThreadLink} takes. */
interface LinkParts {
  readonly threadTask: ThreadTask;
  readonly limitMemoryMib: number;
  readonly execArgv: readonly string[] | undefined;
}

interface Waiting {
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Beside this file, in the sources as where they are compiled to. */
const PROGRAM = new URL(`./worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url);

/** The way to a thread, and its life: it keeps no process running unless it is asked something. */
export class ThreadLink {
  readonly #worker: Worker;
  readonly #parts: LinkParts;
  readonly #waiting: Waiting[] = [];
  #failure: unknown;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    const { threadTask, limitMemoryMib, execArgv } = parts;
    this.#worker = new Worker(PROGRAM, {
      workerData: threadTask,
      resourceLimits: { maxOldGenerationSizeMb: limitMemoryMib },
      ...(execArgv && { execArgv: [...execArgv] }),
    });
    this.#worker.unref();
    this.#worker.on('message', (saying: ThreadSaying) => this.#hear(saying));
    this.#worker.on('error', (error) => this.#fail(this.#named(error)));
    this.#worker.on('exit', (code) => this.#fail(this.#named(new Error(`its thread ended with exit code ${code}`))));
  }

  /**
   * Asks the thread; its answers come in the order of the questions.
   *
   * @throws what it failed with there
   * @throws {@link StreamError} `ERR_QUERY_MEMORY` - it took more memory than it may; `ERR_QUERY_FAILED` - it ended otherwise
   */
  ask<Call extends keyof ThreadCalls>(ask: ThreadAsk<Call>): Promise<ThreadCalls[Call]['reply']> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#worker.ref();
      this.#waiting.push({ resolve: resolve as Waiting['resolve'], reject });
      this.#worker.postMessage(ask);
    });
  }

  /** Ends the thread at once; what it was asked fails by the reason. */
  async end(reason: unknown): Promise<void> {
    this.#fail(reason);
    await this.#worker.terminate();
  }

  #hear(saying: ThreadSaying): void {
    const waiting = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#worker.unref();
    if ('error' in saying) waiting?.reject(carriedError(saying.error));
    else waiting?.resolve(saying.reply);
  }

  #fail(reason: unknown): void {
    this.#failure ??= reason;
    this.#worker.unref();
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }

  #named(error: Error): unknown {
    if (error instanceof StreamError) return error;
    const { limitMemoryMib, threadTask } = this.#parts;
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return errors.ERR_QUERY_MEMORY({ limitMemoryMib }, error);
    }
    return errors.ERR_QUERY_FAILED({ engine: threadTask.engine, problem: error.message }, error);
  }
}

/** Which engines can be used in another thread. */
export type EngineName = 'comunica' | 'oxigraph';

/** What a thread is to evaluate. */
export interface ThreadTask {
  readonly task: Omit<EvaluationTask, 'engine'>;
  readonly engine: EngineName;
}

/** Which list of records of an answer. */
export type AnswerPart = 'added' | 'removed' | 'whole';

/** What a thread is asked for, and what it answers. */
interface ThreadCalls {
  readonly explain: { readonly ask: object; readonly reply: Explanation };
  readonly load: { readonly ask: { readonly count: number; readonly quads: PackedRecords }; readonly reply: object };
  /** A part of the members of the event that is applied next. */
  readonly members: { readonly ask: { readonly slice: MembersSlice }; readonly reply: object };
  /** The last part of an event; a state has its cursor as text. */
  readonly apply: {
    readonly ask: { readonly source: number; readonly head: EventHead; readonly slice: MembersSlice };
    readonly reply: { readonly applied: Applied; readonly nextCloseMs: number | undefined };
  };
  readonly evaluate: { readonly ask: object; readonly reply: AnswerHead };
  readonly evaluateWindow: {
    readonly ask: { readonly closedToMs: number };
    readonly reply: WindowHead;
  };
  /** Some records of the last answer. */
  readonly records: {
    readonly ask: { readonly part: AnswerPart; readonly from: number; readonly to: number };
    readonly reply: PackedRecords;
  };
}

/** An event without its members. */
export type EventHead =
  | { readonly kind: 'state'; readonly cursor: string }
  | { readonly cursor: { readonly epoch: string; readonly sequence: number }; readonly time: string };

/** An answer without its records, and how many of each there are. */
export interface AnswerHead extends Omit<Answer, 'added' | 'removed'> {
  readonly added: number;
  readonly removed: number;
  /** The whole answer, where it does not follow from what came and went. */
  readonly whole?: number;
}

/** What came of asking for a window. */
export interface WindowHead {
  readonly answer?: AnswerHead & { readonly openMs: number; readonly closeMs: number };
  readonly nextCloseMs: number | undefined;
}

/** A question to the thread. */
export type ThreadAsk<Call extends keyof ThreadCalls = keyof ThreadCalls> = {
  readonly [Name in Call]: { readonly call: Name } & ThreadCalls[Name]['ask'];
}[Call];

/** What the thread says; its answers come in the order of the questions. */
export type ThreadSaying = { readonly reply: unknown } | { readonly error: CarriedError };

/** An error on its way from another thread. */
export type CarriedError =
  | { readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails }
  | { readonly name: string; readonly message: string };

/** Makes an error ready for the way; what caused it stays. */
export function carryError(error: unknown): CarriedError {
  if (isStreamError(error)) {
    const { code, message, details } = error;
    // Details are values of messages; whatever else is among them must not keep the error from being told.
    return { code, message, details: JSON.parse(JSON.stringify(details)) as ErrorDetails };
  }
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}

/** The error as it was thrown there. */
export function carriedError(carried: CarriedError): Error {
  if ('code' in carried) return new StreamError(carried.code, carried.message, carried.details);
  return Object.assign(new Error(carried.message), { name: carried.name });
}
