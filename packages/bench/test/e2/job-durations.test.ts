import { expect, test } from 'vitest';
import { jobDurations } from '../../src/e2/job-durations.ts';

test('jobs of a seed take as long each time, and other seeds have other jobs', () => {
  const size = { users: 3, jobs: 5, longestMs: 10_000 };
  const durations = jobDurations(size, 7);
  expect(durations).toEqual(jobDurations(size, 7));
  expect(durations).not.toEqual(jobDurations(size, 8));
  expect(durations.map((own) => own.length)).toEqual([5, 5, 5]);
});

test('jobs take up to the longest time, half of it on average', () => {
  const all = jobDurations({ users: 100, jobs: 100, longestMs: 10_000 }, 1).flat();
  expect(all.every((ms) => Number.isInteger(ms) && ms >= 0 && ms <= 10_000)).toBe(true);
  const mean = all.reduce((sum, ms) => sum + ms, 0) / all.length;
  expect(mean).toBeGreaterThan(4800);
  expect(mean).toBeLessThan(5200);
});
