import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { backoffMs, MAX_RETRY_AFTER_MS, retryAfterMs } from '../src/retry.ts';
import { phases } from './simulation.ts';

const limits = { baseMs: 500, maxMs: 30_000 };

test('MAL-12 every wait is positive, grows to its cap, and half of it is random', () => {
  check(
    fc.property(fc.integer({ min: 1, max: 2000 }), phases, (attempt, random) => {
      const wait = backoffMs({ ...limits, attempt, random });
      const longest = Math.min(limits.maxMs, limits.baseMs * 2 ** (attempt - 1));
      expect(wait).toBeGreaterThanOrEqual(longest / 2);
      expect(wait).toBeLessThanOrEqual(longest);
    }),
  );
});

test.each([
  [60_000, 0, 60_000],
  [60_000, 0.5, 75_000],
  [MAX_RETRY_AFTER_MS - 1, 0, MAX_RETRY_AFTER_MS - 1],
  [MAX_RETRY_AFTER_MS, 0, MAX_RETRY_AFTER_MS],
  [MAX_RETRY_AFTER_MS + 1, 0, MAX_RETRY_AFTER_MS],
  [9_999_999_999_000, 0.5, MAX_RETRY_AFTER_MS * 1.25],
])('MAL-12 Retry-After of %d ms, up to an hour, is a lower bound that %d spreads upwards', (asked, random, waitMs) => {
  expect(backoffMs({ ...limits, attempt: 1, random, retryAfterMs: asked })).toBe(waitMs);
});

const NOW = Date.UTC(2024, 1, 8, 13);

test.each([
  ['0', 0],
  ['120', 120_000],
  ['99999999999', 99_999_999_999_000],
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ['Thu, 08 Feb 2024 13:00:05 GMT', 5000],
  ['Thursday, 08-Feb-24 13:00:05 GMT', 5000],
  ['Thu Feb  8 13:00:05 2024 GMT', 5000],
  ['Thu, 08 Feb 2024 12:59:00 GMT', 0],
  ['-5', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['', undefined],
  [null, undefined],
])('MAL-12 "%s" is %s ms', (value, expected) => {
  expect(retryAfterMs(value, NOW)).toBe(expected);
});
