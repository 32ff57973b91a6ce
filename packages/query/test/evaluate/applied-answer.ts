import type { Quad } from '@rdfjs/types';
import type { Answer, Evaluator } from '../../src/evaluate/evaluator.ts';
import type { Row } from '../../src/result.ts';
import { quadKey } from '../../src/views/quads.ts';
import { type ComparedAnswer, comparedQuads, comparedRows, type QueryForm, rowText } from './reference-answer.ts';

/** What a reader has who applies what each answer says went and came, and knows nothing else. */
export interface AppliedAnswer {
  apply(answer: Answer): void;
  /** What he has now. */
  compared(): ComparedAnswer;
}

/** A reader of an evaluator's answers. The order of solutions he has to look up. */
export function appliedAnswer(evaluator: Evaluator, form: QueryForm): AppliedAnswer {
  if (form === 'ask') return appliedValue();
  return form === 'construct' || form === 'describe' ? appliedQuads() : appliedRows(evaluator, form);
}

function appliedValue(): AppliedAnswer {
  let value: boolean | undefined;
  return {
    apply: (answer) => {
      if (answer.isNew === (value === answer.value))
        throw new Error('the value is told where it is the same, or not told');
      if (answer.isNew) value = answer.value;
    },
    compared: () => [String(value)],
  };
}

function appliedQuads(): AppliedAnswer {
  const held = new Map<string, Quad>();
  return {
    apply: ({ added, removed }) => {
      for (const quad of removed as readonly Quad[]) {
        if (!held.delete(quadKey(quad))) throw new Error('a quad goes that is not there');
      }
      for (const quad of added as readonly Quad[]) {
        if (held.has(quadKey(quad))) throw new Error('a quad comes that is there');
        held.set(quadKey(quad), quad);
      }
    },
    compared: () => comparedQuads([...held.values()]),
  };
}

function appliedRows(evaluator: Evaluator, form: QueryForm): AppliedAnswer {
  const held = new Map<string, number>();
  let order: ComparedAnswer = [];
  const unordered = () => [...held].flatMap(([text, count]) => Array<string>(count).fill(text)).sort();
  return {
    apply: ({ added, removed, isNew }) => {
      if (!isNew && added.length + removed.length > 0) throw new Error('what came or went is not told of');
      for (const text of (removed as readonly Row[]).map(rowText)) {
        const count = held.get(text) ?? 0;
        if (count === 0) throw new Error(`a solution goes that is not there: ${text}`);
        if (count === 1) held.delete(text);
        else held.set(text, count - 1);
      }
      for (const text of (added as readonly Row[]).map(rowText)) held.set(text, (held.get(text) ?? 0) + 1);
      if (isNew && form === 'ordered') order = comparedRows(evaluator.answer() as readonly Row[], form);
    },
    compared: () => {
      if (form !== 'ordered') return unordered();
      if ([...order].sort().join('\n') !== unordered().join('\n')) throw new Error('the order holds other solutions');
      return order;
    },
  };
}
