import { expect, test } from 'vitest';
import { LEARNED_COMMITS, LEAST_INTERVALS, learnRhythm, learnSchedule, nextUpdate } from '../src/index.ts';

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

test('MAL-25 the last commits count and none before', () => {
  const older = Array.from({ length: 500 }, (_, index) => index * 7);
  const timesMs = [...older, ...minutes(LEARNED_COMMITS).map((timeMs) => timeMs + MINUTE)];
  expect(learnRhythm(timesMs)).toMatchObject({ medianMs: MINUTE, spreadMs: 0, burstMs: 0 });
});
