import { expect, test } from 'vitest';
import { judgeNotices } from '../../src/e2/judge-run.ts';
import { runOf, usersReport } from './run-of.ts';

test('a delay counts from completion to the first notice', () => {
  const completions = [
    { id: 'a', micros: 100 },
    { id: 'b', micros: 200 },
  ];
  const notices = [
    { id: 'b', micros: 250 },
    { id: 'a', micros: 1100 },
  ];
  expect(judgeNotices(['a', 'b'], completions, notices)).toEqual({
    jobs: 2,
    lost: 0,
    doubled: 0,
    untrue: 0,
    delaysMicros: [50, 1000],
  });
});

test('what is lost, noticed twice or noticed before it was so is told as such', () => {
  const completions = ['a', 'b', 'c'].map((id) => ({ id, micros: 100 }));
  const notices = [
    { id: 'a', micros: 150 },
    { id: 'a', micros: 160 },
    { id: 'b', micros: 50 },
    { id: 'd', micros: 150 },
  ];
  expect(judgeNotices(['a', 'b', 'c', 'd'], completions, notices)).toEqual({
    jobs: 4,
    lost: 3,
    doubled: 1,
    untrue: 2,
    delaysMicros: [50],
  });
});

test('jobs beyond the MAL are counted, and the status of clients is added up', () => {
  const statuses = [
    { mode: 'push', malMisses: 1, gaps: 0 },
    { mode: 'pull', malMisses: 2, gaps: 3 },
  ] as const;
  const run = runOf('live-0.5', usersReport([100, 500, 501], { statuses }));
  expect(run).toMatchObject({ beyondMal: 1, clients: { pull: 1, push: 1, told: 3, gaps: 3 } });
  expect(runOf('websocket', usersReport([1]))).not.toHaveProperty('beyondMal');
});

test('a run says when its users were busy with themselves', () => {
  expect(runOf('websocket', usersReport([1], { cpuMicros: 900_000 })).saturated).toContain('90 %');
  expect(runOf('websocket', usersReport([1])).saturated).toBeUndefined();
});
