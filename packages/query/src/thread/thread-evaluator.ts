import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { Answer, Applied, Evaluator, Explanation, WindowAnswer } from '../evaluate/evaluator.ts';
import type { EvaluationTask, EvaluatorFactory } from '../options.ts';
import type { Row } from '../result.ts';
import { turn } from '../run/waiting.ts';
import { isState, type SourceEvent } from '../source.ts';
import {
  type AnswerHead,
  type AnswerPart,
  type EngineName,
  type EventHead,
  ThreadLink,
  type ThreadTask,
} from './link.ts';
import {
  type KeyedRecord,
  packMembers,
  packRecords,
  quadKind,
  type RecordKind,
  rowKind,
  SLICE_RECORDS,
  unpackKeyed,
} from './packing.ts';

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

/** How much longer than its limit an evaluation may take before its thread is ended, milliseconds: most end themselves. */
const END_GRACE_MS = 100;

type Solution = Row | Quad;

/** The near side of an evaluator in another thread. What crosses does so in slices, so that neither side's others wait. */
class ThreadEvaluator implements Evaluator {
  readonly explanation: Explanation;
  nextCloseMs: number | undefined;
  readonly #link: ThreadLink;
  readonly #limitEvaluationMs: number;
  readonly #kind: RecordKind<Solution>;
  readonly #mirror = new MirroredAnswer<Solution>();
  #whole: readonly Solution[] | undefined;

  constructor(link: ThreadLink, explanation: Explanation, limitEvaluationMs: number) {
    this.#link = link;
    this.explanation = explanation;
    this.#limitEvaluationMs = limitEvaluationMs;
    const kind = explanation.form === 'select' ? rowKind(explanation.variables) : quadKind;
    this.#kind = kind as unknown as RecordKind<Solution>;
  }

  async load(quads: readonly Quad[]): Promise<void> {
    for (let from = 0; from < quads.length; from += SLICE_RECORDS) {
      const slice = quads.slice(from, from + SLICE_RECORDS);
      await this.#link.ask({ call: 'load', count: slice.length, quads: packRecords(slice, quadKind) });
      await turn();
    }
  }

  async apply(source: number, event: SourceEvent): Promise<Applied> {
    const slices = packMembers(event.members);
    let slice = slices.next().value;
    for (let next = slices.next(); !next.done; next = slices.next()) {
      await this.#link.ask({ call: 'members', slice });
      await turn();
      slice = next.value;
    }
    const { applied, nextCloseMs } = await this.#link.ask({ call: 'apply', source, head: headOf(event), slice });
    this.nextCloseMs = nextCloseMs;
    return applied;
  }

  async evaluate(): Promise<Answer> {
    return this.#fetch(await this.#withinTime(this.#link.ask({ call: 'evaluate' })));
  }

  async evaluateWindow(closedToMs: number): Promise<WindowAnswer | undefined> {
    const { answer, nextCloseMs } = await this.#withinTime(this.#link.ask({ call: 'evaluateWindow', closedToMs }));
    this.nextCloseMs = nextCloseMs;
    if (!answer) return undefined;
    const { openMs, closeMs } = answer;
    return { ...(await this.#fetch(answer)), openMs, closeMs };
  }

  answer(): readonly Row[] | readonly Quad[] {
    return (this.#whole ?? this.#mirror.list()) as readonly Row[] | readonly Quad[];
  }

  close(): Promise<void> {
    return this.#link.end(new DOMException('The evaluator is closed', 'AbortError'));
  }

  async #fetch(head: AnswerHead): Promise<Answer> {
    const { added: came, removed: went, whole, ...rest } = head;
    const added = await this.#records('added', came);
    const removed = await this.#records('removed', went);
    if (whole === undefined) {
      this.#mirror.add(added);
      this.#mirror.remove(removed);
    } else this.#whole = (await this.#records('whole', whole)).map(({ record }) => record);
    return {
      ...rest,
      added: added.map(({ record }) => record),
      removed: removed.map(({ record }) => record),
    } as Answer;
  }

  async #records(part: AnswerPart, count: number): Promise<KeyedRecord<Solution>[]> {
    const records: KeyedRecord<Solution>[] = [];
    for (let from = 0; from < count; from += SLICE_RECORDS) {
      const to = Math.min(count, from + SLICE_RECORDS);
      const packed = await this.#link.ask({ call: 'records', part, from, to });
      for (const record of unpackKeyed(packed, to - from, this.#kind)) records.push(record);
      await turn();
    }
    return records;
  }

  /** An evaluation that does not end itself ends with its thread. */
  async #withinTime<T>(evaluation: Promise<T>): Promise<T> {
    const limitEvaluationMs = this.#limitEvaluationMs;
    const end = () => void this.#link.end(errors.ERR_EVALUATION_TIMEOUT({ limitEvaluationMs }));
    const timer = setTimeout(end, limitEvaluationMs + END_GRACE_MS);
    try {
      return await evaluation;
    } finally {
      clearTimeout(timer);
    }
  }
}

function headOf(event: SourceEvent): EventHead {
  return isState(event) ? { kind: 'state', cursor: event.cursor } : { cursor: event.cursor, time: event.time };
}

/** An answer that is kept by what comes and goes of it: records in no order, each as often as it came. */
class MirroredAnswer<R> {
  readonly #held = new Map<string, { readonly record: R; count: number }>();
  #list: readonly R[] | undefined = [];

  add(records: readonly KeyedRecord<R>[]): void {
    if (records.length > 0) this.#list = undefined;
    for (const { key, record } of records) {
      const held = this.#held.get(key);
      if (held) held.count += 1;
      else this.#held.set(key, { record, count: 1 });
    }
  }

  remove(records: readonly KeyedRecord<R>[]): void {
    if (records.length > 0) this.#list = undefined;
    for (const { key } of records) {
      const held = this.#held.get(key);
      if (held) held.count -= 1;
      if (held?.count === 0) this.#held.delete(key);
    }
  }

  /** All records. */
  list(): readonly R[] {
    this.#list ??= [...this.#held.values()].flatMap(({ record, count }) =>
      count === 1 ? [record] : Array.from({ length: count }, () => record),
    );
    return this.#list;
  }
}
