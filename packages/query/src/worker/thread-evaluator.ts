import type { Quad } from '@rdfjs/types';
import type { SourceEvent } from '../commit-source.ts';
import { errors } from '../errors.ts';
import type { Answer, Applied, Evaluator, Explanation, WindowAnswer } from '../evaluate/evaluator.ts';
import type { Row } from '../live-result.ts';
import { turn } from '../run/turn.ts';
import { isState } from '../views/is-state.ts';
import { MirroredAnswer } from './mirrored-answer.ts';
import { packMembers, SLICE_RECORDS } from './packed-members.ts';
import { type KeyedRecord, packRecords, quadKind, type RecordKind, rowKind, unpackKeyed } from './packed-records.ts';
import type { ThreadLink } from './thread-link.ts';
import type { AnswerHead, AnswerPart, EventHead } from './thread-messages.ts';

/** How much longer than its limit an evaluation may take before its thread is ended, milliseconds: most end themselves. */
const END_GRACE_MS = 100;

type Solution = Row | Quad;

/** The near side of an evaluator in another thread. What crosses does so in slices, so that neither side's others wait. */
export class ThreadEvaluator implements Evaluator {
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
