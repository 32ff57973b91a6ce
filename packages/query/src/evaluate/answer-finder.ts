import type { Quad } from '@rdfjs/types';
import type { EvaluationLimits } from '../engines/engine.ts';
import type { Row } from '../live-result.ts';
import type { RowChange } from './row-bag.ts';

/** Finds an answer again, and what changed of it since the last that was kept. */
export interface AnswerFinder {
  /**
   * Finds the answer over the store as it stands. What it finds counts for nothing until it is kept.
   *
   * @param changed - the quads that came or went since the last answer that was kept; `undefined` where they can be any
   */
  find(changed: readonly Quad[] | undefined, limits: EvaluationLimits): Promise<FoundAnswer>;
  /** The whole answer that was kept last. */
  answer(): readonly Row[] | readonly Quad[];
  /** Of an ASK query, the value that was kept last. */
  value?(): boolean;
}

/** An answer that was found and is not kept yet. */
export interface FoundAnswer extends Found {
  readonly added: readonly Row[] | readonly Quad[];
  readonly removed: readonly Row[] | readonly Quad[];
  /** Whether it differs from the last. */
  readonly isChanged: boolean;
}

/** Finds solutions, as {@link AnswerFinder} finds an answer. */
export interface RowFinder {
  find(changed: readonly Quad[] | undefined, limits: EvaluationLimits): Promise<FoundRows>;
  /** All solutions that were kept last. */
  rows(): readonly Row[];
}

/** Solutions that were found and are not kept yet. */
export interface FoundRows extends Found {
  readonly changes: readonly RowChange[];
  /** Whether the same solutions come in another order, where that counts. */
  readonly isReordered: boolean;
}

interface Found {
  readonly strategy: 'local' | 'full';
  /** From now on it is the last answer. */
  keep(): void;
}
