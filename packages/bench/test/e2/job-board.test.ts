import { expect, test } from 'vitest';
import { JobBoard } from '../../src/e2/job-board.ts';
import { monotonicMicros } from '../../src/load/monotonic-micros.ts';

test('a job is complete once, no sooner than it takes', async () => {
  const board = new JobBoard();
  board.begin([[5]]);
  const startMicros = monotonicMicros();
  const told = new Promise<string>((resolve) => board.onComplete(({ id }) => resolve(id)));
  const job = board.make(0);
  expect(board.find(job.id)).toMatchObject({ complete: false });
  expect(await told).toBe(job.id);
  expect(board.find(job.id)).toMatchObject({ complete: true });
  expect(board.completions).toMatchObject([{ id: job.id }]);
  // Timers count whole milliseconds.
  expect(board.completions[0]?.micros).toBeGreaterThanOrEqual(startMicros + 4000);
  expect(board.completions[0]?.micros).toBeLessThanOrEqual(monotonicMicros());
});

test('a beginning forgets what was, and nothing of it is completed any more', async () => {
  const board = new JobBoard();
  board.begin([[0]]);
  const before = board.make(0);
  board.begin([[0, 0]]);
  const told = new Promise<string>((resolve) => board.onComplete(({ id }) => resolve(id)));
  const after = board.make(0);
  expect(await told).toBe(after.id);
  expect(board.find(before.id)).toBeUndefined();
  expect(board.completions.map(({ id }) => id)).toEqual([after.id]);
});
