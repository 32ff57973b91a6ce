import { expect, test } from 'vitest';
import { nextUpdate } from '../src/index.ts';

test('MAL-1 an interval predicts its next instant, and is overdue once that has passed', () => {
  const schedule = { kind: 'interval', intervalMs: 5000, nextMs: 10_000 } as const;
  expect(nextUpdate(schedule, 9999)).toEqual({ state: 'predicted', atMs: 10_000 });
  expect(nextUpdate(schedule, 10_000)).toEqual({ state: 'overdue' });
  expect(nextUpdate(schedule, 60_000)).toEqual({ state: 'overdue' });
});

test('MAL-1 an unknown schedule predicts nothing', () => {
  expect(nextUpdate({ kind: 'unknown' }, 0)).toEqual({ state: 'unknown' });
});
