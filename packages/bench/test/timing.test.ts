/* Time as it is measured: stamps, schedules, and loads that were busy with themselves. */
import { expect, test } from 'vitest';
import { busyLoad, EffortWatch } from '../src/load/effort.ts';
import {
  aroundStamps,
  findStamp,
  monotonicMicros,
  NextUpdate,
  type PublishSchedule,
  placeIn,
  publishOnSchedule,
  readStamp,
  STAMP_BYTES,
  stamp,
  startPublishing,
} from '../src/timing.ts';

test.each([0, 1, 987_654_321_012, 9_007_199_254_740_991])('the stamp of %d is read as it was written', (micros) => {
  const bytes = Buffer.from(`before ${stamp(micros)} after`);
  expect(findStamp(bytes, 0, bytes.length)).toBe(7);
  expect(readStamp(bytes, 7)).toBe(micros);
  expect(stamp(micros)).toHaveLength(STAMP_BYTES);
  expect(aroundStamps(`a ${stamp(1)} b ${stamp(2)} c`).join(stamp(micros))).toBe(
    `a ${stamp(micros)} b ${stamp(micros)} c`,
  );
  // One that is cut off, or begins before, does not count.
  expect([findStamp(bytes, 0, 7 + STAMP_BYTES - 1), findStamp(bytes, 8, bytes.length)]).toEqual([-1, -1]);
});

test('every update is stamped with the instant at which it was due, however late those before it were', async () => {
  const schedule = { startMicros: monotonicMicros() + 2000, intervalMicros: 1000, count: 4 };
  const published: { place: number | undefined; index: number; isEarly: boolean }[] = [];
  await publishOnSchedule(schedule, async (stampMicros, index) => {
    published.push({ place: placeIn(schedule, stampMicros), index, isEarly: monotonicMicros() < stampMicros });
    // The first one stalls past the instants of all others.
    while (index === 0 && monotonicMicros() < schedule.startMicros + 5000) await undefined;
  });
  expect(published).toEqual([0, 1, 2, 3].map((index) => ({ place: index, index, isEarly: false })));
  const others = [schedule.startMicros - 1000, schedule.startMicros + 1, schedule.startMicros + 4000];
  expect(others.map((micros) => placeIn(schedule, micros))).toEqual([undefined, undefined, undefined]);
});

test('updates go on at even instants until it is known which is the last', async () => {
  const published: PublishSchedule[] = [];
  const publish = async (schedule: PublishSchedule) => void published.push(schedule);
  const publishing = startPublishing({ publish }, 50, 20);
  await publishing.begun;
  const next = publishing.nextAfter(publishing.dueMicros(1) + 1);
  expect(next).toBe(2);
  await publishing.endWith(3);
  const instants = published.map(({ startMicros }) => startMicros);
  expect(instants).toEqual([0, 1, 2, 3].map((index) => publishing.dueMicros(0) + index * 50_000));
});

test('the next update is the first that is expected, then one interval after each that was published', () => {
  const next = new NextUpdate(2000, 995_000);
  expect(next.nextMs).toBeUndefined();
  next.expect(6_000_000);
  expect(next.nextMs).toBe(1_001_000);
  next.published(6_000_000);
  expect(next.nextMs).toBe(1_003_000);
});

// A lag that is short beside the delay that is reported is accepted.
const accepted = { p99Ms: 4000, maxLagMicros: 800_000 };

test.each([
  [{}, undefined],
  [{ cpuMicros: 800_000, maxLagMicros: 200_000 }, undefined],
  [{ cpuMicros: 810_000 }, /^the load took 81 % of a core, more than 80 %$/],
  [{ cpuMicros: 950_000, processes: 2 }, /the 2 processes of the load took 95 %/],
  [{ maxLagMicros: 350_000 }, /did not come to read for 350 ms/],
  [accepted, undefined],
  [{ ...accepted, maxLagMicros: 801_000 }, /801 ms/],
])('of a load that had %j is said: %s', (found, says) => {
  const idle = { cpuMicros: 100_000, wallMicros: 1_000_000, maxLagMicros: 5000, processes: 1, p99Ms: 0 };
  const { p99Ms, ...effort } = { ...idle, ...found };
  expect(busyLoad(effort, p99Ms)).toEqual(says && expect.stringMatching(says));
});

test('a turn of the event loop that has lasted until now counts as lag, once', () => {
  const watch = new EffortWatch();
  const since = monotonicMicros();
  while (monotonicMicros() < since + 60_000);
  const { cpuMicros, wallMicros, maxLagMicros } = watch.take();
  expect(maxLagMicros).toBeGreaterThanOrEqual(40_000);
  expect(wallMicros).toBeGreaterThanOrEqual(60_000);
  expect(cpuMicros).toBeGreaterThan(0);
  expect(watch.take().maxLagMicros).toBeLessThan(maxLagMicros);
});
