import { expect, test } from 'vitest';
import { spread } from '../src/spread.ts';

test('a spread has the middle, the least and the greatest of what was measured', () => {
  expect(spread([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3, repeats: 3 });
  expect(spread([4, 1, 2, 3])).toEqual({ median: 2.5, min: 1, max: 4, repeats: 4 });
  expect(spread([7])).toEqual({ median: 7, min: 7, max: 7, repeats: 1 });
});
