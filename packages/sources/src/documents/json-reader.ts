/* A text of JSON: its bytes in UTF-8 become plain values, part by part.
 *
 *   bytes --scan--> cuts between siblings --JSON.parse--> items of lists and mappings that are still open
 *
 * The scan counts how deep the text nests and how many items stand in one place, and notes the numbers that no double
 * holds. After each step, a text that has grown long is cut where siblings meet: of `{"garages": [{...}, {...}, ...]}`
 * the records so far are parsed at once, and added to a list that is open. A short text is parsed whole. Nothing is
 * checked twice: JSON.parse says whether a part is JSON, and the scan sees to what stands between parts. */

import { printParseErrorCode, visit } from 'jsonc-parser';
import { errors } from '../errors.ts';
import type { Steps } from '../slices.ts';
import { DocumentFault, type ReaderLimits, setField, textTooLongAt, tooManyAt, tooManyValuesAt } from './document.ts';

/** How errors call what is read. */
export type JsonFormat = 'json' | 'ndjson' | 'geojson';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LOWER_E = 0x65;
const LOWER_CASE = 0x20;
const LIST_START = 0x5b;
const LIST_END = 0x5d;
const MAPPING_START = 0x7b;
const MAPPING_END = 0x7d;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
// A double holds every whole number of so many.
const SAFE_DIGITS = 15;

/** How much is scanned in a step, and how long a text has to be for a cut, bytes: to parse it takes about 1 ms. */
const STEP_BYTES = 65_536;
/** From here on a text is cut anywhere, and not only where half of it or more is left whole, bytes. */
const LONG_BYTES = 524_288;
/** In a longer text no fault is looked for, as in a string of this length: that takes many times its memory, bytes. */
const NAMED_BYTES = 4_194_304;

type Container = unknown[] | Record<string, unknown>;

/** Reads texts of JSON, one after the other. */
export class JsonReader {
  readonly #bytes: Buffer;
  readonly #limits: ReaderLimits;
  readonly #format: JsonFormat;

  /** How many lists and mappings the scan is in, and of each, from 1: where it begins, its commas, and the last one. */
  #depth = 0;
  readonly #starts: number[] = [];
  readonly #counts: number[] = [];
  readonly #commas: number[] = [];
  #isInString = false;
  /** Where the last string begins. */
  #textStart = 0;
  /** Where numbers begin and end that no double holds, of what is not parsed yet. */
  #longNumbers: number[] = [];

  /** The outermost of them, those that exist already and are added to. */
  #open: Container[] = [];
  #root: Container | undefined;
  /** Where what is not parsed yet begins. */
  #from = 0;
  /** Whether a list or mapping ends there, so that a comma has to follow. */
  #isAfterChild = false;
  #end = 0;

  constructor(bytes: Buffer, limits: ReaderLimits, format: JsonFormat) {
    this.#bytes = bytes;
    this.#limits = limits;
    this.#format = format;
  }

