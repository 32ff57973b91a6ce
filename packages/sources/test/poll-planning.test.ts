import { MAX_RETRY_AFTER_MS } from '@ldes-live/latency';
import { expect, test } from 'vitest';
import { errors } from '../src/errors.ts';
import {
  FIRST_VISIBLE_DELAY_MS,
  MAX_BACKOFF_MS,
  type PollInterval,
  PollSchedule,
  STATED_MARGIN_MS,
  VISIBLE_DELAY_MARGIN_MS,
  VISIBLE_DELAY_SAMPLES,
} from '../src/polling/schedule.ts';

const FIRST = 1_000_000_000;
const HOUR = 3_600_000;
const INTERVAL = 20_000;

/** A schedule whose first poll was planned for `FIRST`, and the world that it sees. */
function begun(interval: PollInterval) {
  const world = { nowMs: FIRST, random: 0 };
  const schedule = new PollSchedule(interval, { clock: () => world.nowMs, random: () => world.random });
  schedule.begin();
  return { schedule, world };
}

const good = { kind: 'unchanged', state: {} } as const;
const failed = (retryAfterMs?: number) => {
  const asked = retryAfterMs === undefined ? {} : { retryAfterMs };
  const error = errors.ERR_FEED_STATUS({ url: 'http://feed.example/a', status: 503, ...asked });
  return { kind: 'failed', error, state: {} } as const;
};

/** What the next poll depends on. */
interface Given extends Partial<PollInterval> {
  /** How many polls failed in a row. */
  readonly failures?: number;
  /** When the last poll was planned, and how long after that it was over; milliseconds after the first. */
  readonly last?: number;
  readonly over?: number;
  readonly retryAfterMs?: number;
  readonly random?: number;
  /** When the document was made, milliseconds after the poll, and for how long it holds. */
  readonly madeMs?: number | undefined;
  readonly ttlMs?: number;
}

/** How long after the plan of the last poll the next one is planned, milliseconds; and the schedule. */
function planned({ failures = 0, last = 0, over = 100, retryAfterMs, random = 0, madeMs, ttlMs, ...given }: Given) {
  const interval = { intervalMs: INTERVAL, ...given };
  const { schedule, world } = begun(interval);
  let lastMs = FIRST;
  if (last > 0) {
    world.nowMs = FIRST + last - interval.intervalMs;
    lastMs = schedule.after(good, world.nowMs);
  }
  for (let failure = 1; failure < failures; failure += 1) {
    world.nowMs = lastMs;
    lastMs = schedule.after(failed(), lastMs);
  }
  Object.assign(world, { nowMs: lastMs + over, random });
  const accepted = { ttlMs, headerMs: madeMs === undefined ? undefined : lastMs + madeMs };
  const result = failures > 0 ? failed(retryAfterMs) : { ...good, state: { accepted } };
  return { waitMs: schedule.after(result, lastMs) - lastMs, schedule: schedule.schedule() };
}

test.each([
  [INTERVAL, 0, 0],
  [INTERVAL, 0.999, 999],
  [100, 0.5, 50],
])('with an interval of %s ms and %s by chance the first poll is put off by %s ms', (intervalMs, random, ms) => {
  expect(new PollSchedule({ intervalMs }, { clock: () => 500, random: () => random }).begin()).toBe(500 + ms);
});

test('GTFS-41 polls do not drift, however long each takes and whatever its jitter', () => {
  const { schedule, world } = begun({ intervalMs: INTERVAL });
  let lastMs = FIRST;
  for (let slot = 1; slot <= 1000; slot += 1) {
    Object.assign(world, { nowMs: lastMs + ((slot * 7919) % 18_000), random: ((slot * 31) % 100) / 100 });
    lastMs = schedule.after(good, lastMs);
    expect(lastMs - FIRST - slot * INTERVAL).toBeGreaterThanOrEqual(0);
    expect(lastMs - FIRST - slot * INTERVAL).toBeLessThan(1000);
  }
});

const MOST = MAX_RETRY_AFTER_MS;
const asked = (retryAfterMs: number): Given => ({ intervalMs: 1, failures: 1, retryAfterMs, over: 0 });
const stated = (more: Given): Given => {
  const usual = { intervalMs: 1, minIntervalMs: 5000, maxIntervalMs: HOUR, over: 200 };
  return { ...usual, madeMs: -10_000, ttlMs: 60_000, ...more };
};
const late: Given = { failures: 1, over: 10_000 };

