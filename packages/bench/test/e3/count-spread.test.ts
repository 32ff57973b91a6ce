import { expect, test } from 'vitest';
import { countSpread } from '../../src/e3/count-spread.ts';

test('the median of two numbers of connections is whole', () => {
  expect(countSpread([2, 1])).toEqual({ median: 1, min: 1, max: 2, repeats: 2 });
  expect(countSpread([16, 29, 20])).toEqual({ median: 20, min: 16, max: 29, repeats: 3 });
  expect(countSpread([])).toBeUndefined();
});
