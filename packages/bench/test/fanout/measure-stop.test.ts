import { expect, test } from 'vitest';
import { tenths } from '../../src/fanout/measure-stop.ts';

test('ends are counted in the tenth of the period that they lie in, and those after it apart', () => {
  expect(tenths([-1, 0, 99, 100, 999, 1000, 5000], 1000)).toEqual([3, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
});
