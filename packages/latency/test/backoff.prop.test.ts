import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { backoffMs, LONGEST_RETRY_AFTER_MS } from '../src/index.ts';

const limits = { baseMs: 500, maxMs: 30_000 };

test('MAL-12 every wait is positive, grows to its cap, and half of it is random', () => {
  check(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (attempt, random) => {
        const wait = backoffMs({ ...limits, attempt, random });
        const longest = Math.min(limits.maxMs, limits.baseMs * 2 ** (attempt - 1));
        expect(wait).toBeGreaterThanOrEqual(longest / 2);
        expect(wait).toBeLessThanOrEqual(longest);
      },
    ),
  );
});

test('MAL-12 Retry-After is a lower bound, spread upwards', () => {
  expect(backoffMs({ ...limits, attempt: 1, random: 0, retryAfterMs: 60_000 })).toBe(60_000);
  expect(backoffMs({ ...limits, attempt: 1, random: 0.5, retryAfterMs: 60_000 })).toBe(75_000);
});

test('MAL-12 Retry-After is granted up to an hour, before it is spread', () => {
  const asked = (retryAfterMs: number, random = 0) => backoffMs({ ...limits, attempt: 1, random, retryAfterMs });
  expect(asked(LONGEST_RETRY_AFTER_MS - 1)).toBe(LONGEST_RETRY_AFTER_MS - 1);
  expect(asked(LONGEST_RETRY_AFTER_MS)).toBe(LONGEST_RETRY_AFTER_MS);
  expect(asked(LONGEST_RETRY_AFTER_MS + 1)).toBe(LONGEST_RETRY_AFTER_MS);
  expect(asked(9_999_999_999_000, 0.5)).toBe(LONGEST_RETRY_AFTER_MS * 1.25);
});
