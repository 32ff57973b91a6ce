/*
 * The near side of an evaluator in a thread of its own: it asks the thread what an evaluator is asked, fetches answers in
 * slices, and keeps the whole answer here, from what came and went.
 *
 *   evaluate() -> { answer: { added: 1200, removed: 1 } } -> 'records' 0 to 1000, 1000 to 1200, 0 to 1 -> { added, removed }
 */
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { Answer, Applied, Evaluator, Explanation } from '../evaluate/evaluator.ts';
import { ItemCounts } from '../evaluate/rows.ts';
import type { EvaluationTask, EvaluatorFactory } from '../options.ts';
import type { Row } from '../result.ts';
import { turn } from '../run/waiting.ts';
import type { SourceEvent } from '../source.ts';
import {
  type AnswerPart,
  ENGINES,
  type EngineName,
  sendEvent,
  type Thread,
  ThreadLink,
  type ThreadTask,
  withinLimit,
} from './link.ts';
import { packRecords, quadKind, type RecordKind, SLICE_RECORDS, solutionKind, unpackRecords } from './packing.ts';

/** Options of {@link evaluateInWorker}. */
export interface WorkerOptions {
  /**
   * How much memory each query's thread may take for JavaScript objects, in MiB: a whole number of 16 or more. So much may be left
   * in WebAssembly, as by oxigraph, after each answer; while one is made, nothing bounds that. @defaultValue 1024
   */
  readonly limitMemoryMib?: number;
  /** Options of Node.js for the threads, such as `--conditions`. @defaultValue those of this thread */
  readonly execArgv?: readonly string[];
}

const DEFAULT_MEMORY_MIB = 1024;

/** A thread cannot begin with less. */
const MIN_MEMORY_MIB = 16;

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
 * @see specs/query.md
 */
export function evaluateInWorker(options: WorkerOptions = {}): EvaluatorFactory {
  const { limitMemoryMib = DEFAULT_MEMORY_MIB, execArgv } = options;
  if (!(Number.isSafeInteger(limitMemoryMib) && limitMemoryMib >= MIN_MEMORY_MIB)) {
    const expected = `give a whole number of ${MIN_MEMORY_MIB} or more`;
    throw errors.ERR_QUERY_OPTION({ name: 'limitMemoryMib', value: limitMemoryMib, expected });
  }
  return async (task) => {
    const link = new ThreadLink({ task: threadTask(task), limitMemoryMib, execArgv });
    try {
      return new ThreadEvaluator(link, await link.ask('explain'), task.limits.limitEvaluationMs);
    } catch (error) {
      await link.end(error);
      throw error;
    }
  };
}

function threadTask({ engine: given, ...task }: EvaluationTask): ThreadTask {
  const name = given?.name ?? 'comunica';
  if (Object.hasOwn(ENGINES, name)) return { kind: 'live', task, engine: name as EngineName };
  const expected = `in a worker, use one of ${Object.keys(ENGINES).join(', ')}`;
  throw errors.ERR_QUERY_OPTION({ name: 'engine', value: name, expected });
}

/** How long an evaluation may exceed its limit before its thread is ended, milliseconds: most end themselves. */
const END_GRACE_MS = 100;

type Solution = Row | Quad;

class ThreadEvaluator implements Evaluator {
  readonly explanation: Explanation;
  nextCloseMs: number | undefined;
  readonly #thread: Thread;
  readonly #limitEvaluationMs: number;
  readonly #kind: RecordKind<Solution>;
  /** The whole answer by what came and went, unless it is fetched whole. */
  readonly #mirror: ItemCounts<Solution>;
  #whole: readonly Solution[] | undefined;

  constructor(thread: Thread, explanation: Explanation, limitEvaluationMs: number) {
    this.#thread = thread;
    this.explanation = explanation;
    this.#limitEvaluationMs = limitEvaluationMs;
    this.#kind = solutionKind(explanation);
    this.#mirror = new ItemCounts(this.#kind.key);
  }

  load(quads: readonly Quad[]): Promise<void> {
    return this.#thread.ask('load', packRecords(quads, quadKind));
  }

  async apply(source: number, event: SourceEvent): Promise<Applied> {
    const applied = await sendEvent(this.#thread, source, event);
    this.nextCloseMs = applied?.nextCloseMs;
    return applied as Applied;
  }

  answer(): readonly Row[] | readonly Quad[] {
    return (this.#whole ?? this.#mirror.list()) as readonly Row[] | readonly Quad[];
  }

  close(): Promise<void> {
    return this.#thread.end(new DOMException('The evaluator is closed', 'AbortError'));
  }

  async evaluate(closedToMs?: number): Promise<Answer | undefined> {
    const asked = this.#thread.ask('evaluate', closedToMs);
    const { answer, nextCloseMs } = await withinLimit(this.#thread, asked, this.#limitEvaluationMs, END_GRACE_MS);
    this.nextCloseMs = nextCloseMs;
    if (!answer) return undefined;
    const { added: came, removed: went, whole, ...rest } = answer;
    const added = await this.#records('added', came);
    const removed = await this.#records('removed', went);
    if (whole === undefined) this.#mirror.change(added, removed);
    else this.#whole = await this.#records('whole', whole);
    return { ...rest, added, removed } as Answer;
  }

  async #records(part: AnswerPart, count: number): Promise<Solution[]> {
    const records: Solution[] = [];
    for (let from = 0; from < count; from += SLICE_RECORDS) {
      const packed = await this.#thread.ask('records', part, from, Math.min(count, from + SLICE_RECORDS));
      for (const record of unpackRecords(packed, this.#kind)) records.push(record);
      await turn();
    }
    return records;
  }
}
