import { expect, test } from 'vitest';
import { dateTimeText, durationText } from '../../src/gtfs-rt/wire-time.ts';

test.each([
  [1, '1970-01-01T00:00:01Z'],
  [1_630_596_690, '2021-09-02T15:31:30Z'],
  [253_402_300_799, '9999-12-31T23:59:59Z'],
])('GTFS-19 %d seconds are %s', (seconds, text) => {
  expect(dateTimeText(seconds)).toBe(text);
});

test.each([0, -1, 253_402_300_800, 1_699_405_500_000, Number.MAX_SAFE_INTEGER])('GTFS-19 %d is no time', (seconds) => {
  expect(dateTimeText(seconds)).toBeUndefined();
});

test.each([
  [60, 'PT60S'],
  [0, 'PT0S'],
  [-90, '-PT90S'],
])('GTFS-16 %d seconds last %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
