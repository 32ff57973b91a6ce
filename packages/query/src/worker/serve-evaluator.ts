import type { Quad } from '@rdfjs/types';
import type { SourceEvent } from '../commit-source.ts';
import type { Answer, Evaluator } from '../evaluate/evaluator.ts';
import type { EvaluationTask } from '../live-query-options.ts';
import type { Row } from '../live-result.ts';
import { MembersBeingUnpacked } from './packed-members.ts';
import { type PackedRecords, packRecords, quadKind, rowKind, unpackRecords } from './packed-records.ts';
import type { AnswerHead, AnswerPart, EventHead, ThreadAsk, WindowHead } from './thread-messages.ts';

type Records = readonly Row[] | readonly Quad[];

/** The far side of an evaluator: does what it is asked, and keeps the last answer until it has been fetched. */
export class ServedEvaluator {
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
