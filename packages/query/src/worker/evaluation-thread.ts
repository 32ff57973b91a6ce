// The program of a thread that evaluates one live query.
import { parentPort, workerData } from 'node:worker_threads';
import { comunica } from '../engines/comunica.ts';
import { oxigraph } from '../engines/oxigraph.ts';
import { evaluateHere } from '../evaluate/evaluator.ts';
import { carryError } from './carried-error.ts';
import { ServedEvaluator } from './serve-evaluator.ts';
import type { ThreadAsk, ThreadSaying, ThreadTask } from './thread-messages.ts';

const { task, engine } = workerData as ThreadTask;
const engines = { comunica, oxigraph };
const evaluator = evaluateHere({ ...task, engine: engines[engine]() });
const served = evaluator.then((made) => new ServedEvaluator(made, task));
// Whoever asks is told.
served.catch(() => undefined);

// In turn: answers are told apart by their order alone.
let before = Promise.resolve();
parentPort?.on('message', (ask: ThreadAsk) => {
  before = before.then(async () => parentPort?.postMessage(await answer(ask)));
});

async function answer(ask: ThreadAsk): Promise<ThreadSaying> {
  try {
    return { reply: await (await served).do(ask) };
  } catch (error) {
    return { error: carryError(error) };
  }
}
