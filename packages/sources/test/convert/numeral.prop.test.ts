import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { exactDecimal, exactText } from '../../src/convert/exact-decimal.ts';
import { numeral } from '../../src/convert/numeral.ts';

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
