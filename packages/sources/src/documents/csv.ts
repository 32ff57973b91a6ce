/* CSV of RFC 4180 whose first row names the columns: its bytes in UTF-8 become a mapping for each row.
 *
 *   Name;Free
 *   "Straße; ""A""";05   -> [{ Name: 'Straße; "A"', Free: '05' }]
 *
 * Read by hand, and not by a library, so that a row of many columns gives others their turn too. */

import { errors } from '../errors.ts';
import type { Steps } from '../slices.ts';
import { DocumentFault, type ReaderLimits, setField, textTooLongAt, tooManyAt, tooManyValuesAt } from './document.ts';

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/** So many cells are read in a step. */
const STEP_CELLS = 256;

/**
 * Up to so many columns a row is a copy of one that was parsed: V8 keeps a mapping whose fields are added one by one as a
 * hash table, of several times the size.
 */
const COPIED_FIELDS = 128;

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

/**
 * Reads CSV: a mapping for each row; values are strings, as they stand.
 *
 * @param delimiter - what stands between the columns
 * @see specs/mapping-values.md MAP-77
 * @see https://www.rfc-editor.org/rfc/rfc4180
 */
export function* readCsv(
  bytes: Buffer,
  delimiter: string,
  { limitRecords, limitValues, limitTextBytes, budget }: ReaderLimits,
): Steps<readonly unknown[]> {
  const other = otherDelimiter(bytes, delimiter);
  if (other !== undefined) {
    const [seems, not] = [JSON.stringify(other), JSON.stringify(delimiter)];
    throw malformed(`its columns seem to be separated by ${seems} and not by ${not}: give ${seems} as delimiter`, 0);
  }
  const cells = new CellReader(bytes, Buffer.from(delimiter), limitTextBytes);
  const names: string[] = [];
  const known = new Set<string>();
  while (cells.isInRow()) {
    if (names.length === limitRecords) throw tooManyAt(cells.at, limitRecords);
    const name = cells.next().trim() || `#${names.length + 1}`;
    if (known.has(name)) throw malformed(`two columns are named ${JSON.stringify(name)}`, 0);
    names.push(name);
    known.add(name);
    if (names.length % STEP_CELLS === 0) yield;
  }
  if (names.length === 0) throw malformed('it has no header row', 0);
  budget.left -= names.length;
  const none = Object.fromEntries(names.length > COPIED_FIELDS ? [] : names.map((name) => [name, '']));
  const emptyRow: Record<string, string> = JSON.parse(JSON.stringify(none));
  const rows: Record<string, string>[] = [];
  while (cells.nextRow()) {
    const start = cells.at;
    if (rows.length === limitRecords) throw tooManyAt(start, limitRecords);
    budget.left -= names.length;
    if (budget.left < 0) throw tooManyValuesAt(start, limitValues);
    const row = { ...emptyRow };
    let count = 0;
    for (; cells.isInRow(); count += 1) {
      const cell = cells.next();
      if (count < names.length) setField(row, names[count] as string, cell);
      if (count % STEP_CELLS === 0) yield;
    }
    if (count !== names.length) throw malformed(`the header has ${names.length} columns, and a row ${count}`, start);
    rows.push(row);
  }
  return rows;
}

/** Reads the cells of CSV one by one. */
class CellReader {
  readonly #bytes: Buffer;
  readonly #delimiter: Buffer;
  readonly #limitTextBytes: number;
  /** Where the next cell begins. */
  at = 0;
  #isInRow: boolean;

  constructor(bytes: Buffer, delimiter: Buffer, limitTextBytes: number) {
    this.#bytes = bytes;
    this.#delimiter = delimiter;
    this.#limitTextBytes = limitTextBytes;
    this.#isInRow = this.nextRow();
  }

  /** Whether the row has another cell. */
  isInRow(): boolean {
    return this.#isInRow;
  }

  /** Goes to the next row that is not empty; `false` at the end. */
  nextRow(): boolean {
    while (this.#bytes[this.at] === LF || this.#bytes[this.at] === CR) this.at += 1;
    this.#isInRow = this.at < this.#bytes.length;
    return this.#isInRow;
  }

  next(): string {
    const bytes = this.#bytes;
    const start = this.at;
    let end = start;
    let cell: string;
    if (bytes[start] === QUOTE) {
      end = this.#closingQuote(start);
      cell = bytes.toString('utf8', start + 1, end);
      if (cell.includes('"')) cell = cell.replaceAll('""', '"');
      end += 1;
      if (!this.#isCellEnd(end)) throw malformed('text follows a closing quote', end);
    } else {
      for (; !this.#isCellEnd(end); end += 1) {
        if (bytes[end] === QUOTE) throw malformed('a quote is inside an unquoted value', end);
        this.#checkLength(start, end);
      }
      cell = bytes.toString('utf8', start, end);
    }
    const isLast = end === bytes.length || bytes[end] === LF || bytes[end] === CR;
    // What follows a delimiter is a cell, if an empty one; what follows the row is looked for by `nextRow`.
    this.#isInRow = !isLast;
    this.at = isLast ? end : end + this.#delimiter.length;
    return cell;
  }

  #closingQuote(start: number): number {
    const bytes = this.#bytes;
    for (let at = start + 1; at < bytes.length; at += 1) {
      if (bytes[at] === QUOTE && bytes[at + 1] !== QUOTE) return at;
      if (bytes[at] === QUOTE) at += 1;
      this.#checkLength(start + 1, at);
    }
    throw malformed('a quote is not closed', start);
  }

  #checkLength(start: number, at: number): void {
    if (at - start >= this.#limitTextBytes) throw textTooLongAt(start, this.#limitTextBytes);
  }

  #isCellEnd(at: number): boolean {
    const byte = this.#bytes[at];
    if (byte === LF || byte === CR || byte === undefined) return true;
    const delimiter = this.#delimiter;
    return (
      byte === delimiter[0] &&
      (delimiter.length === 1 || delimiter.compare(this.#bytes, at, at + delimiter.length) === 0)
    );
  }
}

/** What usually stands between the columns of CSV. */
const USUAL = [';', '\t', ',', '|'] as const;
/** Two lines are likely to take no more, bytes. */
const TWO_LINES_BYTES = 100_000;

/** A usual delimiter that is in the header and as often in the row after it, where the configured one is in neither. */
function otherDelimiter(bytes: Buffer, delimiter: string): string | undefined {
  const lines = bytes.toString('utf8', 0, TWO_LINES_BYTES).split(/[\r\n]+/, 3);
  const [header = '', row = ''] = lines.filter((line) => line !== '');
  if (count(header, delimiter) > 0) return undefined;
  return USUAL.find((other) => count(header, other) > 0 && count(header, other) === count(row, other));
}

/** How often it stands in a line; within quotes it separates nothing. */
function count(line: string, delimiter: string): number {
  return line.replaceAll(/"[^"]*"/g, '').split(delimiter).length - 1;
}

function malformed(reason: string, index: number): DocumentFault {
  return new DocumentFault(index, ({ line }) => errors.ERR_DOCUMENT_MALFORMED({ format: 'csv', reason, line }));
}
