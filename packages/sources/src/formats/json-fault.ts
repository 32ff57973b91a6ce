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
