import { LONGEST_RETRY_AFTER_MS } from '@ldes-live/latency';
import { expect, test } from 'vitest';
import {
  firstPollMs,
  MAX_BACKOFF_INTERVALS,
  MAX_BACKOFF_MS,
  MAX_JITTER_MS,
  MAX_OFFSET_MS,
  nextPollMs,
  type PollCircumstances,
} from '../src/poll-schedule.ts';

const FIRST = 1_000_000;

function next(overrides: Partial<PollCircumstances>): number {
  const lastMs = overrides.lastMs ?? FIRST;
  const usual = { intervalMs: 20_000, firstMs: FIRST, lastMs, nowMs: lastMs + 100, failures: 0, random: 0 };
  return nextPollMs({ ...usual, ...overrides }) - FIRST;
}

test('the first poll is put off by less than a second, or an interval if that is less', () => {
  expect(firstPollMs(500, 20_000, 0)).toBe(500);
  expect(firstPollMs(500, 20_000, 0.999)).toBe(500 + MAX_OFFSET_MS - 1);
  expect(firstPollMs(500, 100, 0.5)).toBe(550);
});

test('GTFS-41 polls do not drift, however long each takes and whatever its jitter', () => {
  let lastMs = FIRST;
  for (let slot = 1; slot <= 1000; slot += 1) {
    lastMs = FIRST + next({ lastMs, nowMs: lastMs + ((slot * 7919) % 18_000), random: ((slot * 31) % 100) / 100 });
    expect(lastMs - FIRST - slot * 20_000).toBeGreaterThanOrEqual(0);
    expect(lastMs - FIRST - slot * 20_000).toBeLessThan(MAX_JITTER_MS);
  }
});

test('GTFS-41 jitter is a twentieth of the interval at most, and a second at most', () => {
  expect(next({ random: 0.99999 })).toBe(20_999);
  expect(next({ intervalMs: 2000, random: 0.99999 })).toBe(2099);
  expect(next({ intervalMs: 600_000, random: 0.99999 })).toBe(600_000 + MAX_JITTER_MS - 1);
});

test('GTFS-41 a poll that took longer than the interval is followed by the next slot to come', () => {
  expect(next({ nowMs: FIRST + 20_000 })).toBe(20_000);
  expect(next({ nowMs: FIRST + 20_001 })).toBe(40_000);
  expect(next({ nowMs: FIRST + 95_000 })).toBe(100_000);
});

test('GTFS-41 failures wait for 1, 2, 4 and at most 8 intervals', () => {
  const waits = [0, 1, 2, 3, 4, 5, 60, 5000].map((failures) => next({ failures }) / 20_000);
  expect(waits).toEqual([1, 1, 2, 4, 8, 8, 8, MAX_BACKOFF_INTERVALS]);
});

test('GTFS-41 failures wait for 5 minutes at most, and never less than the interval', () => {
  expect(next({ intervalMs: 60_000, failures: 9 })).toBe(MAX_BACKOFF_MS);
  expect(next({ intervalMs: 45_000, failures: 9 })).toBe(6 * 45_000);
  expect(next({ intervalMs: MAX_BACKOFF_MS, failures: 9 })).toBe(MAX_BACKOFF_MS);
  expect(next({ intervalMs: 3_600_000, failures: 9 })).toBe(3_600_000);
});

test('GTFS-41 Retry-After is respected up to an hour, and never makes polls faster', () => {
  expect(next({ failures: 1, retryAfterMs: 30_000, nowMs: FIRST + 10_000 })).toBe(40_000);
  expect(next({ failures: 1, retryAfterMs: 30_001, nowMs: FIRST + 10_000 })).toBe(60_000);
  expect(next({ failures: 1, retryAfterMs: 1 })).toBe(20_000);
  expect(next({ failures: 4, retryAfterMs: 30_000 })).toBe(160_000);
  const asked = (retryAfterMs: number) => next({ intervalMs: 1, failures: 1, retryAfterMs, nowMs: FIRST });
  expect(asked(LONGEST_RETRY_AFTER_MS - 1)).toBe(LONGEST_RETRY_AFTER_MS - 1);
  expect(asked(LONGEST_RETRY_AFTER_MS)).toBe(LONGEST_RETRY_AFTER_MS);
  expect(asked(LONGEST_RETRY_AFTER_MS + 1)).toBe(LONGEST_RETRY_AFTER_MS);
  expect(asked(1e12)).toBe(LONGEST_RETRY_AFTER_MS);
});

test('a clock that was set back by an hour does not stop polling for an hour', () => {
  const lastMs = FIRST + 100 * 20_000;
  const nowMs = FIRST + 10 * 20_000 + 100;
  expect(next({ lastMs, nowMs })).toBe(11 * 20_000);
});

test('a wait that ended a little early does not repeat its slot', () => {
  expect(next({ lastMs: FIRST + 20_000, nowMs: FIRST + 19_998 })).toBe(40_000);
});
