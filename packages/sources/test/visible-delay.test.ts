import { expect, test } from 'vitest';
import {
  FIRST_VISIBLE_DELAY_MS,
  VISIBLE_DELAY_MARGIN_MS,
  VISIBLE_DELAY_SAMPLES,
  visibleDelayMs,
} from '../src/visible-delay.ts';

/** So many updates that took 100 ms each. */
const usual = (count: number): number[] => Array.from({ length: count }, () => 100);

test('GTFS-42 before any measurement it is a second', () => {
  expect(visibleDelayMs([])).toBe(FIRST_VISIBLE_DELAY_MS);
});

test('GTFS-42 it is the upper quartile by nearest rank and 10 ms more, rounded up', () => {
  expect(visibleDelayMs([0])).toBe(VISIBLE_DELAY_MARGIN_MS);
  expect(visibleDelayMs([300, 100, 200])).toBe(310);
  expect(visibleDelayMs([400, 100, 300, 200])).toBe(310);
  expect(visibleDelayMs([8, 7, 6, 5, 4, 3, 2, 1])).toBe(16);
  expect(visibleDelayMs([100.2])).toBe(111);
});

test('GTFS-42 one slow poll changes nothing, wherever it stands, nor do two of eight; three do', () => {
  for (let place = 0; place < VISIBLE_DELAY_SAMPLES; place += 1) {
    expect(visibleDelayMs(usual(VISIBLE_DELAY_SAMPLES).with(place, 9000))).toBe(110);
  }
  expect(visibleDelayMs([...usual(6), 9000, 9000])).toBe(110);
  expect(visibleDelayMs([...usual(5), 9000, 9000, 9000])).toBe(9010);
});

test('GTFS-42 only the last eight count', () => {
  expect(visibleDelayMs([9000, 9000, 9000, ...usual(5)])).toBe(9010);
  expect(visibleDelayMs([9000, 9000, 9000, ...usual(6)])).toBe(110);
});
