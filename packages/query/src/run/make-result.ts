import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { Answer, Explanation, WindowAnswer } from '../evaluate/evaluator.ts';
import type { LiveResult, Row } from '../live-result.ts';

/** What a result says besides its answer. */
export interface ResultHead {
  readonly sequence: number;
  /** Epoch milliseconds. */
  readonly evaluatedAtMs: number;
  /** Epoch milliseconds. */
  readonly dataAsOfMs: number;
  readonly cursors: readonly (string | undefined)[];
  readonly evaluationMs: number;
  readonly overrun: boolean;
}

/** What {@link makeResult} takes. */
export interface ResultParts {
  readonly head: ResultHead;
  readonly answer: Answer | WindowAnswer;
  readonly explanation: Pick<Explanation, 'form' | 'variables' | 'isOrdered'>;
  /** The whole answer; `undefined` once it is gone. */
  readonly whole: () => readonly Row[] | readonly Quad[] | undefined;
}

/**
 * A result as it is handed out.
 *
 * @see specs/query.md QUERY-1, QUERY-3, QUERY-4
 */
export function makeResult({ head, answer, explanation, whole }: ResultParts): LiveResult {
  const base = {
    sequence: head.sequence,
    evaluatedAt: new Date(head.evaluatedAtMs),
    dataAsOf: new Date(head.dataAsOfMs),
    cursors: head.cursors,
    evaluationMs: head.evaluationMs,
    overrun: head.overrun,
    ...('closeMs' in answer && { window: { open: new Date(answer.openMs), close: new Date(answer.closeMs) } }),
  };
  const { form, variables, isOrdered } = explanation;
  if (form === 'ask') return { ...base, form: 'boolean', kind: 'snapshot', value: answer.value === true };
  const take = () => {
    const taken = whole();
    if (!taken) throw errors.ERR_ANSWER_PASSED({ sequence: head.sequence });
    return taken;
  };
  if (form === 'select') {
    const kind = isOrdered ? 'snapshot' : 'delta';
    const [added, removed] = [answer.added as readonly Row[], answer.removed as readonly Row[]];
    return { ...base, form: 'bindings', kind, variables, added, removed, bindings: () => take() as readonly Row[] };
  }
  const [added, removed] = [answer.added as readonly Quad[], answer.removed as readonly Quad[]];
  return { ...base, form: 'quads', kind: 'delta', added, removed, quads: () => take() as readonly Quad[] };
}
