import { checkInteger } from '../check-option.ts';

/** What a document may have at most. */
export interface DocumentLimits {
  /** How deep lists, mappings and elements nest, 1 to 1,000. @defaultValue 64 */
  readonly limitDepth: number;
  /** Lines, rows, items of a list, fields of a mapping, or children of an element, 1 to 100,000,000. @defaultValue 1,000,000 */
  readonly limitRecords: number;
}

/** The defaults of {@link DocumentLimits}. @see specs/mapping-values.md MAP-81 */
export const DOCUMENT_LIMITS: DocumentLimits = { limitDepth: 64, limitRecords: 1_000_000 };

const MOST_DEPTH = 1000;
const MOST_RECORDS = 100_000_000;

/**
 * The limits with their defaults.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - one is out of its range
 */
export function documentLimits(given: Partial<DocumentLimits> = {}): DocumentLimits {
  const limits = { ...DOCUMENT_LIMITS, ...given };
  checkInteger('limitDepth', limits.limitDepth, 1, MOST_DEPTH);
  checkInteger('limitRecords', limits.limitRecords, 1, MOST_RECORDS);
  return limits;
}
