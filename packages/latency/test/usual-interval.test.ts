import { expect, test } from 'vitest';
import { usualIntervalMs } from '../src/usual-interval.ts';

test.each([
  [1, 1],
  [0.2, 1],
  [1040, 1000],
  [19_400, 20_000],
  [24_000, 20_000],
  [25_000, 30_000],
  [58_000, 60_000],
  [890_000, 900_000],
  [90_000_000, 86_400_000],
  [10 ** 13, 365 * 86_400_000],
])('MAL-31 an interval of %d ms is stated as %d ms', (measuredMs, usualMs) => {
  expect(usualIntervalMs(measuredMs)).toBe(usualMs);
});

test('MAL-31 what is usual is stated as it is', () => {
  for (const intervalMs of [500, 5000, 15_000, 45_000, 300_000, 3_600_000, 604_800_000]) {
    expect(usualIntervalMs(intervalMs)).toBe(intervalMs);
  }
});
