import { expect, test } from 'vitest';
import { LIMIT_NUMERAL_CHARACTERS, LIMIT_NUMERAL_EXPONENT, numeral } from '../../src/convert/numeral.ts';

test.each<[value: unknown, text: string]>([
  ['4.50', '4.50'],
  ['0', '0'],
  ['-0.0', '-0.0'],
  ['+7', '7'],
  ['007', '007'],
  ['.5', '0.5'],
  ['-.5', '-0.5'],
  ['5.', '5'],
  [' 12 ', '12'],
  ['123456789012345678901234567890.123456789', '123456789012345678901234567890.123456789'],
  ['1.5E3', '1500'],
  ['1.50e1', '15.0'],
  ['15e-4', '0.0015'],
  ['0.00012e2', '0.012'],
  ['0e5', '0'],
  ['1e-7', '0.0000001'],
  [1e-7, '0.0000001'],
  [1e21, `1${'0'.repeat(21)}`],
  [0.1, '0.1'],
  [-0, '0'],
  [42, '42'],
])('MAP-52 %j is the decimal %s', (value, text) => {
  expect(numeral(value)).toBe(text);
});

test.each([
  '',
  ' ',
  '.',
  '-',
  'e5',
  '.e5',
  '1e',
  '1,5',
  '1.234,5',
  '0x10',
  '1_000',
  '12 m',
  'NaN',
  'Infinity',
  '１２',
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  null,
  undefined,
  [],
  {},
])('MAP-52 %j is no number', (value) => {
  expect(() => numeral(value)).toThrow('a number was expected');
});

test.each<[string, string]>([
  ['1,5', '1.5'],
  ['-1000,25', '-1000.25'],
  ['7', '7'],
  ['1,5e1', '15'],
])('MAP-52 %s with a comma as mark is %s', (value, text) => {
  expect(numeral(value, ',')).toBe(text);
});

test.each(['1.5', '1.234,5', '1,2,3'])('MAP-52 %s is no number with a comma as mark', (value) => {
  expect(() => numeral(value, ',')).toThrow('a number was expected');
});

test('MAP-81 a number in a string has a limit of characters', () => {
  const most = '1'.repeat(LIMIT_NUMERAL_CHARACTERS);
  expect(numeral(most)).toBe(most);
  expect(() => numeral(`${most}1`)).toThrow('a number was expected');
});

test('MAP-81 the exponent of a number in a string has a limit either way', () => {
  expect(numeral(`1e${LIMIT_NUMERAL_EXPONENT}`)).toHaveLength(LIMIT_NUMERAL_EXPONENT + 1);
  expect(numeral(`1e-${LIMIT_NUMERAL_EXPONENT}`)).toHaveLength(LIMIT_NUMERAL_EXPONENT + 2);
  for (const beyond of [`1e${LIMIT_NUMERAL_EXPONENT + 1}`, `1e-${LIMIT_NUMERAL_EXPONENT + 1}`, '1e999999999999']) {
    expect(() => numeral(beyond)).toThrow('a number was expected');
  }
});
