import { parentPort, workerData } from 'node:worker_threads';
import type { Quad } from '@rdfjs/types';
import { comunica } from '../engines/comunica.ts';
import { oxigraph } from '../engines/oxigraph.ts';
import { type Answer, type Evaluator, evaluateHere } from '../evaluate/evaluator.ts';
import type { EvaluationTask } from '../options.ts';
import type { Row } from '../result.ts';
import type { SourceEvent } from '../source.ts';
import {
  type AnswerHead,
  type AnswerPart,
  carryError,
  type EventHead,
  type ThreadAsk,
  type ThreadSaying,
  type ThreadTask,
  type WindowHead,
} from './link.ts';
import { MembersBeingUnpacked, type PackedRecords, packRecords, quadKind, rowKind, unpackRecords } from './packing.ts';

// The program of a thread that evaluates one live query.
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

type Records = readonly Row[] | readonly Quad[];

/** The far side of an evaluator: does what it is asked, and keeps the last answer until it has been fetched. */
class ServedEvaluator {
  readonly #evaluator: Evaluator;
  readonly #members = new MembersBeingUnpacked();
  readonly #pack: (records: Records) => PackedRecords;
  /** Whether the whole answer follows from what came and went. */
  readonly #isCumulative: boolean;
  #parts: Partial<Record<AnswerPart, Records>> = {};

  constructor(evaluator: Evaluator, { output }: Pick<EvaluationTask, 'output'>) {
    this.#evaluator = evaluator;
    const { form, variables, isOrdered, view } = evaluator.explanation;
    const rows = rowKind(variables);
    this.#pack = (records) =>
      form === 'select'
        ? packRecords(records as readonly Row[], rows)
        : packRecords(records as readonly Quad[], quadKind);
    // A query may name an operator of its own, for time windows only.
    this.#isCumulative = output === 'delta' && !isOrdered && view !== 'time';
  }

  async do(ask: ThreadAsk): Promise<unknown> {
    const evaluator = this.#evaluator;
    switch (ask.call) {
      case 'explain':
        return evaluator.explanation;
      case 'load':
        await evaluator.load(unpackRecords(ask.quads, ask.count, quadKind));
        return {};
      case 'members':
        this.#members.add(ask.slice);
        return {};
      case 'apply': {
        this.#members.add(ask.slice);
        const applied = await evaluator.apply(ask.source, eventOf(ask.head, this.#members));
        return { applied, nextCloseMs: evaluator.nextCloseMs };
      }
      case 'evaluate':
        return this.#hold(await evaluator.evaluate());
      case 'evaluateWindow': {
        const answer = await evaluator.evaluateWindow(ask.closedToMs);
        const { nextCloseMs } = evaluator;
        if (!answer) return { nextCloseMs } satisfies WindowHead;
        const { openMs, closeMs } = answer;
        return { answer: { ...this.#hold(answer), openMs, closeMs }, nextCloseMs } satisfies WindowHead;
      }
      case 'records':
        return this.#pack((this.#parts[ask.part] ?? []).slice(ask.from, ask.to) as Records);
    }
  }

  #hold({ added, removed, value, isNew, strategy, evaluationMs }: Answer): AnswerHead {
    const isWhole = !this.#isCumulative && this.#evaluator.explanation.form !== 'ask';
    const whole = isWhole ? this.#evaluator.answer() : undefined;
    this.#parts = { added, removed, ...(whole && { whole }) };
    return {
      added: added.length,
      removed: removed.length,
      ...(whole && { whole: whole.length }),
      ...(value !== undefined && { value }),
      isNew,
      strategy,
      evaluationMs,
    };
  }
}

function eventOf(head: EventHead, members: MembersBeingUnpacked): SourceEvent {
  return { ...head, members: members.take() };
}
