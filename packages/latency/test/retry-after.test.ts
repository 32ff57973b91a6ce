import { expect, test } from 'vitest';
import { retryAfterMs } from '../src/retry-after.ts';

const NOW = Date.UTC(2024, 1, 8, 13);

test.each([
  ['0', 0],
  ['120', 120_000],
  ['Thu, 08 Feb 2024 13:00:05 GMT', 5000],
  ['Thursday, 08-Feb-24 13:00:05 GMT', 5000],
  ['Thu Feb  8 13:00:05 2024 GMT', 5000],
  ['Thu, 08 Feb 2024 12:59:00 GMT', 0],
  ['-5', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['', undefined],
  ['99999999999999', undefined],
])('"%s" is %s ms', (value, expected) => {
  expect(retryAfterMs(value, NOW)).toBe(expected);
});

test('no field asks for nothing', () => {
  expect(retryAfterMs(null, NOW)).toBeUndefined();
});
