import { check, Floors, fc, seeded } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import {
  freshness,
  LEARNED_COMMITS,
  learnSchedule,
  MICRO_CACHE_SECONDS,
  nextUpdate,
  type Schedule,
  ScheduleEstimator,
} from '../src/schedule.ts';
import { afterIntervals, seeds, timetabled } from './simulation.ts';

test('DOC-8 max-age is the whole seconds to the next update, rounded down', () => {
  const fresh = (atMs: number) => freshness({ state: 'predicted', atMs }, 10_000);
  expect(fresh(12_999)).toEqual({ maxAgeSeconds: 2, expiresMs: 12_999, nextUpdateMs: 12_999 });
  expect(fresh(10_999).maxAgeSeconds).toBe(0);
});

test('DOC-9 an unknown or overdue update is cached for a second and predicts nothing', () => {
  for (const state of ['unknown', 'overdue'] as const) {
    expect(freshness({ state }, 10_000)).toEqual({ maxAgeSeconds: MICRO_CACHE_SECONDS, expiresMs: 11_000 });
  }
});

test('DOC-8 no header reaches past the next update, and none lies in the past', () => {
  check(
    fc.property(fc.integer({ min: 0, max: 1e13 }), fc.integer({ min: 1, max: 1e9 }), (nowMs, aheadMs) => {
      const fresh = freshness({ state: 'predicted', atMs: nowMs + aheadMs }, nowMs);
      expect(nowMs + fresh.maxAgeSeconds * 1000).toBeLessThanOrEqual(nowMs + aheadMs);
      expect(fresh.expiresMs).toBeLessThanOrEqual(nowMs + aheadMs);
      expect(fresh.expiresMs).toBeGreaterThanOrEqual(nowMs);
    }),
  );
});

test('MAL-1 an interval predicts its next instant and is overdue once that has passed, an unknown one nothing', () => {
  const schedule = { kind: 'interval', intervalMs: 5000, nextMs: 10_000 } as const;
  expect(nextUpdate(schedule, 9999)).toEqual({ state: 'predicted', atMs: 10_000 });
  expect(nextUpdate(schedule, 10_000)).toEqual({ state: 'overdue' });
  expect(nextUpdate(schedule, 60_000)).toEqual({ state: 'overdue' });
  expect(nextUpdate({ kind: 'unknown' }, 0)).toEqual({ state: 'unknown' });
});

const unknown = { kind: 'unknown' };
const MINUTE = 60_000;
const everyMinute = (nextMs: number) => ({ kind: 'interval', intervalMs: MINUTE, nextMs });
const minutes = (count: number) => Array.from({ length: count }, (_, index) => index * MINUTE);

test('MAL-26 nothing is predicted until there are enough intervals', () => {
  for (const count of [0, 1, 12]) expect(learnSchedule(minutes(count), 12 * MINUTE)).toEqual(unknown);
  expect(learnSchedule(minutes(13), 12 * MINUTE)).toEqual(everyMinute(13 * MINUTE));
});

test('MAL-26 intervals that alternate between short and long are irregular', () => {
  const timesMs = minutes(40).map((timeMs, index) => timeMs + (index % 2) * 0.6 * MINUTE);
  expect(learnSchedule(timesMs, timesMs.at(-1) as number)).toEqual(unknown);
});

// How long after the start of the last update the next one is predicted once it can get no further commits.
function earliestMs(timesMs: readonly number[], startMs = timesMs.at(-1) as number): number | undefined {
  const schedule = learnSchedule(timesMs, startMs + MINUTE);
  return schedule.kind === 'interval' ? schedule.nextMs - startMs : undefined;
}

test('MAL-26 of 12 equal intervals one may be short, and not two', () => {
  const withShort = (...short: number[]) =>
    minutes(13).map((timeMs, index) => timeMs - 40_000 * short.filter((at) => at <= index).length);
  expect(learnSchedule(withShort(5), 12 * MINUTE)).toMatchObject({ intervalMs: MINUTE });
  expect([earliestMs(withShort(5)), earliestMs(withShort(5, 9))]).toEqual([20_000, undefined]);
});

