import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { converted } from './converting.ts';

const decimal = (value: unknown, mark = '.') => converted('decimal', value, { mark });
const noNumber = 'problem: a number was expected';

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
  expect(decimal(value)).toBe(text);
});

const noNumbers = '| |.|-|e5|.e5|1e|1,5|1.234,5|0x10|1_000|12 m|NaN|Infinity|１２'.split('|');

test.each([...noNumbers, Number.NaN, 1 / 0, true, null, undefined, [[]], {}])('MAP-52 %j is no number', (value) => {
  expect(decimal(value)).toBe(noNumber);
});

test('MAP-52 with a comma as mark, a point is none', () => {
  const numbers = { '1,5': '1.5', '-1000,25': '-1000.25', 7: '7', '1,5e1': '15' };
  for (const [value, text] of Object.entries(numbers)) expect(decimal(value, ',')).toBe(text);
  for (const value of ['1.5', '1.234,5', '1,2,3']) expect(decimal(value, ',')).toBe(noNumber);
});

test.each<[marks: object, numbers: Readonly<Record<string, string | undefined>>]>([
  [
    { mark: ',', thousands: '.' },
    { '1.234,5': '1234.5', '-1.234.567': '-1234567', '12,5': '12.5', '1234,5': '1234.5', ',5': '0.5', '1.000': '1000' },
  ],
  [
    { mark: ',', thousands: '.' },
    { '1.5': undefined, '1,234.5': undefined, '1234.567': undefined, '12.34,5': undefined },
  ],
  [
    { mark: ',', thousands: '.' },
    { '.234': undefined, '1.': undefined, '1..234': undefined, '1.234,567.8': undefined },
  ],
  [{ thousands: ',' }, { '1,234.50': '1234.50', '1,234,567': '1234567', '12,34': undefined, '1.234,5': undefined }],
  [
    { thousands: ' ', mark: ',' },
    { '1 234,5': '1234.5', '1\u{a0}234': '1234', '1\u{202f}234': '1234', '1  234': undefined },
  ],
  [{ thousands: "'" }, { "1'234.5": '1234.5', '1’234': '1234' }],
])('MAP-102 by the marks %j the numbers %j are read, and no others', (marks, numbers) => {
  for (const [text, read] of Object.entries(numbers)) {
    expect([text, converted('decimal', text, marks)]).toEqual([text, read ?? noNumber]);
    expect([text, converted('number', text, marks)]).toEqual([text, read === undefined ? noNumber : Number(read)]);
  }
});

test('MAP-102 whole numbers have marks of thousands too', () => {
  expect(converted('integer', '12.345', { mark: ',', thousands: '.' })).toBe('12345');
  expect(converted('integer', '12.345,5', { mark: ',', thousands: '.' })).toBe('problem: a whole number was expected');
  expect(converted('integer', '12.345')).toBe('problem: a whole number was expected');
});

test('MAP-81 a number in a string has a limit of characters', () => {
  const longest = '1'.repeat(400);
  expect(decimal(longest)).toBe(longest);
  expect(decimal(`${longest}1`)).toBe(noNumber);
});

test('MAP-81 the exponent of a number in a string has a limit either way', () => {
  expect(decimal('1e400')).toHaveLength(401);
  expect(decimal('1e-400')).toHaveLength(402);
  for (const beyond of ['1e401', '1e-401', '1e999999999999']) expect(decimal(beyond)).toBe(noNumber);
});

const double = fc.double({ noNaN: true, noDefaultInfinity: true });

test('MAP-52 the decimal of any double reads back as it, without an exponent', () => {
  check(
    fc.property(double, (value) => {
      const text = decimal(value);
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
      const text = decimal(write(value));
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Number(text) + 0).toBe(value + 0);
    }),
  );
});

test('MAP-52 digits in a string stay as they are', () => {
  check(
    fc.property(fc.stringMatching(/^-?[0-9]{1,40}(\.[0-9]{1,40})?$/), (text) => {
      expect(decimal(text)).toBe(text);
    }),
  );
});

test('MAP-54 nothing added is the same number in the fewest digits', () => {
  check(
    fc.property(double, (value) => {
      expect(Number(converted('add', value, 0))).toBe(value + 0);
    }),
  );
});

test.each<[name: string, cases: string]>([
  ['multiply', '12.3 0.3048 3.74904, 0.1 3 0.3, -2.50 2 -5, 0 -4.2 0'],
  ['multiply', '123456789012345678901234567890 10 1234567890123456789012345678900'],
  ['add', '0.1 0.2 0.3, 20 273.15 293.15, 1.05 -1.05 0, -0.5 0.25 -0.25'],
])('MAP-54 %s: %s', (name, cases) => {
  for (const one of cases.split(', ')) {
    const [a, b, result] = one.split(' ');
    expect([one, converted(name, a, b)]).toEqual([one, result]);
  }
});

test('MAP-54 round goes to the nearest, and from the middle away from zero', () => {
  const cases = '2.5 0 3, -2.5 0 -3, 2.4999 0 2, 1.005 2 1.01, -0.004 2 0, 3.10 1 3.1, 7 3 7, 9.99 1 10';
  for (const one of cases.split(', ')) {
    const [value, places, result] = one.split(' ');
    expect([one, converted('round', value, Number(places))]).toEqual([one, result]);
  }
});

test('MAP-54 sums and products are those of whole numbers at any scale', () => {
  const parts = fc.tuple(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.nat(20));
  const shifted = (units: bigint, scale: number) => `${units}e-${scale}`;
  const unitsAt = (text: string, scale: number) =>
    BigInt(text.replace('.', '')) * 10n ** BigInt(scale - placesOf(text));
  const placesOf = (text: string) => text.split('.')[1]?.length ?? 0;
  check(
    fc.property(parts, parts, ([a, scaleA], [b, scaleB]) => {
      const [one, other] = [shifted(a, scaleA), shifted(b, scaleB)];
      const scale = scaleA + scaleB;
      expect(unitsAt(converted('multiply', one, other) as string, scale)).toBe(a * b);
      const sum = a * 10n ** BigInt(scaleB) + b * 10n ** BigInt(scaleA);
      expect(unitsAt(converted('add', one, other) as string, scale)).toBe(sum);
    }),
  );
});
