import { expect, test } from 'vitest';
import { retryAfterMs } from '../src/retry-after.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

test.each([
  ['0', 0],
  ['120', 120_000],
  ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
  ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ['soon', undefined],
  ['-5 s', undefined],
  [null, undefined],
])('%s', (field, expected) => {
  expect(retryAfterMs(field, NOW)).toBe(expected);
});
