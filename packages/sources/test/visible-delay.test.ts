import { expect, test } from 'vitest';
import { FIRST_VISIBLE_DELAY_MS, VISIBLE_DELAY_SAMPLES, visibleDelayMs } from '../src/visible-delay.ts';

test('before any measurement it is a second', () => {
  expect(visibleDelayMs([])).toBe(FIRST_VISIBLE_DELAY_MS);
});

test('GTFS-42 it is the longest of the last eight, and a quarter and 20 ms more, rounded up', () => {
  expect(visibleDelayMs([0])).toBe(20);
  expect(visibleDelayMs([100, 200, 101])).toBe(270);
  expect(visibleDelayMs([101])).toBe(147);
  const older = [9000, ...Array.from({ length: VISIBLE_DELAY_SAMPLES }, () => 100)];
  expect(visibleDelayMs(older)).toBe(145);
  expect(visibleDelayMs(older.slice(0, -1))).toBe(11_270);
});