  *read(start: number, end: number): Steps<unknown> {
    this.#depth = 0;
    this.#isInString = false;
    this.#longNumbers = [];
    this.#root = undefined;
    this.#from = start;
    this.#isAfterChild = false;
    this.#end = end;
    for (let at = start; at < end; ) {
      at = this.#scan(at, Math.min(end, at + STEP_BYTES));
      if (at - this.#from >= STEP_BYTES) this.#cut(at);
      yield;
    }
    if (this.#root === undefined) return this.#parse('', start, end, '');
    if (this.#open.length > 0 || spaceEnd(this.#bytes, this.#from, end) < end) throw this.#malformed(end);
    return this.#root;
  }

  /** @returns where it goes on, `until` or a little after it */
  #scan(start: number, until: number): number {
    const bytes = this.#bytes;
    const { limitDepth, limitRecords, limitValues, limitTextBytes, budget } = this.#limits;
    const counts = this.#counts;
    const commas = this.#commas;
    let depth = this.#depth;
    let at = start;
    let isInString = this.#isInString;
    let textStart = this.#textStart;
    let { left } = budget;
    while (at < until) {
      const code = bytes[at] as number;
      if (isInString) {
        if (code === BACKSLASH) at += 1;
        else if (code === QUOTE) {
          isInString = false;
          if (at - textStart > limitTextBytes) throw textTooLongAt(textStart, limitTextBytes);
        }
        at += 1;
      } else if (code === QUOTE) {
        isInString = true;
        at += 1;
        textStart = at;
      } else if (code === COMMA) {
        if (depth > 0) {
          left -= 1;
          if (left < 0) throw tooManyValuesAt(at, limitValues);
          const count = (counts[depth] as number) + 1;
          if (count >= limitRecords) throw tooManyAt(at, limitRecords);
          counts[depth] = count;
          commas[depth] = at;
        }
        at += 1;
      } else if ((code >= ZERO && code <= NINE) || code === MINUS) {
        at = this.#scanNumber(at);
      } else if (code === LIST_START || code === MAPPING_START) {
        depth += 1;
        if (depth > limitDepth) throw tooDeep(limitDepth, at);
        left -= 1;
        if (left < 0) throw tooManyValuesAt(at, limitValues);
        this.#starts[depth] = at;
        counts[depth] = 0;
        commas[depth] = -1;
        at += 1;
      } else if ((code === LIST_END || code === MAPPING_END) && depth > 0) {
        if (depth === this.#open.length) this.#close(at);
        depth -= 1;
        at += 1;
      } else {
        at += 1;
      }
    }
    this.#depth = depth;
    this.#isInString = isInString;
    this.#textStart = textStart;
    budget.left = left;
    if (isInString && at - textStart > limitTextBytes) throw textTooLongAt(textStart, limitTextBytes);
    return at;
  }

  #scanNumber(start: number): number {
    let end = this.#digitsEnd(start + 1);
    const hasExponent = ((this.#bytes[end] ?? 0) | LOWER_CASE) === LOWER_E;
    // Past the sign, or the first digit.
    if (hasExponent) end = this.#digitsEnd(end + 2);
    if (
      (hasExponent || end - start > SAFE_DIGITS) &&
      needsText(this.#bytes.toString('latin1', start, end)) &&
      // What stands before a colon has to be in quotes already: putting it there would mend what is malformed.
      this.#bytes[spaceEnd(this.#bytes, end, this.#end)] !== COLON
    ) {
      this.#longNumbers.push(start, end);
    }
    return end;
  }

  #digitsEnd(start: number): number {
    let end = start;
    for (let code = this.#bytes[end] as number; (code >= ZERO && code <= NINE) || code === POINT; ) {
      end += 1;
      code = this.#bytes[end] as number;
    }
    return Math.min(end, this.#end);
  }

  /** Parses what is waiting, up to where siblings meet; the outermost, so that records stay whole. */
  #cut(at: number): void {
    if (this.#open.length === 0 && this.#root !== undefined) return;
    const waiting = at - this.#from;
    const wanted = waiting > LONG_BYTES ? this.#from : this.#from + waiting / 2;
    let level = Math.max(1, this.#open.length);
    while (level <= this.#depth && (this.#commas[level] as number) < wanted) level += 1;
    if (level > this.#depth) return;
    while (this.#open.length < level) this.#openNext();
    this.#addUntil(this.#commas[level] as number);
  }

  /** Makes the next list or mapping that the scan is in, empty yet, in the one around it. */
  #openNext(): void {
    const level = this.#open.length;
    const start = this.#starts[level + 1] as number;
    const comma = this.#commas[level] as number;
    if (level > 0 && comma >= this.#from) this.#addUntil(comma);
    if (this.#isAfterChild) throw this.#malformed(start);
    const around = this.#open[level - 1];
    const made: Container = this.#bytes[start] === LIST_START ? [] : {};
    // The name of it, and nothing else, may stand before it.
    if (around === undefined || Array.isArray(around)) {
      this.#parse('[', this.#from, start, 'null]');
      if (around) around.push(made);
      else this.#root = made;
    } else {
      const [name] = Object.keys(this.#parse('{', this.#from, start, 'null}') as object);
      setField(around, name as string, made);
    }
    this.#open.push(made);
    this.#from = start + 1;
  }

  #close(at: number): void {
    const isList = Array.isArray(this.#open.at(-1));
    if (isList !== (this.#bytes[at] === LIST_END)) throw this.#malformed(at);
    this.#addUntil(at);
    this.#open.pop();
    this.#isAfterChild = true;
  }

  /** Adds the items before a comma, or before the end, to the innermost list or mapping that is open. */
  #addUntil(at: number): void {
    const container = this.#open.at(-1) as Container;
    let from = this.#from;
    if (this.#isAfterChild) from = spaceEnd(this.#bytes, from, at);
    if (!this.#isAfterChild || from < at) {
      if (this.#isAfterChild && this.#bytes[from] !== COMMA) throw this.#malformed(at);
      if (this.#isAfterChild) from += 1;
      if (Array.isArray(container)) {
        const items = this.#parse('[', from, at, ']') as unknown[];
        if (items.length === 0) throw this.#malformed(at);
        for (const item of items) container.push(item);
      } else {
        const fields = Object.entries(this.#parse('{', from, at, '}') as object);
        if (fields.length === 0) throw this.#malformed(at);
        for (const [name, value] of fields) setField(container, name, value);
      }
    }
    this.#isAfterChild = false;
    this.#from = at + 1;
  }

  #parse(before: string, from: number, to: number, after: string): unknown {
    try {
      return JSON.parse(before + this.#text(from, to) + after);
    } catch {
      throw this.#malformed(to);
    }
  }

  /** Text with numbers in quotes that no double holds. */
  #text(from: number, to: number): string {
    const numbers = this.#longNumbers;
    if (numbers.length === 0) return this.#bytes.toString('utf8', from, to);
    let text = '';
    let copied = from;
    let used = 0;
    for (; used < numbers.length && (numbers[used] as number) < to; used += 2) {
      const [start, end] = [numbers[used] as number, numbers[used + 1] as number];
      text += `${this.#bytes.toString('utf8', copied, start)}"${this.#bytes.toString('utf8', start, end)}"`;
      copied = end;
    }
    this.#longNumbers = numbers.slice(used);
    return text + this.#bytes.toString('utf8', copied, to);
  }

  /** The first fault of what is not parsed yet. @param to - where it shows at the latest */
  #malformed(to: number): DocumentFault {
    if (to - this.#from > NAMED_BYTES) return malformed(this.#format, 'it cannot be parsed from here on', this.#from);
    const { before, text } = this.#unparsed(Math.min(to + 1, this.#end));
    const { offset, reason } = jsonFault(before + text) ?? { offset: before.length, reason: 'it cannot be parsed' };
    return malformed(this.#format, reason, this.#from + Buffer.byteLength(text.slice(0, offset - before.length)));
  }

  /** What is not parsed yet, after something short that stands for what is. */
  #unparsed(to: number): { before: string; text: string } {
    const text = this.#bytes.toString('utf8', this.#from, to);
    const innermost = this.#open.length;
    if (innermost === 0) return { before: this.#root === undefined ? '' : '0', text };
    const around = this.#open.map((container) => (Array.isArray(container) ? '[' : '{"":')).join('');
    const isFirst = this.#from === (this.#starts[innermost] as number) + 1;
    if (isFirst) return { before: around.replace(/"":$/, ''), text };
    if (this.#isAfterChild) return { before: `${around}0`, text };
    return { before: `${around}0,`, text };
  }
}

function needsText(token: string): boolean {
  if (!NUMBER.test(token)) return false;
  const value = Number(token);
  return !Number.isFinite(value) || (/^-?\d+$/.test(token) && !Number.isSafeInteger(value));
}

/** Where space ends. */
export function spaceEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(bytes[at] as number)) at += 1;
  return at;
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** What is not of its format. */
export function malformed(format: JsonFormat, reason: string, index: number): DocumentFault {
  return new DocumentFault(index, (place) => errors.ERR_DOCUMENT_MALFORMED({ format, reason, ...place }));
}

function tooDeep(limitDepth: number, index: number): DocumentFault {
  return new DocumentFault(index, ({ line }) => errors.ERR_DOCUMENT_TOO_DEEP({ limitDepth, line }));
}

/** What is wrong in a JSON text, and at which character. */
interface JsonFault {
  readonly offset: number;
  readonly reason: string;
}

const EXPECTED: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a value, or a name in quotes,',
  PropertyNameExpected: 'a name in quotes',
  ValueExpected: 'a value',
  ColonExpected: 'a colon',
  CommaExpected: 'a comma or the end',
  CloseBraceExpected: 'a comma or }',
  CloseBracketExpected: 'a comma or ]',
  EndOfFileExpected: 'the end of the document',
  InvalidCommentToken: 'JSON without comments',
  UnexpectedEndOfNumber: 'a digit',
};
// JSON.parse is faster, but does not say on every version of Node where it stopped.
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };
const CONTROL_CHARACTER = 'a string has a line break or another control character';
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/g;
const STRING_FAULT = /[^ -\uffff]|\\/;

/** The first fault of a JSON text; `undefined` when there is none. @see https://www.rfc-editor.org/rfc/rfc8259 */
function jsonFault(text: string): JsonFault | undefined {
  let fault: JsonFault | undefined;
  const onError = (code: number, offset: number, length: number) => {
    fault ??= faultOf(text, printParseErrorCode(code as never), offset, length);
  };
  visit(text, { onError }, STRICT);
  return fault;
}

function faultOf(text: string, code: string, offset: number, length: number): JsonFault {
  const end = offset + length;
  if (text[offset] === '"') {
    const inString = text
      .slice(offset, end)
      .replace(ESCAPE, (valid) => valid.replace(/./g, ' '))
      .search(STRING_FAULT);
    if (inString === -1 && code === 'UnexpectedEndOfString') {
      const isEnd = end === text.length;
      return { offset: end, reason: isEnd ? 'it ends in a string' : CONTROL_CHARACTER };
    }
    if (inString !== -1) {
      const isEscape = text[offset + inString] === '\\';
      return { offset: offset + inString, reason: isEscape ? 'a backslash is not an escape' : CONTROL_CHARACTER };
    }
  }
  // A number that does not end is at fault where it stops.
  const at = code === 'UnexpectedEndOfNumber' ? end : offset;
  const reason = `${EXPECTED[code] ?? 'something else'} was expected`;
  return { offset: at, reason: at === text.length ? `it ends where ${reason}` : reason };
}
