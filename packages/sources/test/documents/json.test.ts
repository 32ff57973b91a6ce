import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { jsonFault, scanJson } from '../../src/documents/json.ts';
import { DOCUMENT_LIMITS } from '../../src/documents/read-document.ts';
import { read } from './documents.ts';

const malformed = (reason: string, line: number, column: number) => {
  return { code: 'ERR_DOCUMENT_MALFORMED', format: 'json', reason, line, column };
};

test.each<[text: string, reason: string, line: number, column: number]>([
  ['', 'it ends where value was expected', 1, 1],
  ['[1,', 'it ends where value was expected', 1, 4],
  ['[1', 'it ends where , or ] was expected', 1, 3],
  ['{"a"', 'it ends where : was expected', 1, 5],
  ['"abc', 'it ends in a string', 1, 5],
  ['{"a":1,\n "b" 2}', ': was expected', 2, 6],
  ['{\n"a":1,\n}', 'name was expected', 3, 1],
  ['[1,]', 'value was expected', 1, 4],
  ['[1}', ', or ] was expected', 1, 3],
  ['{a:1}', 'name or } was expected', 1, 2],
  ['{} {}', 'nothing more was expected', 1, 4],
  ["['a']", 'value or ] was expected', 1, 2],
  ['[01]', ', or ] was expected', 1, 3],
  ['[+1]', 'value or ] was expected', 1, 2],
  ['[NaN]', 'value or ] was expected', 1, 2],
  ['["a\nb"]', 'a line break or another control character stands in a string', 1, 4],
  ['["\\x"]', 'a backslash in a string escapes nothing', 1, 3],
  ['<html>', 'value was expected', 1, 1],
])('MAP-74 %j is refused with the place', (text, reason, line, column) => {
  expect(read(text)).toEqual(malformed(reason, line, column));
});

test.each<[text: string, value: unknown]>([
  // A whole number beyond what a double holds stays as its digits, and one out of their range as it is written.
  ['[9007199254740991, 9007199254740992]', [9007199254740991, '9007199254740992']],
  ['[-9007199254740993, 12345678901234567890]', ['-9007199254740993', '12345678901234567890']],
  ['{"id": 12345678901234567890}', { id: '12345678901234567890' }],
  ['[1e309, -1E+400, 1e308, 1e-400]', ['1e309', '-1E+400', 1e308, 0]],
  // Others are the nearest doubles.
  ['[413824.91185447818134, 1e20, 4.50, 0.1, -0]', [413824.9118544782, 1e20, 4.5, 0.1, -0]],
  // A large number does not mend what is malformed.
  ['{12345678901234567890: 1}', malformed('name or } was expected', 1, 2)],
  ['[012345678901234567890]', malformed(', or ] was expected', 1, 3)],
  ['[12345678901234567890x]', malformed(', or ] was expected', 1, 22)],
  ['["12345678901234567890]', malformed('it ends in a string', 1, 24)],
])('MAP-74 %s is read as %j', (text, value) => {
  expect(read(text)).toEqual(value);
});

test('MAP-74 what stands in strings is not counted as structure', () => {
  const text = '["[[[[,,,,12345678901234567890", "\\\\", "\\"]"]';
  expect(read(text, {}, { limitDepth: 1, limitRecords: 3 })).toEqual(JSON.parse(text));
});

test('MAP-74 a name that says __proto__ is a name, and of names that come twice the last one counts', () => {
  const document = read('{"__proto__": {"a": 1}, "b": 1, "b": 2}') as Record<string, unknown>;
  expect(Object.keys(document)).toEqual(['__proto__', 'b']);
  expect(document.a).toBeUndefined();
  expect(document.b).toBe(2);
});

const parses = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

// Pieces that make JSON now and then.
const words = String.raw`[ ] { } , : " "a" \ \u00e9 \n 0 1 - .5 e3 true null é`.split(' ');
const pieces = fc.constantFrom(...words, ' ', '\n', '\t');

test('MAP-74 a text has a fault if and only if it is no JSON', () => {
  const text = fc.oneof(
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.json().chain((json) => fc.nat(json.length).map((at) => json.slice(0, at))),
    fc.tuple(fc.json(), fc.nat(), pieces).map(([json, at, piece]) => {
      const index = at % (json.length + 1);
      return json.slice(0, index) + piece + json.slice(index + 1);
    }),
    fc.json(),
    fc.string(),
  );
  check(
    fc.property(text, (tried) => {
      const fault = jsonFault(tried);
      expect(fault === undefined).toBe(parses(tried));
      if (fault) {
        expect(fault.index).toBeGreaterThanOrEqual(0);
        expect(fault.index).toBeLessThanOrEqual(tried.length);
        // What stands before a fault is the beginning of some JSON: cutting there leaves no fault but the end.
        const cut = jsonFault(tried.slice(0, fault.index));
        if (cut) expect(cut.index).toBe(fault.index);
      }
    }),
    { numRuns: 2000 },
  );
});

test('MAP-74 JSON of numbers that doubles hold is left as it is', () => {
  const json = fc.json({ maxDepth: 20 }).filter((text) => !/\d{16}/.test(text));
  check(
    fc.property(json, (text) => {
      expect(scanJson(text, DOCUMENT_LIMITS)).toBe(text);
    }),
  );
});

test('MAP-74 whole numbers of any size keep their digits', () => {
  const integer = fc.bigInt(-(10n ** 40n), 10n ** 40n);
  check(
    fc.property(fc.array(integer), (values) => {
      const parsed = JSON.parse(scanJson(`[${values.join(' , ')}]`, DOCUMENT_LIMITS)) as (string | number)[];
      expect(parsed.map(BigInt)).toEqual(values);
    }),
  );
});

test('MAP-81 the depth that is counted is that of the value', () => {
  const depthOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0;
    return 1 + Math.max(0, ...Object.values(value).map(depthOf));
  };
  check(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const depth = Math.max(1, depthOf(value));
      const text = JSON.stringify(value);
      expect(() => scanJson(text, { ...DOCUMENT_LIMITS, limitDepth: depth })).not.toThrow();
      if (depth > 1) expect(() => scanJson(text, { ...DOCUMENT_LIMITS, limitDepth: depth - 1 })).toThrow(/deeper/);
    }),
  );
});
