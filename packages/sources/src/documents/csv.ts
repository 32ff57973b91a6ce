import { CsvError, parse } from 'csv-parse/sync';
import { errors } from '../errors.ts';
import type { DocumentLimits } from './read-document.ts';

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

/**
 * Checks what is to stand between the columns of CSV.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - not one character, or one that CSV needs itself
 */
export function checkDelimiter(delimiter: string): string {
  if (/^[^"\r\n]$/.test(delimiter)) return delimiter;
  const expected = 'one character that is neither a quote nor a line break';
  throw errors.ERR_SOURCE_OPTION({ option: 'delimiter', value: JSON.stringify(delimiter), expected });
}

/** What usually stands between the columns of CSV. */
const USUAL = [';', '\t', ',', '|'] as const;

/**
 * What seems to stand between the columns of CSV whose header is one column by the configured delimiter: a usual one that
 * is in the header, and as often in the row after it; `undefined` when there is none.
 *
 * @param text - the document
 * @see specs/mapping-values.md MAP-82
 */
export function otherDelimiter(text: string, delimiter: string): string | undefined {
  const [header = '', row = ''] = firstLines(text);
  if (count(header, delimiter) > 0) return undefined;
  return USUAL.find((other) => count(header, other) > 0 && count(header, other) === count(row, other));
}

function firstLines(text: string): readonly string[] {
  // No more of a large document than two lines are likely to take.
  return text
    .slice(0, 100_000)
    .split(/[\r\n]+/, 3)
    .filter((line) => line !== '');
}

/** How often it stands in a line; within quotes it separates nothing. */
function count(line: string, delimiter: string): number {
  return line.replaceAll(/"[^"]*"/g, '').split(delimiter).length - 1;
}
