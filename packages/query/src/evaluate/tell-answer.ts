import type { Answer } from '../evaluator.ts';
import type { ResultOperator } from '../view-options.ts';
import type { AnswerFinder, FoundAnswer } from './answer-finder.ts';

/** An answer as it was found, and when it is one to tell of. */
export interface AnswerToTell {
  readonly found: Pick<FoundAnswer, 'added' | 'removed' | 'isChanged'>;
  readonly isFirst: boolean;
  /** Whether the whole answer is told, by an operator that does so. */
  readonly isToldWhole: boolean;
}

/**
 * What an operator tells of an answer that was found and kept.
 *
 * @see specs/query.md QUERY-106
 */
export function tellAnswer(
  operator: ResultOperator,
  finder: AnswerFinder,
  { found, isFirst, isToldWhole }: AnswerToTell,
): Pick<Answer, 'added' | 'removed' | 'value' | 'isNew'> {
  const { added, removed } = found;
  const isChanged = isFirst || found.isChanged;
  if (finder.value) {
    return { added, removed, value: finder.value(), isNew: operator === 'rstream' ? isToldWhole : isChanged };
  }
  switch (operator) {
    case 'delta':
      return { added, removed, isNew: isChanged };
    case 'istream':
      return { added, removed: [], isNew: added.length > 0 };
    case 'dstream':
      return { added: [], removed, isNew: removed.length > 0 };
    case 'rstream':
      return { added: isToldWhole ? finder.answer() : [], removed: [], isNew: isToldWhole };
  }
}
