import { Worker } from 'node:worker_threads';
import { StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { carriedError } from './carried-error.ts';
import type { ThreadAsk, ThreadCalls, ThreadSaying, ThreadTask } from './thread-messages.ts';

/** What {@link ThreadLink} takes. */
export interface LinkParts {
  readonly threadTask: ThreadTask;
  readonly limitMemoryMib: number;
  readonly execArgv: readonly string[] | undefined;
}

interface Waiting {
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Beside this file, in the sources as where they are compiled to. */
const PROGRAM = new URL(
  `./evaluation-thread${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

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
