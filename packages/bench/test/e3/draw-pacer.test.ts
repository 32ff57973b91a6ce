import { expect, test } from 'vitest';
import { DrawPacer } from '../../src/e3/draw-pacer.ts';

test('draws at most once in an interval, only what is new, and knows the longest gap', () => {
  const pacer = new DrawPacer(200);
  const due = [
    [0, false],
    [16, true],
    [33, true],
    [215, true],
    [216, true],
    [232, true],
    [433, false],
    [700, true],
  ] as const;
  expect(due.map(([nowMs, isNew]) => pacer.isDue(nowMs, isNew))).toEqual([
    false,
    true,
    false,
    false,
    true,
    false,
    false,
    true,
  ]);
  expect([pacer.draws, pacer.longestGapMs]).toEqual([3, 484]);
});
