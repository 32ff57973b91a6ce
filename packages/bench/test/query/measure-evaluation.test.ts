import { expect, test } from 'vitest';
import type { EvaluationReport } from '../../src/query/evaluation-messages.ts';
import { localTimes } from '../../src/query/measure-evaluation.ts';

const report = (residentBytes: number, times: readonly (readonly [number, number])[]): EvaluationReport => ({
  strategy: 'local',
  startMs: 1,
  commits: times.map(([toldMs, againMs]) => ({ toldMs, againMs, evaluationMs: 0 })),
  solutions: 4,
  residentBytes,
});

test('both ways are compared pair by pair, and the memory is that of the process that has nothing beside', () => {
  const beside = report(999, [
    [1, 30],
    [2, 20],
    [4, 200],
  ]);
  const times = localTimes(beside, report(100, []));
  expect(times).toMatchObject({ solutions: 4, residentBytes: 100 });
  expect(times.told).toEqual({ median: 2, min: 1, max: 4, repeats: 3 });
  expect(times.ratio).toEqual({ median: 30, min: 10, max: 50, repeats: 3 });
});

test('without a process that has nothing beside there is no memory to tell', () => {
  expect(localTimes(report(999, [[1, 30]]))).not.toHaveProperty('residentBytes');
});
