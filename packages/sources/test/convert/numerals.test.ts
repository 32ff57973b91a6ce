/* Numbers in strings and sums of them, by the converters that read and make them. */
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { converted } from './converter-cases.ts';

const noNumber = 'problem: a number was expected';
const decimal = (value: unknown, marks?: object) => converted('decimal', value, marks);

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
  ...[0.1, 42, 8.81, 0.07, 1234567.89, 9999999.99, 10000000.01, -5.25, 1.005].map((value): [unknown, string] => [
    value,
    String(value),
  ]),
  [-0, '0'],
])('MAP-52 %j is the decimal %s', (value, text) => {
  expect(decimal(value)).toBe(text);
});

const noNumbers = '| |.|-|e5|.e5|1e|1,5|1.234,5|0x10|1_000|12 m|NaN|Infinity|１２'.split('|');

test.each([...noNumbers, Number.NaN, 1 / 0, true, null, undefined, [[]], {}])('MAP-52 %j is no number', (value) => {
  expect(decimal(value)).toBe(noNumber);
});

const comma = { mark: ',', thousands: '.' };

/** Texts by the marks of a mapping: what they are read as, and what is refused. */
test.each<[marks: object, numbers: Readonly<Record<string, string>>, refused: string]>([
  [{ mark: ',' }, { '1,5': '1.5', '-1000,25': '-1000.25', 7: '7', '1,5e1': '15' }, '1.5|1.234,5|1,2,3'],
  [comma, { '1.234,5': '1234.5', '-1.234.567': '-1234567', '12,5': '12.5', '1234,5': '1234.5' }, '1.5|1,234.5'],
  [comma, { ',5': '0.5', '1.000': '1000' }, '1234.567|12.34,5|.234|1.|1..234|1.234,567.8'],
  [{ thousands: ',' }, { '1,234.50': '1234.50', '1,234,567': '1234567' }, '12,34|1.234,5'],
  [{ ...comma, thousands: ' ' }, { '1 234,5': '1234.5', '1\u{a0}234': '1234', '1\u{202f}234': '1234' }, '1  234'],
  [{ thousands: "'" }, { "1'234.5": '1234.5', '1’234': '1234' }, "1'23"],
])('MAP-52 by the marks %j the numbers %j are read, and no others', (marks, numbers, refused) => {
  for (const [text, read] of Object.entries(numbers)) {
    expect([text, decimal(text, marks)]).toEqual([text, read]);
    expect([text, converted('number', text, marks)]).toEqual([text, Number(read)]);
  }
  for (const text of refused.split('|')) expect([text, decimal(text, marks)]).toEqual([text, noNumber]);
});

test('MAP-52 whole numbers have marks of thousands too', () => {
  expect(converted('integer', '12.345', comma)).toBe('12345');
  expect(converted('integer', '12.345,5', comma)).toBe('problem: a whole number was expected');
});

test('MAP-81 a number in a string has a limit of characters, and its exponent one either way', () => {
  const longest = '1'.repeat(400);
  expect(decimal(longest)).toBe(longest);
  expect([decimal('1e400'), decimal('1e-400')].map((text) => (text as string).length)).toEqual([401, 402]);
  for (const beyond of [`${longest}1`, '1e401', '1e-401', '1e999999999999']) expect(decimal(beyond)).toBe(noNumber);
});

test('MAP-52 the decimal of any double, or of its text with an exponent or not, equals it, and has none', () => {
  const few = fc.tuple(fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }), fc.constantFrom(1, 10, 100, 1000));
  const short = few.map(([count, parts]) => count / parts);
  const double = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    short,
    short.map((value) => value + 0.05),
  );
  const exponential = (value: number) => value.toExponential();
  check(
    fc.property(double, fc.constantFrom<(value: number) => unknown>(Number, String, exponential), (value, write) => {
      const text = decimal(write(value));
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Number(text) + 0).toBe(value + 0);
      if (write === Number && !String(value).includes('e')) expect(text).toBe(String(value));
    }),
  );
});

test.each<[name: string, cases: string]>([
  ['multiply', '12.3 0.3048 3.74904, 0.1 3 0.3, -2.50 2 -5, 0 -4.2 0'],
  ['multiply', '123456789012345678901234567890 10 1234567890123456789012345678900'],
  ['add', '0.1 0.2 0.3, 20 273.15 293.15, 1.05 -1.05 0, -0.5 0.25 -0.25'],
  ['round', '2.5 0 3, -2.5 0 -3, 2.4999 0 2, 1.005 2 1.01, -0.004 2 0, 3.10 1 3.1, 7 3 7, 9.99 1 10'],
])('MAP-52 %s: %s', (name, cases) => {
  for (const one of cases.split(', ')) {
    const [value, argument, result] = one.split(' ');
    expect([one, converted(name, value, Number(argument))]).toEqual([one, result]);
  }
});

test('MAP-52 sums and products are those of whole numbers at any scale', () => {
  const parts = fc.tuple(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.nat(20));
  const placesOf = (text: string) => text.split('.')[1]?.length ?? 0;
  const unitsAt = (text: string, scale: number) =>
    BigInt(text.replace('.', '')) * 10n ** BigInt(scale - placesOf(text));
  check(
    fc.property(parts, parts, ([a, scaleA], [b, scaleB]) => {
      const [one, other] = [`${a}e-${scaleA}`, `${b}e-${scaleB}`];
      const scale = scaleA + scaleB;
      expect(unitsAt(converted('multiply', one, other) as string, scale)).toBe(a * b);
      const sum = a * 10n ** BigInt(scaleB) + b * 10n ** BigInt(scaleA);
      expect(unitsAt(converted('add', one, other) as string, scale)).toBe(sum);
    }),
  );
});