test('while an update may get further commits it is due, and then the next one is predicted', () => {
  const timesMs = minutes(20).flatMap((timeMs) => [timeMs, timeMs + 2000]);
  const startMs = 19 * MINUTE;
  expect(learnSchedule(timesMs.slice(0, -1), startMs)).toMatchObject({ nextMs: startMs });
  expect(learnSchedule(timesMs, startMs + 2999)).toMatchObject({ nextMs: startMs + 2000 });
  expect(learnSchedule(timesMs, startMs + 3000)).toEqual(everyMinute(startMs + MINUTE));
});

test('where the next update may start before one has ended, nothing is predicted', () => {
  // Every update has a second commit, one of them nearly a tenth of the interval later; then one starts early.
  const timesMs = minutes(30).flatMap((timeMs, index) => [timeMs, timeMs + (index === 3 ? 5500 : 100)]);
  const startMs = 29 * MINUTE;
  expect(learnSchedule(timesMs, startMs + 8249)).toMatchObject({ nextMs: startMs + 100 });
  expect(learnSchedule(timesMs, startMs + 8250)).toMatchObject({ nextMs: startMs + MINUTE });
  const late = (ms: number) => timesMs.map((timeMs, index) => timeMs - (index >= 58 ? MINUTE - ms : 0));
  expect(earliestMs(late(8251), 28 * MINUTE + 8251)).toBe(8251);
  expect(earliestMs(late(8250), 28 * MINUTE + 8250)).toBeUndefined();
});

test('a clock that is set forward, or a night without updates, is no change of the interval', () => {
  const timesMs = minutes(40).map((timeMs, index) => timeMs + (index >= 30 ? 28_800_000 : 0));
  expect(learnSchedule(timesMs, timesMs.at(-1) as number)).toMatchObject({ intervalMs: MINUTE });
});

test('the interval that was is not stated any more once twelve of another have come', () => {
  const last = (times: number, count: number) => {
    const later = minutes(count + 1).map((timeMs) => 40 * MINUTE + times * timeMs);
    return learnSchedule([...minutes(40), ...later], later.at(-1) as number);
  };
  expect(last(30, 6)).toEqual(unknown);
  expect(last(30, 12)).toMatchObject({ intervalMs: 30 * MINUTE });
  expect(last(0.5, 12)).toMatchObject({ intervalMs: MINUTE / 2 });
});

test('MAL-29 an update that comes early counts at once, and one that is long past no more', () => {
  const early = (at: number) => earliestMs(minutes(33).map((timeMs, index) => timeMs - (index >= at ? 20_000 : 0)));
  expect([early(32), early(25), early(24)]).toEqual([40_000, 40_000, MINUTE]);
});

test('MAL-26 no more than the last 32 intervals count', () => {
  const early = (...at: number[]) =>
    earliestMs(minutes(64).map((timeMs, index) => timeMs - 20_000 * at.filter((each) => index >= each).length));
  expect([early(30, 31), early(31, 32), early(32, 33)]).toEqual([MINUTE, MINUTE, 40_000]);
});

test('a last commit in the future of the clock predicts nothing', () => {
  const beforeMs = 19 * MINUTE - 1;
  expect(learnSchedule(minutes(20), beforeMs)).toEqual(everyMinute(beforeMs));
  expect(nextUpdate(everyMinute(beforeMs) as Schedule, beforeMs)).toEqual({ state: 'overdue' });
  expect(learnSchedule(minutes(20), 19 * MINUTE)).toEqual(everyMinute(20 * MINUTE));
});

