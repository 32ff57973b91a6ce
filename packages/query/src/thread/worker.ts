/*
 * The program of a thread, for both uses: a live query (an evaluator), or a state that is asked one query after the other.
 * Calls are answered in order; what is large crosses in slices of 1,000.
 *
 *   ['event', 0, { heads: [...], quads }] -> { reply: undefined };  ['event', 0, slice, { kind: 'state', cursor }] -> applied
 *   ['evaluate'] -> { reply: { answer: { added: 1200, ... } } };    ['records', 'added', 0, 1000] -> { reply: packed }
 */
import process from 'node:process';
import { parentPort, resourceLimits, workerData } from 'node:worker_threads';
import { isStreamError } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { type Answer, type Evaluator, evaluateHere } from '../evaluate/evaluator.ts';
import { QueriedState } from '../http/answers.ts';
import type { Row } from '../result.ts';
import type { SourceEvent } from '../source.ts';
import {
  type AnswerHead,
  type AnswerPart,
  ENGINES,
  serializeError,
  type ThreadCalls,
  type ThreadMessage,
  type ThreadReply,
  type ThreadTask,
} from './link.ts';
import {
  MembersBeingUnpacked,
  type PackedRecords,
  packRecords,
  quadKind,
  solutionKind,
  unpackRecords,
} from './packing.ts';

type Records = readonly Row[] | readonly Quad[];

/** An evaluator as the thread serves it: keeps the last answer until it has been fetched. */
class ServedEvaluator {
  readonly #evaluator: Evaluator;
  #parts: Partial<Record<AnswerPart, Records>> = {};

  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator;
  }

  explain() {
    return this.#evaluator.explanation;
  }

  load(quads: PackedRecords) {
    return this.#evaluator.load(unpackRecords(quads, quadKind));
  }

  async apply(source: number, event: SourceEvent) {
    const applied = await this.#evaluator.apply(source, event);
    return { ...applied, nextCloseMs: this.#evaluator.nextCloseMs };
  }

  async evaluate(closedToMs?: number) {
    const answer = await this.#evaluator.evaluate(closedToMs);
    return { answer: answer && this.#keep(answer), nextCloseMs: this.#evaluator.nextCloseMs };
  }

  records(part: AnswerPart, from: number, to: number): PackedRecords {
    return packRecords((this.#parts[part] ?? []).slice(from, to), solutionKind(this.#evaluator.explanation));
  }

  #keep({ added, removed, ...rest }: Answer): AnswerHead {
    const { form, output, isOrdered } = this.#evaluator.explanation;
    // With other operators, and where the order counts, the whole answer does not follow from what came and went.
    const whole = form !== 'ask' && (output !== 'delta' || isOrdered) ? this.#evaluator.answer() : undefined;
    this.#parts = { added, removed, ...(whole && { whole }) };
    return { ...rest, added: added.length, removed: removed.length, ...(whole && { whole: whole.length }) };
  }
}

const task = workerData as ThreadTask;
const members = new MembersBeingUnpacked();
const served = open();
// Each call reports it.
served.catch(() => undefined);

type Served = { apply(source: number, event: SourceEvent): unknown } & Partial<Record<keyof ThreadCalls, unknown>>;

async function open(): Promise<Served> {
  const engine = ENGINES[task.engine]();
  if (task.kind === 'state') return new QueriedState(await engine.open(), task.limits);
  return new ServedEvaluator(await evaluateHere({ ...task.task, engine }));
}

// One after the other: replies are told apart by their order alone.
let before = Promise.resolve();
parentPort?.on('message', (message: ThreadMessage) => {
  before = before.then(async () => parentPort?.postMessage(await reply(message)));
});

async function reply([name, ...given]: ThreadMessage): Promise<ThreadReply> {
  try {
    const it = await served;
    const call = (name === 'event' ? takeSlice : it[name]) as (...given: unknown[]) => unknown;
    return { reply: await call.apply(it, given), spent: overLimit() };
  } catch (error) {
    return { error: serializeError(error), spent: isFault(error) ? 'fault' : overLimit() };
  }
}

function takeSlice(this: Served, ...[source, slice, head]: Parameters<ThreadCalls['event']>): unknown {
  members.add(slice);
  return head && this.apply(source, { ...head, members: members.take() });
}

const MIB = 1024 * 1024;

/** No limit of Node.js counts what WebAssembly takes and never gives back: Oxigraph's store and its largest answer. */
function overLimit(): 'memory' | undefined {
  const { maxOldGenerationSizeMb: limitMib = Number.POSITIVE_INFINITY } = resourceLimits;
  const { external, arrayBuffers } = process.memoryUsage();
  return external - arrayBuffers > limitMib * MIB ? 'memory' : undefined;
}

/** When Oxigraph stops halfway, out of memory or of stack, its data may be broken. */
function isFault(error: unknown): boolean {
  if (task.engine !== 'oxigraph' || !isStreamError(error, 'ERR_QUERY_FAILED')) return false;
  const { name } = (error.cause ?? error) as Error;
  return name === 'RuntimeError' || name === 'RangeError';
}
