import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { added, exactDecimal, exactText, multiplied, rounded } from '../../src/convert/exact-decimal.ts';

test.each<[string, string, string]>([
  ['12.3', '0.3048', '3.74904'],
  ['0.1', '3', '0.3'],
  ['-2.50', '2', '-5'],
  ['0', '-4.2', '0'],
  ['123456789012345678901234567890', '10', '1234567890123456789012345678900'],
])('MAP-54 %s times %s is %s', (a, b, product) => {
  expect(exactText(multiplied(exactDecimal(a), exactDecimal(b)))).toBe(product);
});

test.each<[string, string, string]>([
  ['0.1', '0.2', '0.3'],
  ['20', '273.15', '293.15'],
  ['1.05', '-1.05', '0'],
  ['-0.5', '0.25', '-0.25'],
])('MAP-54 %s and %s are %s', (a, b, sum) => {
  expect(exactText(added(exactDecimal(a), exactDecimal(b)))).toBe(sum);
});

test.each<[string, number, string]>([
  ['2.5', 0, '3'],
  ['-2.5', 0, '-3'],
  ['2.4999', 0, '2'],
  ['1.005', 2, '1.01'],
  ['-0.004', 2, '0'],
  ['3.10', 1, '3.1'],
  ['7', 3, '7'],
  ['9.99', 1, '10'],
])('MAP-54 %s to %d places is %s', (value, places, nearest) => {
  expect(exactText(rounded(exactDecimal(value), places))).toBe(nearest);
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
