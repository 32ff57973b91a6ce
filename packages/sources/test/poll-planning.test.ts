import { MAX_RETRY_AFTER_MS } from '@ldes-live/latency';
import { expect, test } from 'vitest';
import {
  FIRST_VISIBLE_DELAY_MS,
  firstPollMs,
  MAX_BACKOFF_INTERVALS,
  MAX_BACKOFF_MS,
  MAX_JITTER_MS,
  MAX_OFFSET_MS,
  nextPollMs,
  type PollSlots,
  STATED_MARGIN_MS,
  type StatedTimes,
  statedIntervalMs,
  statedPollMs,
  VISIBLE_DELAY_MARGIN_MS,
  VISIBLE_DELAY_SAMPLES,
  visibleDelayMs,
} from '../src/polling/schedule.ts';

const FIRST = 1_000_000;

function next(overrides: Partial<PollSlots>): number {
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

const [INTERVAL, MOST] = [20_000, MAX_RETRY_AFTER_MS];
const asked = (retryAfterMs: number) => ({ intervalMs: 1, failures: 1, retryAfterMs, nowMs: FIRST });
const failed = (intervalMs: number) => ({ intervalMs, failures: 9 });
const late = { failures: 1, nowMs: FIRST + 10_000 };

/** When the next poll comes after the first, milliseconds. */
test.each<[id: string, slots: Partial<PollSlots>, waitMs: number]>([
  // Jitter is a twentieth of the interval at most, and a second at most.
  ['GTFS-41', { random: 0.99999 }, 20_999],
  ['GTFS-41', { intervalMs: 2000, random: 0.99999 }, 2099],
  ['GTFS-41', { intervalMs: 600_000, random: 0.99999 }, 600_000 + MAX_JITTER_MS - 1],
  // A poll that took longer than the interval is followed by the next slot to come.
  ['GTFS-41', { nowMs: FIRST + 20_000 }, 20_000],
  ['GTFS-41', { nowMs: FIRST + 20_001 }, 40_000],
  ['GTFS-41', { nowMs: FIRST + 95_000 }, 100_000],
  // Failures wait for 1, 2, 4 and at most 8 intervals.
  ...[0, 1, 2, 3, 4, 5, 60, 5000].map((failures, index): [string, Partial<PollSlots>, number] => {
    return ['GTFS-41', { failures }, [1, 1, 2, 4, 8, 8, 8, MAX_BACKOFF_INTERVALS][index]! * INTERVAL];
  }),
  // And for 5 minutes at most, and never less than the interval.
  ['GTFS-41', failed(60_000), MAX_BACKOFF_MS],
  ['GTFS-41', failed(45_000), 6 * 45_000],
  ['GTFS-41', failed(MAX_BACKOFF_MS), MAX_BACKOFF_MS],
  ['GTFS-41', failed(3_600_000), 3_600_000],
  // Retry-After is respected up to an hour, and never makes polls faster.
  ['GTFS-41', { ...late, retryAfterMs: 30_000 }, 40_000],
  ['GTFS-41', { ...late, retryAfterMs: 30_001 }, 60_000],
  ['GTFS-41', { failures: 1, retryAfterMs: 1 }, 20_000],
  ['GTFS-41', { failures: 4, retryAfterMs: 30_000 }, 160_000],
  ['GTFS-41', asked(MOST - 1), MOST - 1],
  ['GTFS-41', asked(MOST), MOST],
  ['GTFS-41', asked(MOST + 1), MOST],
  ['GTFS-41', asked(1e12), MOST],
  // A clock that was set back by half an hour does not stop polling for as long.
  ['GTFS-41', { lastMs: FIRST + 100 * INTERVAL, nowMs: FIRST + 10 * INTERVAL + 100 }, 11 * INTERVAL],
  // A wait that ended a little early does not repeat its slot.
  ['GTFS-41', { lastMs: FIRST + INTERVAL, nowMs: FIRST + 19_998 }, 40_000],
])('%s with %j the next poll comes after %s ms', (_, slots, waitMs) => {
  expect(next(slots)).toBe(waitMs);
});

const START = 1_000_000_000;
const HOUR = 3_600_000;

/** When to poll after the poll, milliseconds from its beginning. */
function waitMs(times: Partial<StatedTimes>): number {
  const usual = { documentMs: START - 10_000, ttlMs: 60_000, startedAtMs: START, nowMs: START + 200 };
  return statedPollMs({ ...usual, minMs: 5000, maxMs: HOUR, random: 0, ...times }) - START;
}

test.each<[id: string, times: Partial<StatedTimes>, ms: number]>([
  // A second after its span; a document of a time to come is taken to be of the present.
  ['SRC-19', {}, 50_000 + STATED_MARGIN_MS],
  ['SRC-19', { documentMs: undefined }, 60_000 + STATED_MARGIN_MS],
  ['SRC-19', { documentMs: START + 3_600_000 }, 60_000 + STATED_MARGIN_MS],
  // One whose span has passed, a quarter of it after the poll.
  ['SRC-19', { documentMs: START - 61_000 }, 15_000],
  ['SRC-19', { documentMs: START - 60_800 }, 15_000],
  ['SRC-19', { documentMs: START - 60_799, minMs: 1 }, 201],
  ['SRC-19', { documentMs: START - 54_000 }, 6000 + STATED_MARGIN_MS],
  ['SRC-19', { documentMs: 0 }, 15_000],
  // No sooner than minMs after the one before, and no later than maxMs.
  ['SRC-20', { documentMs: START - 59_000 }, 5000],
  ['SRC-20', { ttlMs: 0 }, 5000],
  ['SRC-20', { ttlMs: 0, nowMs: START + 9000 }, 9000],
  ['SRC-20', { documentMs: undefined, ttlMs: 1e15 }, HOUR + STATED_MARGIN_MS],
  // Put off by a twentieth of the span at most, and a second at most.
  ['SRC-20', { random: 0.999999 }, 50_000 + STATED_MARGIN_MS + 999],
  ['SRC-20', { ttlMs: 10_000, documentMs: undefined, random: 0.999999 }, 10_000 + STATED_MARGIN_MS + 499],
])('%s with %j a document is polled %s ms after the poll before', (_, times, ms) => {
  expect(waitMs(times)).toBe(ms);
});

test('SRC-20 what is stated is kept within minMs and maxMs', () => {
  const spans = [4999, 5001, HOUR - 1, HOUR + 1];
  expect(spans.map((ms) => statedIntervalMs(ms, 5000, HOUR))).toEqual([5000, 5001, HOUR - 1, HOUR]);
});

/** So many updates that took 100 ms each. */
const usual = (count: number): number[] => Array.from({ length: count }, () => 100);

const nines = (count: number): number[] => Array.from({ length: count }, () => 9000);

test.each<[samples: number[], ms: number]>([
  [[], FIRST_VISIBLE_DELAY_MS],
  // The upper quartile by nearest rank and 10 ms more, rounded up.
  [[0], VISIBLE_DELAY_MARGIN_MS],
  [[300, 100, 200], 310],
  [[400, 100, 300, 200], 310],
  [[8, 7, 6, 5, 4, 3, 2, 1], 16],
  [[100.2], 111],
  // One slow poll changes nothing, wherever it stands, nor do two of eight; three do.
  ...Array.from({ length: VISIBLE_DELAY_SAMPLES }, (_, place): [number[], number] => {
    return [usual(VISIBLE_DELAY_SAMPLES).with(place, 9000), 110];
  }),
  [[...usual(6), ...nines(2)], 110],
  [[...usual(5), ...nines(3)], 9010],
  // Only the last eight count.
  [[...nines(3), ...usual(5)], 9010],
  [[...nines(3), ...usual(6)], 110],
])('GTFS-42 after updates that took %j ms the delay is %s ms', (samples, ms) => {
  expect(visibleDelayMs(samples)).toBe(ms);
});