test('a clock that was set back, so that commits came a millisecond apart, predicts nothing until it has caught up', () => {
  const during = Array.from({ length: 15 }, (_, index) => 19 * MINUTE + index + 1);
  const nowMs = -11 * MINUTE;
  expect(nextUpdate(learnSchedule([...minutes(20), ...during], nowMs), nowMs).state).toBe('overdue');
});

test('MAL-1 a learned update that is late is not put off', () => {
  expect(learnSchedule(minutes(20), 500 * MINUTE)).toMatchObject({ nextMs: 20 * MINUTE });
});

test('MAL-25 only the last commits count, whatever the clock and however many there are', () => {
  check(
    fc.property(fc.array(fc.integer({ min: 1, max: 10 ** 9 }), { maxLength: 100 }), fc.integer(), (gaps, nowMs) => {
      const timesMs = afterIntervals(gaps.length, () => gaps.shift() as number);
      const schedule = learnSchedule(timesMs, nowMs);
      expect(schedule).toEqual(learnSchedule(timesMs.slice(-LEARNED_COMMITS), nowMs));
      expect(schedule.kind === 'unknown' || schedule.intervalMs > 0).toBe(true);
    }),
  );
});

test.each([
  [1, 1],
  ...[500, 5000, 15_000, 45_000, 300_000, 3_600_000, 604_800_000].map((chosenMs) => [chosenMs, chosenMs]),
  [1040, 1000],
  [19_400, 20_000],
  [24_000, 20_000],
  [25_000, 30_000],
  [58_000, 60_000],
  [890_000, 900_000],
  [90_000_000, 86_400_000],
  [10 ** 13, 365 * 86_400_000],
])('MAL-31 an interval of %d ms is stated as %d ms', (measuredMs, intervalMs) => {
  const timesMs = Array.from({ length: 13 }, (_, index) => index * (measuredMs as number));
  expect(learnSchedule(timesMs, timesMs.at(-1) as number)).toMatchObject({ intervalMs });
});

test('MAL-25 however what is stored and what comes overlap, what is learned is that of the last commits', () => {
  const met = new Floors({ predicted: 1000, 'read and reported': 150, 'read before it was reported': 100 });
  check(
    fc.property(seeds, (seed) => {
      const unit = seeded(`${seed}`);
      const upTo = (max: number) => Math.floor(unit() * (max + 1));
      // Nearly regular updates of a few commits each: most of it has a schedule, in which one commit more or less shows.
      const starts = timetabled(1 + upTo(150), MINUTE, 0.05, unit);
      const log = starts.flatMap((startMs) => [0, 200, 400].slice(upTo(2)).map((afterMs) => startMs + afterMs));
      const readShare = upTo(1) * 0.2 + 0.01;
      const estimator = new ScheduleEstimator();
      const subscribedAt = upTo(log.length);
      let reported = subscribedAt;
      let known = subscribedAt;
      let isSeeded = false;
      while (!isSeeded || reported < log.length) {
        if (reported === log.length || unit() < readShare) {
          // What is read was there at some time since the subscription; the newest may not be reported yet.
          const end = Math.min(log.length, Math.max(subscribedAt, reported + 3 - upTo(9)));
          estimator.seed(log.slice(Math.max(0, end - LEARNED_COMMITS), end));
          if (end < reported) met.count('read and reported');
          known = Math.max(known, end);
          isSeeded = true;
        } else {
          if (reported < known) met.count('read before it was reported');
          estimator.add(log[reported] as number);
          reported += 1;
          known = Math.max(known, reported);
        }
        if (!isSeeded) continue;
        const nowMs = (log[known - 1] ?? 0) + upTo(2000) - 100;
        const schedule = estimator.schedule(nowMs);
        if (schedule.kind === 'interval') met.count('predicted');
        expect(schedule).toEqual(learnSchedule(log.slice(0, known), nowMs));
        expect(estimator.schedule(nowMs)).toEqual(schedule);
      }
    }),
    { met },
  );
});
