import os from 'node:os';
import { expect, test } from 'vitest';
import { othersLoad } from '../src/others-load.ts';

const average = () => os.loadavg()[0];

test('it is the load average where that is of no interest', async () => {
  const before = average();
  const load = await othersLoad(Infinity);
  expect([before, average()]).toContain(load);
});

test('it is no more than the load average where the cores are watched', async () => {
  const before = average();
  const load = await othersLoad(-1);
  expect(load).toBeGreaterThanOrEqual(0);
  expect(load).toBeLessThanOrEqual(Math.max(before as number, average() as number));
});
