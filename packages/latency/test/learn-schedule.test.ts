import { check, Floors, fc, seeded, size } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import {
  LEARNED_COMMITS,
  LEARNED_SHARE,
  LEAST_INTERVALS,
  learnRhythm,
  learnSchedule,
  nextUpdate,
  type Schedule,
  usualIntervalMs,
} from '../src/schedule.ts';
import { afterIntervals, intervals, normal, seeds, timetabled } from './simulation.ts';

const unknown = { kind: 'unknown' };
const MINUTE = 60_000;
const minutes = (count: number) => Array.from({ length: count }, (_, index) => index * MINUTE);

test('MAL-26 nothing is predicted until there are enough intervals', () => {
  expect(learnSchedule([], 0)).toEqual(unknown);
  expect(learnSchedule(minutes(1), 0)).toEqual(unknown);
  expect(learnSchedule(minutes(LEAST_INTERVALS), LEAST_INTERVALS * MINUTE)).toEqual(unknown);
  expect(learnSchedule(minutes(LEAST_INTERVALS + 1), LEAST_INTERVALS * MINUTE)).toEqual({
    kind: 'interval',
    intervalMs: MINUTE,
    nextMs: (LEAST_INTERVALS + 1) * MINUTE,
  });
});

test('MAL-26 intervals that alternate between short and long are irregular', () => {
  const timesMs = minutes(40).map((timeMs, index) => timeMs + (index % 2) * 0.6 * MINUTE);
  expect(learnSchedule(timesMs, timesMs.at(-1) as number)).toEqual(unknown);
});

test('MAL-26 of 12 equal intervals one may be short, and not two', () => {
  const withShort = (...short: number[]) =>
    minutes(13).map((timeMs, index) => timeMs - 40_000 * short.filter((at) => at <= index).length);
  expect(learnRhythm(withShort(5))).toMatchObject({ medianMs: MINUTE, soonestMs: 20_000 });
  expect(learnRhythm(withShort(5, 9))).toBeUndefined();
});

test('MAL-27 while an update may get further commits it is due, and then the next one is predicted', () => {
  const timesMs = minutes(20).flatMap((timeMs) => [timeMs, timeMs + 2000]);
  const startMs = 19 * MINUTE;
  expect(learnSchedule(timesMs.slice(0, -1), startMs)).toMatchObject({ nextMs: startMs });
  expect(learnSchedule(timesMs, startMs + 2999)).toMatchObject({ nextMs: startMs + 2000 });
  expect(learnSchedule(timesMs, startMs + 3000)).toEqual({
    kind: 'interval',
    intervalMs: MINUTE,
    nextMs: startMs + MINUTE,
  });
});

test('MAL-27 where the next update may start before one has ended, nothing is predicted', () => {
  // Every update has a second commit, one of them nearly a tenth of the interval later; then one starts early.
  const timesMs = minutes(30).flatMap((timeMs, index) => [timeMs, timeMs + (index === 3 ? 5500 : 100)]);
  expect(learnRhythm(timesMs)).toMatchObject({ burstMs: 8250, soonestMs: MINUTE });
  const late = (ms: number) => timesMs.map((timeMs, index) => timeMs - (index >= 58 ? MINUTE - ms : 0));
  expect(learnRhythm(late(8251))).toMatchObject({ soonestMs: 8251 });
  expect(learnRhythm(late(8250))).toBeUndefined();
});

test('MAL-28 a clock that is set forward, or a night without updates, is no change of the interval', () => {
  const timesMs = minutes(40).map((timeMs, index) => timeMs + (index >= 30 ? 28_800_000 : 0));
  expect(learnSchedule(timesMs, timesMs.at(-1) as number)).toMatchObject({ intervalMs: MINUTE });
});

test('MAL-28 the interval that was is not stated any more once twelve of another have come', () => {
  const last = (times: number, count: number) => {
    const timesMs = [
      ...minutes(41),
      ...minutes(count + 1)
        .slice(1)
        .map((timeMs) => 40 * MINUTE + times * timeMs),
    ];
    return learnRhythm(timesMs)?.medianMs;
  };
  expect(last(30, 6)).toBeUndefined();
  expect(last(30, 12)).toBe(30 * MINUTE);
  expect(last(0.5, 12)).toBe(MINUTE / 2);
});

test('MAL-29 an update that comes early counts at once, and one that is long past no more', () => {
  const early = (at: number) => {
    const timesMs = minutes(33).map((timeMs, index) => timeMs - (index >= at ? 20_000 : 0));
    return learnRhythm(timesMs)?.soonestMs;
  };
  expect(early(32)).toBe(40_000);
  expect(early(25)).toBe(40_000);
  expect(early(24)).toBe(MINUTE);
});

