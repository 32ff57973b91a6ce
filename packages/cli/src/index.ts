export type { CliInput, CliOutput, CliProcess } from './cli-process.ts';
export { main } from './main.ts';
export { runWorker, type WorkerProcess } from './serve/workers/worker-process.ts';
