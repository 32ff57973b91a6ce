export { evaluateInWorker, type WorkerOptions } from './thread-evaluator.ts';
