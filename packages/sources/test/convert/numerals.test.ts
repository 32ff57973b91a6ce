import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import {
  added,
  type ExactDecimal,
  exactDecimal,
  exactText,
  multiplied,
  rounded,
} from '../../src/convert/exact-decimal.ts';
import { LIMIT_NUMERAL_CHARACTERS, LIMIT_NUMERAL_EXPONENT, numeral } from '../../src/convert/numeral.ts';

/** Texts of numbers, and the decimals that they are. */
const decimals: Readonly<Record<string, string>> = {
  ...{ '4.50': '4.50', 0: '0', '-0.0': '-0.0', '+7': '7', '007': '007', '.5': '0.5', '-.5': '-0.5', '5.': '5' },
  ...{ ' 12 ': '12', '123456789012345678901234567890.123456789': '123456789012345678901234567890.123456789' },
  ...{ '1.5E3': '1500', '1.50e1': '15.0', '15e-4': '0.0015', '0.00012e2': '0.012', '0e5': '0', '1e-7': '0.0000001' },
};

test.each<[value: unknown, text: string]>([
  ...Object.entries(decimals),
  [1e-7, '0.0000001'],
  [1e21, `1${'0'.repeat(21)}`],
  [0.1, '0.1'],
  [-0, '0'],
  [42, '42'],
])('MAP-52 %j is the decimal %s', (value, text) => {
  expect(numeral(value)).toBe(text);
});

const noNumbers = '| |.|-|e5|.e5|1e|1,5|1.234,5|0x10|1_000|12 m|NaN|Infinity|１２'.split('|');

test.each([...noNumbers, Number.NaN, 1 / 0, true, null, undefined, [[]], {}])('MAP-52 %j is no number', (value) => {
  expect(() => numeral(value)).toThrow('a number was expected');
});

test('MAP-52 with a comma as mark, a point is none', () => {
  const numbers = { '1,5': '1.5', '-1000,25': '-1000.25', 7: '7', '1,5e1': '15' };
  for (const [value, text] of Object.entries(numbers)) expect(numeral(value, ',')).toBe(text);
  for (const value of ['1.5', '1.234,5', '1,2,3']) expect(() => numeral(value, ',')).toThrow('a number was expected');
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

const double = fc.double({ noNaN: true, noDefaultInfinity: true });

test('MAP-52 the decimal of any double reads back as it, without an exponent', () => {
  check(
    fc.property(double, (value) => {
      const text = numeral(value);
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Number(text) + 0).toBe(value + 0);
    }),
  );
});

test('MAP-52 the decimal of any double in a string, with an exponent or not, equals it', () => {
  const written = fc.tuple(
    double,
    fc.constantFrom(String, (value: number) => value.toExponential()),
  );
  check(
    fc.property(written, ([value, write]) => {
      const text = numeral(write(value));
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Number(text) + 0).toBe(value + 0);
    }),
  );
});

test('MAP-52 digits in a string stay as they are', () => {
  check(
    fc.property(fc.stringMatching(/^-?[0-9]{1,40}(\.[0-9]{1,40})?$/), (text) => {
      expect(numeral(text)).toBe(text);
    }),
  );
});

test('MAP-54 what is read as an exact decimal is written as the same number', () => {
  check(
    fc.property(double, (value) => {
      expect(Number(exactText(exactDecimal(numeral(value))))).toBe(value + 0);
    }),
  );
});

const [times, plus, places] = [
  multiplied,
  added,
  (one: ExactDecimal, by: ExactDecimal) => rounded(one, Number(by.units)),
];

test.each<[name: string, of: (one: ExactDecimal, other: ExactDecimal) => ExactDecimal, cases: string]>([
  ['times', times, '12.3 0.3048 3.74904, 0.1 3 0.3, -2.50 2 -5, 0 -4.2 0'],
  ['times', times, '123456789012345678901234567890 10 1234567890123456789012345678900'],
  ['plus', plus, '0.1 0.2 0.3, 20 273.15 293.15, 1.05 -1.05 0, -0.5 0.25 -0.25'],
  ['to places', places, '2.5 0 3, -2.5 0 -3, 2.4999 0 2, 1.005 2 1.01, -0.004 2 0, 3.10 1 3.1, 7 3 7, 9.99 1 10'],
])('MAP-54 %s: %s%s', (_, of, cases) => {
  for (const one of cases.split(', ')) {
    const [a = '', b = '', result] = one.split(' ');
    expect([one, exactText(of(exactDecimal(a), exactDecimal(b)))]).toEqual([one, result]);
  }
});

test('MAP-54 sums and products are those of whole numbers at any scale', () => {
  const parts = fc.tuple(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.nat(20));
  check(
    fc.property(parts, parts, ([a, scaleA], [b, scaleB]) => {
      const one = { units: a, scale: scaleA };
      const other = { units: b, scale: scaleB };
      const { units, scale } = exactDecimal(exactText(multiplied(one, other)));
      expect(units * 10n ** BigInt(scaleA + scaleB - scale)).toBe(a * b);
      const difference = added(added(one, other), { units: -b, scale: scaleB });
      expect(exactText(difference)).toBe(exactText(one));
    }),
  );
});
