import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { decimalText } from '../../src/gtfs-rt/decimal-text.ts';

test.each([
  [47.636154, '47.636154'],
  [42.34006, '42.34006'],
  [0.051444, '0.051444'],
  [-122.370354, '-122.37035'],
  [0, '0'],
  [-0, '0'],
  [5, '5'],
  [0.1, '0.1'],
  [16777216, '16777216'],
  [1e-7, '0.0000001'],
  [-1.5e-10, '-0.00000000015'],
  [1e30, `1${'0'.repeat(30)}`],
  [3.4028235e38, `34028235${'0'.repeat(31)}`],
  [2 ** -149, `0.${'0'.repeat(44)}1`],
])('GTFS-20 the 32-bit float nearest to %d is printed %s', (value, text) => {
  expect(decimalText(Math.fround(value), 'float')).toBe(text);
});

test.each([
  [1.7976931348623157e308, `17976931348623157${'0'.repeat(292)}`],
  [5e-324, `0.${'0'.repeat(323)}5`],
  [12345.678, '12345.678'],
])('GTFS-20 the 64-bit float %d is printed in full', (value, text) => {
  expect(decimalText(value, 'double')).toBe(text);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('GTFS-20 %d is not printed', (value) => {
  expect(decimalText(value, 'float')).toBeUndefined();
  expect(decimalText(value, 'double')).toBeUndefined();
});

test('GTFS-20 any 32-bit float reads back the same, is an xsd:decimal, and no shorter one does', () => {
  const float = fc.float({ noNaN: true, noDefaultInfinity: true });
  check(
    fc.property(float, (value) => {
      const text = decimalText(value, 'float') as string;
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Math.fround(Number(text)) + 0).toBe(value + 0);
      const digits = text.replace(/^-?0*\.?0*|\.|-/g, '').replace(/0+$/, '').length;
      if (digits > 1) expect(Math.fround(Number(value.toPrecision(digits - 1)))).not.toBe(value);
    }),
  );
});

test('GTFS-20 any 64-bit float reads back the same', () => {
  check(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = decimalText(value, 'double') as string;
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Number(text) + 0).toBe(value + 0);
    }),
  );
});
