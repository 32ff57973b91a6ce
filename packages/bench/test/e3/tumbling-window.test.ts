import { describe, expect, test } from 'vitest';
import { TumblingWindows } from '../../src/e3/tumbling-window.ts';

describe('TumblingWindows', () => {
  test('sums up what lies in each window', () => {
    const windows = new TumblingWindows(10, 5);
    for (const [instant, value] of [
      [0, 1],
      [9, 3],
      [10, 7],
      [25, 5],
    ] as const)
      windows.add(instant, value);
    expect(windows.summaries).toEqual([
      { start: 0, count: 2, mean: 2, min: 1, max: 3 },
      { start: 10, count: 1, mean: 7, min: 7, max: 7 },
      { start: 20, count: 1, mean: 5, min: 5, max: 5 },
    ]);
  });

  test('counts a late value in the window that it belongs to', () => {
    const windows = new TumblingWindows(10, 5);
    for (const instant of [5, 25, 7, 15]) windows.add(instant, 1);
    expect(windows.summaries.map(({ start, count }) => [start, count])).toEqual([
      [0, 2],
      [10, 1],
      [20, 1],
    ]);
  });

  test('keeps the newest windows, and takes nothing for one that is gone', () => {
    const windows = new TumblingWindows(10, 2);
    for (const instant of [5, 15, 25, 6]) windows.add(instant, 1);
    expect(windows.summaries.map(({ start, count }) => [start, count])).toEqual([
      [10, 1],
      [20, 1],
    ]);
  });
});
