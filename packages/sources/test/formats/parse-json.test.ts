import { expect, test } from 'vitest';
import { read } from './documents.ts';

const malformed = (reason: string, line: number, column: number) => ({
  code: 'ERR_DOCUMENT_MALFORMED',
  format: 'json',
  reason,
  line,
  column,
});

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

test('MAP-74 a whole number beyond what a double holds stays as its digits', () => {
  expect(read('[9007199254740991, 9007199254740992, -9007199254740993, 12345678901234567890]')).toEqual([
    9007199254740991,
    '9007199254740992',
    '-9007199254740993',
    '12345678901234567890',
  ]);
  expect(read('{"id": 12345678901234567890}')).toEqual({ id: '12345678901234567890' });
});

test('MAP-74 a number out of the range of doubles stays as it is written', () => {
  expect(read('[1e309, -1E+400, 1e308, 1e-400]')).toEqual(['1e309', '-1E+400', 1e308, 0]);
});

test('MAP-74 other numbers are the nearest doubles', () => {
  expect(read('[413824.91185447818134, 1e20, 4.50, 0.1, -0]')).toEqual([413824.9118544782, 1e20, 4.5, 0.1, -0]);
});

test('MAP-74 a large number does not mend what is malformed', () => {
  expect(read('{12345678901234567890: 1}')).toEqual(malformed('name or } was expected', 1, 2));
  expect(read('[012345678901234567890]')).toEqual(malformed(', or ] was expected', 1, 3));
  expect(read('[12345678901234567890x]')).toEqual(malformed(', or ] was expected', 1, 22));
  expect(read('["12345678901234567890]')).toEqual(malformed('it ends in a string', 1, 24));
});

test('MAP-74 what stands in strings is not counted as structure', () => {
  expect(read('["[[[[,,,,12345678901234567890", "\\\\", "\\"]"]', {}, { limitDepth: 1, limitRecords: 3 })).toEqual([
    '[[[[,,,,12345678901234567890',
    '\\',
    '"]',
  ]);
});

test('MAP-74 a name that says __proto__ is a name, and of names that come twice the last one counts', () => {
  const document = read('{"__proto__": {"a": 1}, "b": 1, "b": 2}') as Record<string, unknown>;
  expect(Object.keys(document)).toEqual(['__proto__', 'b']);
  expect(document.a).toBeUndefined();
  expect(document.b).toBe(2);
});
