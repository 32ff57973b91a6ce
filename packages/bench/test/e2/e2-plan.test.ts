import { expect, test } from 'vitest';
import { e2Refusal, expectedE2Seconds, planE2, WAY_NAMES } from '../../src/e2/e2-plan.ts';

const ASKED = { quick: false, only: [] };

test('the workload is the published one', () => {
  expect(planE2(ASKED)).toMatchObject({ users: 20, jobs: 10, longestMs: 10_000, patienceMs: 1000, repeats: 3 });
  expect(planE2(ASKED).ways.map(({ name }) => name)).toEqual(WAY_NAMES);
});

test('what is asked for replaces what the plan has', () => {
  const plan = planE2({ quick: false, only: ['polling-250', 'live-2'], clients: [4, 8], repeats: 1, malSeconds: [2] });
  expect(plan).toMatchObject({ users: 4, repeats: 1 });
  expect(plan.ways.map(({ label }) => label)).toEqual(['polling every 250 ms', 'ldes-live, MAL 2 s']);
});

test('several numbers of clients are refused', () => {
  expect(e2Refusal({ clients: [4, 8] })).toBe('e2 takes one number of clients, not 2.');
  expect(e2Refusal({ clients: [4] })).toBeUndefined();
  expect(e2Refusal({})).toBeUndefined();
});

test('a duration comes to as many jobs as take about so long', () => {
  expect(planE2({ ...ASKED, durationSeconds: 20 }).jobs).toBe(4);
  expect(planE2({ ...ASKED, durationSeconds: 1 }).jobs).toBe(1);
});

test('a quick plan has every way but the one whose users wait for seconds, and takes a fraction of the time', () => {
  const quick = planE2({ ...ASKED, quick: true });
  expect(WAY_NAMES.filter((name) => !quick.ways.some((way) => way.name === name))).toEqual(['pull-5']);
  expect(planE2({ quick: true, only: ['pull-5'] }).ways).toHaveLength(1);
  expect(expectedE2Seconds(quick)).toBeLessThan(expectedE2Seconds(planE2(ASKED)) / 50);
});
