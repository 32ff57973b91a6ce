import { expect, test } from 'vitest';
import { cellText, isNumeric, numberText, rowNameText, spreadText } from '../../src/report/number-text.ts';

test.each([
  [0, '0'],
  [7, '7'],
  [1471, '1,471'],
  [12_345, '12,345'],
  [999_999, '999,999'],
  [1_234_567, '1,230,000'],
  [0.04567, '0.0457'],
  [1.0004, '1.00'],
  [99.96, '100'],
  [-2.345, '-2.35'],
  [0.0000012, '1.20e-6'],
  [Number.NaN, '–'],
  [Infinity, '∞'],
])('%s is written %s', (value, text) => {
  expect(numberText(value)).toBe(text);
});

test('a spread has its median, and its range as soon as there were two repeats', () => {
  expect(spreadText({ median: 12.345, min: 9.876, max: 15.2, repeats: 3 })).toBe('12.3 [9.88–15.2]');
  expect(spreadText({ median: 12.345, min: 12.345, max: 12.345, repeats: 1 })).toBe('12.3');
  expect(spreadText({ median: 4, min: 3, max: 7, repeats: 3 })).toBe('4 [3–7]');
  expect(spreadText({ median: 1234, min: 1234, max: 1234, repeats: 1 })).toBe('1,234');
  expect(spreadText({ median: 9876, min: 1471, max: 12_345, repeats: 3 })).toBe('9,876 [1,471–12,300]');
  expect(spreadText({ median: 1, min: 0.98, max: 1.021, repeats: 3 })).toBe('1.00 [0.980–1.02]');
});

test('nothing is a dash, also when it has been JSON, and the number that names a row is written in full', () => {
  expect([cellText(undefined), cellText(JSON.parse('null')), cellText('a')]).toEqual(['–', '–', 'a']);
  expect([cellText(1_234_567), rowNameText(1_234_567)]).toEqual(['1,230,000', '1,234,567']);
});

test('a column is numeric when it has numbers, and nothing else but gaps', () => {
  expect(isNumeric([1, undefined, { median: 1, min: 1, max: 1, repeats: 1 }])).toBe(true);
  expect(isNumeric([1, '26.28', '1,471'])).toBe(true);
  expect(isNumeric([1, 'none'])).toBe(false);
  expect(isNumeric([1, '3.1 at 450'])).toBe(false);
  expect(isNumeric([undefined])).toBe(false);
});
