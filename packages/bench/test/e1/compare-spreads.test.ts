import { expect, test } from 'vitest';
import { compareDelays, compareSpreads, slopeRange } from '../../src/e1/compare-spreads.ts';
import { spread } from '../../src/spread.ts';

test('figures are apart only where the ranges of their repeats do not touch', () => {
  expect(compareSpreads({ min: 1, max: 2 }, { min: 2.1, max: 3 })).toBe('less');
  expect(compareSpreads({ min: 1, max: 2 }, { min: 2, max: 3 })).toBe('undecided');
  expect(compareSpreads({ min: 3.1, max: 4 }, { min: 2, max: 3 })).toBe('more');
});

test('a delay that is not known is longer than any that is', () => {
  const known = { min: 1, max: 2 };
  expect(compareDelays(known, undefined)).toBe('less');
  expect(compareDelays(undefined, known)).toBe('more');
  expect(compareDelays(undefined, undefined)).toBe('undecided');
});

test('a slope has the range that those of its points leave it', () => {
  const { median, min, max } = slopeRange([
    { x: 0, y: spread([0, 1, 2]) },
    { x: 10, y: spread([9, 11, 13]) },
  ]);
  expect([median, min, max]).toEqual([expect.closeTo(1), expect.closeTo(0.7), expect.closeTo(1.3)]);
});
