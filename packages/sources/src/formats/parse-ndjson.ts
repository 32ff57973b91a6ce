import { errors } from '../errors.ts';
import type { DocumentLimits } from './document-limits.ts';
import { parseJson } from './parse-json.ts';

/**
 * Parses JSON texts that stand one on a line; lines of space alone are skipped. What is empty says nothing, not even that
 * there are none.
 *
 * @returns the list of them
 * @throws {@link StreamError} `ERR_DOCUMENT_MALFORMED` - a line is no JSON, or it is empty
 * @throws {@link StreamError} `ERR_DOCUMENT_TOO_DEEP`, `ERR_DOCUMENT_TOO_MANY` - beyond the limits
 * @see specs/mapping-values.md MAP-75
 */
export function parseNdjson(text: string, limits: DocumentLimits): readonly unknown[] {
  const { limitRecords } = limits;
  if (text === '') throw errors.ERR_DOCUMENT_MALFORMED({ format: 'ndjson', reason: 'it is empty', line: 1, column: 1 });
  const records: unknown[] = [];
  for (let start = 0, line = 1; start < text.length; line += 1) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const record = text.slice(start, end);
    start = end + 1;
    if (/^[ \t\r]*$/.test(record)) continue;
    if (records.length === limitRecords) throw errors.ERR_DOCUMENT_TOO_MANY({ limitRecords, line });
    records.push(parseJson(record, 'ndjson', limits, line));
  }
  return records;
}
