/* What e2 and e4 judge by, and how experiments search for the most that is kept. */
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { searchMaximum } from '../src/experiment.ts';
import { judgeNotices } from '../src/experiments/e2.ts';
import { judgeRate } from '../src/experiments/e4.ts';
import { Histogram } from '../src/histogram.ts';
import { singleDeliveries } from '../src/load/push-counts.ts';

const searches = fc.integer({ min: 1, max: 80 }).chain((levels) =>
  fc.record({
    levels: fc.constant(levels),
    limit: fc.integer({ min: -1, max: levels - 1 }),
    at: fc.integer({ min: 0, max: levels - 1 }),
    stride: fc.integer({ min: 1, max: 8 }),
    attempts: fc.integer({ min: 1, max: 3 }),
  }),
);

test('finds the highest level that holds, from wherever it begins', async () => {
  await check(
    fc.asyncProperty(searches, async ({ levels, limit, ...start }) => {
      expect(await searchMaximum(levels, start, async (index) => index <= limit)).toBe(limit);
    }),
  );
});

test('a level is tried again before it counts as failed', async () => {
  const outcomes = [true, false, true, false, false, false, false];
  const tried: number[] = [];
  const found = await searchMaximum(5, { at: 0, stride: 2, attempts: 2 }, async (index) => {
    tried.push(index);
    return outcomes[tried.length - 1] ?? false;
  });
  expect([found, tried]).toEqual([2, [0, 2, 2, 4, 4, 3, 3]]);
});

const effort = { cpuMicros: 10_000, wallMicros: 1_000_000, maxLagMicros: 1000, processes: 1 };

/** Jobs of users by their letters, each told of at such instants; all were complete at 100 but b, which was at 200. */
function noticed(notices: Readonly<Record<string, readonly number[]>>, more = {}) {
  const jobs = Object.entries(notices).map(([id, noticesMicros]) => ({ id, noticesMicros }));
  return judgeNotices({ jobs, effort, ...more }, [
    ['a', 100],
    ['b', 200],
    ['c', 100],
  ]);
}

test('a delay counts from completion to the first notice', () => {
  expect(noticed({ a: [1100], b: [250] })).toMatchObject({
    values: { jobs: 2, lost: 0, doubled: 0, early: 0, p50Ms: 0.05, maxMs: 1 },
    histograms: { delay: expect.any(String) },
  });
});

test('what is lost, noticed twice or too early is counted, and delays are there only where nothing is lost', () => {
  const { values } = noticed({ a: [150, 160], b: [50], c: [], d: [150] });
  expect(values).toEqual({ jobs: 4, lost: 3, doubled: 1, early: 2 });
});

test('delays of users who are busy with themselves are refused', () => {
  const busy = noticed({ a: [150] }, { effort: { ...effort, cpuMicros: 900_000 } });
  expect(busy).toEqual({
    values: { jobs: 1, lost: 0, doubled: 0, early: 0 },
    refused: expect.stringContaining('90 %'),
  });
});

test('of updates for one reader each, what did not come is lost, and what came again is doubled', () => {
  const events = { 1000: 3, 1020: 1, 1030: 1, 1040: 1, 1045: 1 };
  const updates = Object.entries(events).map(([stamp, events]) => ({ stampMicros: Number(stamp), events }));
  const counted = singleDeliveries(updates, { startMicros: 1000, intervalMicros: 10, count: 5 });
  expect(counted).toEqual({ arrived: 4, lost: 1, doubled: 2, strays: 1 });
});

/** A rate of 100 updates of which so many came after 140 ms, all others after 10 ms. */
function rate(late: number, more = {}) {
  const delay = new Histogram();
  for (let index = 0; index < 100; index += 1) delay.note(index < late ? 140_000 : 10_000);
  const counts = { arrived: 100, lost: 0, doubled: 0, strays: 0, failedPosts: 0 };
  const round = { ...counts, delay: delay.encode(), readBytes: 60_000, endedMicros: 0, effort };
  return judgeRate({ ...round, ...more }, 1000, 50_000, 100_000);
}

test.each([
  [1, 1, {}],
  // No more than a hundredth may be later than 130 ms.
  [0, 2, {}],
  [0, 0, { lost: 1 }],
  [0, 0, { doubled: 1 }],
  [0, 0, { strays: 1 }],
  [0, 0, { failedPosts: 1 }],
])('a rate counts as kept %d times with %d late and %j', (kept, late, more) => {
  expect(rate(late, more).values).toMatchObject({ kept, cpuMicros: 500, serverShare: 0.5, p50Ms: expect.any(Number) });
});

test.each([
  [{ cpuMicros: 900_000 }, 'of a core'],
  [{ maxLagMicros: 900_000 }, 'for 900 ms'],
])('a rate is refused, and has no delays, where its load was busy with itself: %j', (busy, why) => {
  const { values, refused } = rate(0, { effort: { ...effort, ...busy } });
  expect(refused).toContain(why);
  expect(values.kept).toBe(0);
  expect(values).not.toHaveProperty('p99Ms');
});