test.each<[id: string, given: Given, waitMs: number]>([
  // Jitter is a twentieth of the interval at most, and a second at most.
  ['GTFS-41', { random: 0.99999 }, 20_999],
  ['GTFS-41', { intervalMs: 2000, random: 0.99999 }, 2099],
  ['GTFS-41', { intervalMs: 600_000, random: 0.99999 }, 600_999],
  // A poll that took longer than the interval is followed by the next slot to come.
  ['GTFS-41', { over: 20_000 }, 20_000],
  ['GTFS-41', { over: 20_001 }, 40_000],
  ['GTFS-41', { over: 95_000 }, 100_000],
  // Failures wait for 1, 2, 4 and at most 8 intervals.
  ...[0, 1, 2, 3, 4, 5, 60, 5000].map((failures, index): [string, Given, number] => {
    return ['GTFS-41', { failures }, [1, 1, 2, 4, 8, 8, 8, 8][index]! * INTERVAL];
  }),
  // And for 5 minutes at most, and never less than an interval of as much.
  ['GTFS-41', { intervalMs: 60_000, failures: 9 }, MAX_BACKOFF_MS],
  ['GTFS-41', { intervalMs: 45_000, failures: 9 }, 6 * 45_000],
  ['GTFS-41', { intervalMs: MAX_BACKOFF_MS, failures: 9 }, MAX_BACKOFF_MS],
  // Retry-After is respected up to an hour, and never makes polls faster.
  ['GTFS-41', { ...late, retryAfterMs: 30_000 }, 40_000],
  ['GTFS-41', { ...late, retryAfterMs: 30_001 }, 60_000],
  ['GTFS-41', { ...late, retryAfterMs: 310_001 }, 340_000],
  ['GTFS-41', { failures: 1, retryAfterMs: 1 }, 20_000],
  ['GTFS-41', { failures: 4, retryAfterMs: 30_000 }, 160_000],
  ['GTFS-41', asked(MOST - 1), MOST - 1],
  ['GTFS-41', asked(MOST), MOST],
  ['GTFS-41', asked(MOST + 1), MOST],
  ['GTFS-41', asked(1e12), MOST],
  // A clock that was set back by half an hour does not stop polling for as long.
  ['GTFS-41', { last: 100 * INTERVAL, over: 100 - 90 * INTERVAL }, -89 * INTERVAL],
  // A wait that ended a little early does not repeat its slot.
  ['GTFS-41', { last: INTERVAL, over: -2 }, INTERVAL],
  // Of a document, a second after its span; one of a time to come is taken to be of the present.
  ['SRC-19', stated({}), 50_000 + STATED_MARGIN_MS],
  ['SRC-19', stated({ madeMs: undefined }), 60_000 + STATED_MARGIN_MS],
  ['SRC-19', stated({ madeMs: HOUR }), 60_000 + STATED_MARGIN_MS],
  // Of one whose span has passed, a quarter of it after the poll.
  ['SRC-19', stated({ madeMs: -61_000 }), 15_000],
  ['SRC-19', stated({ madeMs: -60_800 }), 15_000],
  ['SRC-19', stated({ madeMs: -60_799, minIntervalMs: 1 }), 201],
  ['SRC-19', stated({ madeMs: -54_000 }), 6000 + STATED_MARGIN_MS],
  ['SRC-19', stated({ madeMs: -FIRST }), 15_000],
  // No sooner than minIntervalMs after the one before, and no later than maxIntervalMs.
  ['SRC-19', stated({ madeMs: -59_000 }), 5000],
  ['SRC-19', stated({ ttlMs: 0 }), 5000],
  ['SRC-19', stated({ ttlMs: 0, over: 9000 }), 9000],
  ['SRC-19', stated({ madeMs: undefined, ttlMs: 1e15 }), HOUR + STATED_MARGIN_MS],
  // Put off by a twentieth of the span at most, and a second at most.
  ['SRC-19', stated({ random: 0.999999 }), 50_000 + STATED_MARGIN_MS + 999],
  ['SRC-19', stated({ ttlMs: 10_000, madeMs: undefined, random: 0.999999 }), 10_000 + STATED_MARGIN_MS + 499],
])('%s with %j the next poll comes after %s ms', (_, given, waitMs) => {
  expect(planned(given).waitMs).toBe(waitMs);
});

test.each([
  [4999, 5000],
  [5001, 5001],
  [HOUR - 1, HOUR - 1],
  [HOUR + 1, HOUR],
])('SRC-19 of a span of %s ms an interval of %s ms is told', (ttlMs, intervalMs) => {
  expect(planned(stated({ ttlMs })).schedule).toMatchObject({ intervalMs });
});

const rejected = { kind: 'rejected', state: {} } as const;
const MINUTE = 60_000;

/** How long each poll is waited for after the one before it, minutes. */
test.each<[minutes: number, polls: object[], waits: number[]]>([
  // Twice as long each time, until the interval is less.
  [360, Array.from({ length: 9 }, () => failed()), [5, 10, 20, 40, 80, 160, 320, 360, 360]],
  [12, [rejected, rejected, failed(), failed()], [5, 10, 12, 12]],
  [5, [rejected, rejected, failed(), failed()], [5, 5, 5, 5]],
  // Slots begin anew where it is, and so does the wait after a good poll.
  [360, [rejected, rejected, good, good, rejected], [5, 10, 360, 360, 5]],
  [360, [failed(7 * MINUTE), failed(7 * MINUTE)], [7, 10]],
])('GTFS-41 of an interval of %s min, what was not good is asked for again sooner: %#', (minutes, polls, waits) => {
  const { schedule, world } = begun({ intervalMs: minutes * MINUTE });
  const times = polls.map((result) => {
    world.nowMs = schedule.after(result as typeof good, world.nowMs);
    return world.nowMs;
  });
  expect(times.map((atMs, index) => (atMs - (times[index - 1] ?? FIRST)) / MINUTE)).toEqual(waits);
});

/** So many updates that took 100 ms each, or 9 seconds. */
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
  const { schedule } = begun({ intervalMs: INTERVAL });
  for (const sample of samples) schedule.updated(sample);
  expect(schedule.next?.visibleMs).toBe(FIRST + ms);
});