test('MAL-30 a last commit in the future of the clock predicts nothing', () => {
  const timesMs = minutes(20);
  const beforeMs = 19 * MINUTE - 1;
  const schedule = learnSchedule(timesMs, beforeMs);
  expect(nextUpdate(schedule, beforeMs)).toEqual({ state: 'overdue' });
  expect(schedule).toMatchObject({ intervalMs: MINUTE });
  expect(learnSchedule(timesMs, 19 * MINUTE)).toMatchObject({ nextMs: 20 * MINUTE });
});

test('MAL-30 a clock that was set back, so that commits came a millisecond apart, predicts nothing until it has caught up', () => {
  const before = minutes(20);
  const caughtUpMs = 19 * MINUTE;
  const during = Array.from({ length: 15 }, (_, index) => caughtUpMs + index + 1);
  const nowMs = caughtUpMs - 30 * MINUTE;
  expect(nextUpdate(learnSchedule([...before, ...during], nowMs), nowMs).state).toBe('overdue');
});

test('MAL-1 a learned update that is late is not put off', () => {
  expect(learnSchedule(minutes(20), 500 * MINUTE)).toMatchObject({ nextMs: 20 * MINUTE });
});

/** What is stated between each commit, at a share of the time to the next, and that next one. */
function stated(timesMs: readonly number[], share = 0.5): { schedule: Schedule; nowMs: number; commitMs: number }[] {
  return timesMs.slice(LEARNED_COMMITS).map((commitMs, index) => {
    const known = timesMs.slice(index, index + LEARNED_COMMITS);
    const lastMs = known.at(-1) as number;
    const nowMs = Math.floor(lastMs + share * (commitMs - lastMs));
    return { schedule: learnSchedule(known, nowMs), nowMs, commitMs };
  });
}

const isKnown = ({ schedule }: { schedule: Schedule }) => schedule.kind === 'interval';

/** The share of the commits, of those before which something was predicted, that came before that. */
function earlyShare(timesMs: readonly number[], predicted: () => void = () => {}): number {
  const early = stated(timesMs, 0).filter(({ schedule, nowMs, commitMs }) => {
    const next = nextUpdate(schedule, nowMs);
    if (next.state === 'predicted') predicted();
    return next.state === 'predicted' && next.atMs > commitMs;
  });
  return early.length / (timesMs.length - LEARNED_COMMITS);
}

const UPDATES = size({ gate: 1000, night: 2500 }) + LEARNED_COMMITS;
const jitters = fc.constantFrom(0, 0.01, 0.05, 0.2);

test('MAL-29 at least the named share of the updates of a regular stream comes no earlier than predicted', () => {
  const met = new Floors({ predicted: 1000 });
  const predicted = () => met.count('predicted');
  check(
    fc.property(intervals, jitters, seeds, (intervalMs, jitter, seed) => {
      const unit = seeded(`${seed}`);
      const regular = afterIntervals(UPDATES, () => intervalMs * Math.max(0.1, 1 + jitter * normal(unit)));
      expect(earlyShare(regular, predicted)).toBeLessThanOrEqual(1 - LEARNED_SHARE);
      expect(earlyShare(timetabled(UPDATES, intervalMs, jitter, unit))).toBeLessThanOrEqual(1 - LEARNED_SHARE);
    }),
    { numRuns: 6, met },
  );
});

test('MAL-29 what is predicted is after the last commit, and no later than the median interval allows', () => {
  const met = new Floors({ predicted: 150 });
  check(
    fc.property(intervals, jitters, seeds, (intervalMs, jitter, seed) => {
      const unit = seeded(`${seed}`);
      const timesMs = timetabled(200, intervalMs, jitter, unit);
      for (const [index, { schedule }] of stated(timesMs).entries()) {
        if (schedule.kind === 'unknown') continue;
        met.count('predicted');
        const lastMs = timesMs[index + LEARNED_COMMITS - 1] as number;
        expect(schedule.nextMs).toBeGreaterThan(lastMs);
        expect(schedule.nextMs).toBeLessThanOrEqual(lastMs + (1 + 2 * jitter) * intervalMs);
      }
    }),
    { numRuns: 6, met },
  );
});

