import { errors } from '../errors.ts';
import type { DocumentLimits } from './document-limits.ts';
import { textPlace } from './text-place.ts';

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
