export { evaluateInWorker, type WorkerOptions } from './evaluate-in-worker.ts';
