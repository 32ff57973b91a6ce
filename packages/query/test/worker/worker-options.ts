import { fileURLToPath } from 'node:url';
import type { WorkerOptions } from '../../src/worker/evaluate-in-worker.ts';

/** Threads run the sources themselves: no build stands between a change and its test. */
export const fromSources: WorkerOptions = {
  execArgv: [
    '--conditions=@ldes-live/source',
    '--import',
    fileURLToPath(new URL('register-typescript.mjs', import.meta.url)),
  ],
};
