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
import { STATED_MARGIN_MS, type StatedTimes, statedIntervalMs, statedPollMs } from '../src/stated-poll.ts';
import {
  FIRST_VISIBLE_DELAY_MS,
  VISIBLE_DELAY_MARGIN_MS,
  VISIBLE_DELAY_SAMPLES,
  visibleDelayMs,
} from '../src/visible-delay.ts';

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

const START = 1_000_000_000;
const HOUR = 3_600_000;

/** When to poll after the poll, milliseconds from its beginning. */
function waitMs(times: Partial<StatedTimes>): number {
  const usual = { documentMs: START - 10_000, ttlMs: 60_000, startedAtMs: START, nowMs: START + 200 };
  return statedPollMs({ ...usual, leastMs: 5000, mostMs: HOUR, random: 0, ...times }) - START;
}

test('SRC-19 a document is polled a second after its span', () => {
  expect(waitMs({})).toBe(50_000 + STATED_MARGIN_MS);
  expect(waitMs({ documentMs: undefined })).toBe(60_000 + STATED_MARGIN_MS);
});

test('SRC-19 a document of a time to come is taken to be of the present', () => {
  expect(waitMs({ documentMs: START + 3_600_000 })).toBe(60_000 + STATED_MARGIN_MS);
});

test('SRC-19 one whose span has passed is polled a quarter of it after the poll', () => {
  expect(waitMs({ documentMs: START - 61_000 })).toBe(15_000);
  expect(waitMs({ documentMs: START - 60_800 })).toBe(15_000);
  expect(waitMs({ documentMs: START - 60_799, leastMs: 1 })).toBe(201);
  expect(waitMs({ documentMs: START - 54_000 })).toBe(6000 + STATED_MARGIN_MS);
  expect(waitMs({ documentMs: 0 })).toBe(15_000);
});

test('SRC-20 no poll comes sooner than leastMs after the one before, or later than mostMs', () => {
  expect(waitMs({ documentMs: START - 59_000 })).toBe(5000);
  expect(waitMs({ ttlMs: 0 })).toBe(5000);
  expect(waitMs({ ttlMs: 0, nowMs: START + 9000 })).toBe(9000);
  expect(waitMs({ documentMs: undefined, ttlMs: 1e15 })).toBe(HOUR + STATED_MARGIN_MS);
  expect(statedIntervalMs(4999, 5000, HOUR)).toBe(5000);
  expect(statedIntervalMs(5001, 5000, HOUR)).toBe(5001);
  expect(statedIntervalMs(HOUR - 1, 5000, HOUR)).toBe(HOUR - 1);
  expect(statedIntervalMs(HOUR + 1, 5000, HOUR)).toBe(HOUR);
});

test('a poll is put off by a twentieth of the span at most, and a second at most', () => {
  expect(waitMs({ random: 0.999999 }) - waitMs({})).toBe(999);
  const short = { ttlMs: 10_000, documentMs: undefined };
  expect(waitMs({ ...short, random: 0.999999 }) - waitMs(short)).toBe(499);
});

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
