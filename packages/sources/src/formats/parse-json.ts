import { errors } from '../errors.ts';
import type { DocumentLimits } from './document-limits.ts';
import { jsonFault } from './json-fault.ts';
import { scanJson } from './scan-json.ts';
import { textPlace } from './text-place.ts';

/**
 * Parses a JSON text within limits. Numbers that no double holds become strings of their digits.
 *
 * @param format - how errors call it
 * @param line - the line that the text begins at in its document, from 1
 * @throws {@link StreamError} `ERR_DOCUMENT_MALFORMED` - no JSON, with the place
 * @throws {@link StreamError} `ERR_DOCUMENT_TOO_DEEP`, `ERR_DOCUMENT_TOO_MANY` - beyond the limits
 * @see specs/mapping-values.md MAP-74
 */
export function parseJson(
  text: string,
  format: 'json' | 'ndjson' | 'geojson',
  limits: DocumentLimits,
  line = 1,
): unknown {
  const scanned = scanJson(text, limits, line);
  try {
    return JSON.parse(scanned);
  } catch (cause) {
    const { index, reason } = jsonFault(text) ?? { index: 0, reason: 'it cannot be parsed' };
    const place = textPlace(text, index);
    throw errors.ERR_DOCUMENT_MALFORMED({ format, reason, line: place.line + line - 1, column: place.column }, cause);
  }
}
