import { expect, test } from 'vitest';
import { MIN_POLL_GAP_MS, planPoll, pullLagBound } from '../src/index.ts';

test('MAL-37 the least bound of pull is the shortest gap, a read, and what a copy hides', () => {
  expect(pullLagBound({ readMs: 50 })).toBe(MIN_POLL_GAP_MS + 50);
  expect(pullLagBound({ readMs: 50, hiddenAgeMs: 1000 })).toBe(MIN_POLL_GAP_MS + 1050);
});

test('MAL-37 a MAL of the least bound of pull is kept, one below it is not', () => {
  const room = { readMs: 50, hiddenAgeMs: 1000 };
  const leastMs = pullLagBound(room);
  for (const malMs of [leastMs, leastMs - 1]) {
    expect(planPoll({ ...room, malMs, readAtMs: 0, phase: 0.5 }).lagBoundMs).toBe(leastMs);
  }
});
