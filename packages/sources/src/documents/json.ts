import { errors } from '../errors.ts';
import type { DocumentLimits } from './read-document.ts';

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

const TYPES = new Set([
  'Feature',
  'FeatureCollection',
  'GeometryCollection',
  'LineString',
  'MultiLineString',
  'MultiPoint',
  'MultiPolygon',
  'Point',
  'Polygon',
]);

/**
 * Parses GeoJSON: JSON whose type says that it is.
 *
 * @throws {@link StreamError} `ERR_DOCUMENT_MALFORMED` - no JSON, another type, or a collection without its features
 * @throws {@link StreamError} `ERR_DOCUMENT_TOO_DEEP`, `ERR_DOCUMENT_TOO_MANY` - beyond the limits
 * @see specs/mapping-values.md MAP-76
 * @see https://www.rfc-editor.org/rfc/rfc7946#section-3
 */
export function parseGeojson(text: string, limits: DocumentLimits): unknown {
  const document = parseJson(text, 'geojson', limits) as { type?: unknown; features?: unknown } | null;
  const type = document?.type;
  if (typeof type !== 'string' || !TYPES.has(type)) throw malformed('its type is none of GeoJSON');
  if (type === 'FeatureCollection' && !Array.isArray(document?.features)) throw malformed('it has no list of features');
  return document;
}

function malformed(reason: string) {
  return errors.ERR_DOCUMENT_MALFORMED({ format: 'geojson', reason, line: 1, column: 1 });
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const LOWER_E = 0x65;
const LOWER_CASE = 0x20;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NAME_FOLLOWS = /[ \t\n\r]*:/y;
// A double holds every whole number of so many.
const SAFE_DIGITS = 15;

/**
 * Goes over a JSON text before it is parsed: checks how deep it nests and how many items its lists have, without
 * recursion, and puts numbers in quotes that no double holds. It does not check whether the text is JSON.
 *
 * @param line - the line that the text begins at in its document, from 1
 * @returns the text to parse
 * @throws {@link StreamError} `ERR_DOCUMENT_TOO_DEEP` - more than `limitDepth` open lists and mappings
 * @throws {@link StreamError} `ERR_DOCUMENT_TOO_MANY` - a list or mapping of more than `limitRecords`
 * @see specs/mapping-values.md MAP-74
 */
export function scanJson(text: string, limits: DocumentLimits, line = 1): string {
  const { limitDepth, limitRecords } = limits;
  const lineOf = (index: number) => textPlace(text, index).line + line - 1;
  const commas = [0];
  const parts: string[] = [];
  let copied = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = closingQuote(text, index);
    } else if (code === COMMA) {
      const count = (commas[depth] as number) + 1;
      if (count >= limitRecords && depth > 0) throw errors.ERR_DOCUMENT_TOO_MANY({ limitRecords, line: lineOf(index) });
      commas[depth] = count;
    } else if ((code >= ZERO && code <= NINE) || code === MINUS) {
      let end = digitsEnd(text, index + 1);
      const hasExponent = (text.charCodeAt(end) | LOWER_CASE) === LOWER_E;
      // Past the sign, or the first digit.
      if (hasExponent) end = digitsEnd(text, end + 2);
      if ((hasExponent || end - index > SAFE_DIGITS) && needsText(text.slice(index, end)) && !isName(text, end)) {
        parts.push(text.slice(copied, index), '"', text.slice(index, end), '"');
        copied = end;
      }
      index = end - 1;
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > limitDepth) throw errors.ERR_DOCUMENT_TOO_DEEP({ limitDepth, line: lineOf(index) });
      commas[depth] = 0;
    } else if ((code === 0x5d || code === 0x7d) && depth > 0) {
      depth -= 1;
    }
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copied);
}

function closingQuote(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = end;
    while (text.charCodeAt(slashes - 1) === BACKSLASH) slashes -= 1;
    if ((end - slashes) % 2 === 0) return end;
  }
  return text.length;
}

function digitsEnd(text: string, start: number): number {
  let end = start;
  for (let code = text.charCodeAt(end); (code >= ZERO && code <= NINE) || code === POINT; code = text.charCodeAt(end)) {
    end += 1;
  }
  return Math.min(end, text.length);
}

function needsText(token: string): boolean {
  if (!NUMBER.test(token)) return false;
  const value = Number(token);
  return !Number.isFinite(value) || (/^-?\d+$/.test(token) && !Number.isSafeInteger(value));
}

// What stands before a colon has to be in quotes already: putting it there would mend what is malformed.
function isName(text: string, index: number): boolean {
  NAME_FOLLOWS.lastIndex = index;
  return NAME_FOLLOWS.test(text);
}

/** What is wrong in a JSON text, and where. */
export interface JsonFault {
  /** Index of the character. */
  readonly index: number;
  readonly reason: string;
}

type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or ]' | ', or }' | 'nothing more';

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACE = /[ \t\n\r]*/y;

/**
 * The first fault of a JSON text. JSON.parse is faster, but does not say on every version of Node where it stopped.
 *
 * @returns `undefined` when there is none
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-2
 */
export function jsonFault(text: string): JsonFault | undefined {
  const open: ('[' | '{')[] = [];
  const afterValue = (): Expected => (open.length === 0 ? 'nothing more' : open.at(-1) === '[' ? ', or ]' : ', or }');
  let expected: Expected = 'value';
  let index = end(SPACE, text, 0);
  while (index < text.length) {
    const mark = text[index] as string;
    const wantsValue: boolean = expected === 'value' || expected === 'value or ]';
    if ((mark === '[' || mark === '{') && wantsValue) {
      open.push(mark);
      expected = mark === '[' ? 'value or ]' : 'name or }';
      index += 1;
    } else if ((mark === ']' || mark === '}') && expected.endsWith(mark)) {
      open.pop();
      expected = afterValue();
      index += 1;
    } else if (mark === ',' && expected.startsWith(',')) {
      expected = open.at(-1) === '[' ? 'value' : 'name';
      index += 1;
    } else if (mark === ':' && expected === ':') {
      expected = 'value';
      index += 1;
    } else if (mark === '"' && (wantsValue || expected.startsWith('name'))) {
      const string = stringEnd(text, index);
      if (typeof string !== 'number') return string;
      index = string;
      expected = wantsValue ? afterValue() : ':';
    } else {
      const scalar = wantsValue ? end(SCALAR, text, index) : index;
      if (scalar === index) return { index, reason: `${expected} was expected` };
      index = scalar;
      expected = afterValue();
    }
    index = end(SPACE, text, index);
  }
  return expected === 'nothing more' ? undefined : { index, reason: `it ends where ${expected} was expected` };
}

function stringEnd(text: string, start: number): number | JsonFault {
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) return index + 1;
    if (code < 0x20) return { index, reason: 'a line break or another control character stands in a string' };
    if (code !== 0x5c) continue;
    const escaped = end(ESCAPE, text, index);
    if (escaped === index) return { index, reason: 'a backslash in a string escapes nothing' };
    index = escaped - 1;
  }
  return { index: text.length, reason: 'it ends in a string' };
}

function end(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : index;
}

/** Where something is in a text: line and column from 1. */
interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** The place of a character, by its index. */
function textPlace(text: string, index: number): TextPlace {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < index; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: index - start + 1 };
}
