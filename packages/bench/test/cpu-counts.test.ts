import { expect, test } from 'vitest';
import { readCpuCounts, thisCpuCounts, withheldShare } from '../src/cpu-counts.ts';

test('what was wanted is all but idleness, and what was withheld is a part of it', () => {
  const stat = 'cpu  100 1 50 9000 800 2 3 40 0 0\ncpu0 50 0 25 4500 400 1 1 20 0 0\n';
  expect(readCpuCounts(stat)).toEqual({ wanted: 196, withheld: 40 });
});

test.each(['', 'intr 5', 'cpu  1 2 3'])('"%s" tells nothing', (stat) => {
  expect(readCpuCounts(stat)).toBeUndefined();
});

test('the share is that of the time between', () => {
  expect(withheldShare({ wanted: 100, withheld: 50 }, { wanted: 200, withheld: 60 })).toBe(0.1);
  expect(withheldShare({ wanted: 100, withheld: 50 }, { wanted: 100, withheld: 50 })).toBe(0);
});

test('this machine wants more as time goes by', () => {
  const counts = thisCpuCounts();
  expect(counts === undefined || counts.wanted >= counts.withheld).toBe(true);
});