test('MAL-26 a regular stream has a schedule nearly always, and one whose updates come by chance hardly ever', () => {
  check(
    fc.property(intervals, fc.constantFrom(0.01, 0.05, 0.2), seeds, (intervalMs, jitter, seed) => {
      const unit = seeded(`${seed}`);
      const regular = stated(timetabled(UPDATES, intervalMs, jitter, unit));
      expect(regular.filter(isKnown).length).toBeGreaterThanOrEqual(0.9 * regular.length);
      const byChance = stated(afterIntervals(UPDATES, () => 1 - intervalMs * Math.log(1 - unit())));
      expect(byChance.filter(isKnown).length).toBeLessThanOrEqual(0.05 * byChance.length);
    }),
    { numRuns: 6 },
  );
});

test('MAL-28 a tenth of the updates missed leaves the schedule, and as few come before it', () => {
  check(
    fc.property(intervals, seeds, (intervalMs, seed) => {
      const unit = seeded(`${seed}`);
      const timesMs = timetabled(UPDATES, intervalMs, 0.05, unit).filter(() => unit() > 0.1);
      const all = stated(timesMs);
      expect(all.filter(isKnown).length).toBeGreaterThanOrEqual(0.95 * all.length);
      expect(earlyShare(timesMs)).toBeLessThanOrEqual(1 - LEARNED_SHARE);
    }),
    { numRuns: 6 },
  );
});

test('MAL-28 a stream whose interval changes twice a day has each learned within 12 updates', () => {
  check(
    fc.property(seeds, fc.constantFrom(1.6, 2, 3, 6), (seed, ratio) => {
      const unit = seeded(`${seed}`);
      const dayMs = 300_000;
      const about = (intervalMs: number) => () => intervalMs * (1 + 0.05 * (2 * unit() - 1));
      const night = afterIntervals(40, about(dayMs * ratio));
      const day = afterIntervals(40, about(dayMs), night.at(-1));
      const nextNight = afterIntervals(40, about(dayMs * ratio), day.at(-1));
      const known = [...night, ...day, ...nextNight];
      const nextMs = (count: number) => {
        const lastMs = known[count - 1] as number;
        const schedule = learnSchedule(known.slice(0, count), lastMs);
        return schedule.kind === 'interval' ? schedule.nextMs - lastMs : Number.NaN;
      };
      for (const count of [52, 60, 80]) expect(Math.abs(nextMs(count) / dayMs - 0.9)).toBeLessThan(0.15);
      for (const count of [92, 100, 120]) expect(Math.abs(nextMs(count) / dayMs / ratio - 0.9)).toBeLessThan(0.15);
    }),
    { numRuns: 50 },
  );
});

test('MAL-27 no commit of an update that has several is hidden for longer than a micro-cache', () => {
  check(
    fc.property(intervals, seeds, (intervalMs, seed) => {
      const unit = seeded(`${seed}`);
      const starts = timetabled(400, intervalMs, 0.02, unit);
      const second = () => Math.ceil((0.01 + 0.02 * unit()) * intervalMs);
      const timesMs = starts.flatMap((startMs) => [startMs, startMs + second()]);
      const all = stated(timesMs);
      expect(all.filter(isKnown).length).toBe(all.length);
      expect(earlyShare(timesMs)).toBeLessThanOrEqual(1 - LEARNED_SHARE);
      // Half of the time to the next update is past the burst: it is predicted then.
      const between = all.filter(({ commitMs }) => starts.includes(commitMs));
      const predicted = between.filter(({ schedule, nowMs }) => nextUpdate(schedule, nowMs).state === 'predicted');
      expect(predicted.length).toBeGreaterThanOrEqual(0.95 * between.length);
    }),
    { numRuns: 6 },
  );
});

test('MAL-31 the stated interval of a stream of a usual interval stays while its median wavers', () => {
  const usual = fc.constantFrom(5000, 20_000, 60_000, 900_000, 3_600_000, 86_400_000);
  check(
    fc.property(usual, fc.constantFrom(0.01, 0.05), seeds, (intervalMs, jitter, seed) => {
      const all = stated(timetabled(500, intervalMs, jitter, seeded(`${seed}`)));
      expect(new Set(all.map(({ schedule }) => schedule.kind === 'interval' && schedule.intervalMs))).toEqual(
        new Set([intervalMs]),
      );
    }),
    { numRuns: 6 },
  );
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
  [0.2, 1],
  ...[500, 5000, 15_000, 45_000, 300_000, 3_600_000, 604_800_000].map((usualMs) => [usualMs, usualMs]),
  [1040, 1000],
  [19_400, 20_000],
  [24_000, 20_000],
  [25_000, 30_000],
  [58_000, 60_000],
  [890_000, 900_000],
  [90_000_000, 86_400_000],
  [10 ** 13, 365 * 86_400_000],
])('MAL-31 an interval of %d ms is stated as %d ms', (measuredMs, usualMs) => {
  expect(usualIntervalMs(measuredMs)).toBe(usualMs);
});
