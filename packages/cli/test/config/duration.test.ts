import { expect, test } from 'vitest';
import { parseDuration } from '../../src/config/duration.ts';

test.each([
  ['500ms', 500],
  ['20s', 20_000],
  ['15m', 900_000],
  ['1h', 3_600_000],
  ['7d', 604_800_000],
  ['0.5d', 43_200_000],
  ['1.5s', 1500],
  ['1.005s', 1005],
  ['0.001s', 1],
  ['1.001m', 60_060],
  ['0s', 0],
])('%s is %i milliseconds', (text, durationMs) => {
  expect(parseDuration(text)).toBe(durationMs);
});

test.each([
  '',
  '20',
  's',
  '20 s',
  '-1s',
  '+1s',
  '1e3s',
  '20S',
  '1w',
  '1.s',
  '.5s',
  '1.2345s',
  '1.5ms',
  '20sec',
  '1234567890s',
])('"%s" is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
