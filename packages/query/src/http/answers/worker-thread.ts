import { Worker } from 'node:worker_threads';
import { errors } from '../../errors.ts';
import type { SparqlLimits } from '../limits.ts';
import type { Thread } from './state-thread.ts';
import type { FromStateThread, StateTask } from './thread-messages.ts';

/** Beside this file, in the sources as where they are compiled to. */
const PROGRAM = new URL(`./state-worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url);

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
