import { errors } from '../errors.ts';
import type { EvaluationTask, EvaluatorFactory } from '../live-query-options.ts';
import { ThreadEvaluator } from './thread-evaluator.ts';
import { ThreadLink } from './thread-link.ts';
import type { EngineName, ThreadTask } from './thread-messages.ts';

/** Options of {@link evaluateInWorker}. */
export interface WorkerOptions {
  /**
   * How much memory each query's thread may take for JavaScript objects, in MiB: a whole number of 16 or more. What WebAssembly
   * takes, so the store of oxigraph, is not counted: `limits.limitQuads` bounds that. @defaultValue 1024
   */
  readonly limitMemoryMib?: number;
  /** Options of Node.js for the threads, such as `--conditions`. @defaultValue those of this thread */
  readonly execArgv?: readonly string[];
}

/** As much memory as a thread gets unless it is told otherwise, MiB. */
const DEFAULT_MEMORY_MIB = 1024;

/** As little as a thread can begin with, MiB. */
const LEAST_MEMORY_MIB = 16;

const ENGINES: readonly EngineName[] = ['comunica', 'oxigraph'];

/**
 * Evaluates each live query in a thread of its own, so that nothing in this one waits for it; for Node.js. The thread ends
 * with the query, with an evaluation that takes longer than `limits.limitEvaluationMs`, and when it needs too much memory.
 *
 * Engines are those of this package, by their name.
 *
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - `limitMemoryMib` is out of its range
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - from the query: its engine is another one
 * @throws {@link StreamError} `ERR_QUERY_MEMORY`, `ERR_EVALUATION_TIMEOUT` - from the query
 * @example
 * ```ts
 * const live = liveQuery(source, sparql, { engine: oxigraph(), evaluators: evaluateInWorker() });
 * ```
 * @see specs/query.md QUERY-9
 */
export function evaluateInWorker(options: WorkerOptions = {}): EvaluatorFactory {
  const { limitMemoryMib = DEFAULT_MEMORY_MIB, execArgv } = options;
  if (!(Number.isSafeInteger(limitMemoryMib) && limitMemoryMib >= LEAST_MEMORY_MIB)) {
    const expected = `give a whole number of ${LEAST_MEMORY_MIB} or more`;
    throw errors.ERR_QUERY_OPTION({ name: 'limitMemoryMib', value: limitMemoryMib, expected });
  }
  return async (task) => {
    const link = new ThreadLink({ threadTask: threadTask(task), limitMemoryMib, execArgv });
    try {
      const explanation = await link.ask({ call: 'explain' });
      return new ThreadEvaluator(link, explanation, task.limits.limitEvaluationMs);
    } catch (error) {
      await link.end(error);
      throw error;
    }
  };
}

function threadTask({ engine, ...task }: EvaluationTask): ThreadTask {
  const name = engine?.name ?? 'comunica';
  const known = ENGINES.find((each) => each === name);
  if (known) return { task, engine: known };
  throw errors.ERR_QUERY_OPTION({
    name: 'engine',
    value: name,
    expected: `in a worker, use one of ${ENGINES.join(', ')}`,
  });
}
