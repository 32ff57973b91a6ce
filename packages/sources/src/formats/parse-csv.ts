import { CsvError, parse } from 'csv-parse/sync';
import { errors } from '../errors.ts';
import type { DocumentLimits } from './document-limits.ts';
import { otherDelimiter } from './other-delimiter.ts';

const RECORD_DELIMITERS = ['\r\n', '\n', '\r'];

const REASONS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote',
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  INVALID_OPENING_QUOTE: 'a quote stands in the middle of a value',
};

/**
 * Parses CSV whose first row names the columns.
 *
 * @param delimiter - what stands between the columns
 * @returns a mapping for each row; values are strings, as they stand
 * @throws {@link StreamError} `ERR_DOCUMENT_MALFORMED` - another delimiter, no header, a column without a name of its own, rows of other lengths, quotes astray
 * @throws {@link StreamError} `ERR_DOCUMENT_TOO_MANY` - more than `limitRecords` rows
 * @see specs/mapping-values.md MAP-77, MAP-82
 * @see https://www.rfc-editor.org/rfc/rfc4180
 */
export function parseCsv(text: string, delimiter: string, { limitRecords }: DocumentLimits): readonly unknown[] {
  const other = otherDelimiter(text, delimiter);
  if (other !== undefined) {
    const [seems, not] = [JSON.stringify(other), JSON.stringify(delimiter)];
    throw malformed(`its columns seem to be separated by ${seems} and not by ${not}: give ${seems} as delimiter`, 1);
  }
  const [header, ...rows] = rowsOf(text, delimiter, limitRecords);
  if (header === undefined) throw malformed('it has no row that names the columns', 1);
  if (rows.length > limitRecords) throw errors.ERR_DOCUMENT_TOO_MANY({ limitRecords, line: limitRecords + 2 });
  const names = header.map((name, index) => name.trim() || `#${index + 1}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw malformed(`two columns are named ${JSON.stringify(twice)}`, 1);
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
}

function rowsOf(text: string, delimiter: string, limitRecords: number): string[][] {
  try {
    return parse(text, {
      delimiter,
      record_delimiter: RECORD_DELIMITERS,
      skip_empty_lines: true,
      // The header, and one more than may be, tell that there are too many.
      to: limitRecords + 2,
    });
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    const line = typeof cause.lines === 'number' ? cause.lines : 1;
    throw malformed(columnsReason(text, delimiter, cause) ?? REASONS[cause.code] ?? cause.code, line, cause);
  }
}

function columnsReason(text: string, delimiter: string, { code, record }: CsvError): string | undefined {
  if (code !== 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH' || !Array.isArray(record)) return undefined;
  const [header = []] = parse(text, { delimiter, record_delimiter: RECORD_DELIMITERS, skip_empty_lines: true, to: 1 });
  return `the header has ${header.length} columns, and a row ${record.length}`;
}

function malformed(reason: string, line: number, cause?: unknown) {
  return errors.ERR_DOCUMENT_MALFORMED({ format: 'csv', reason, line }, cause);
}
