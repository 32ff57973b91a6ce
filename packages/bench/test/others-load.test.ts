import os from 'node:os';
import { expect, test } from 'vitest';
import { othersLoad } from '../src/others-load.ts';

const average = () => os.loadavg()[0];

test.each([
  ['before anything has been run', false, 0],
  ['where it is of no interest', true, Infinity],
])('it is the load average %s', async (_, hasRun, enough) => {
  const before = average();
  const load = await othersLoad(hasRun, enough);
  expect([before, average()]).toContain(load);
});

test('after something has been run it is no more than the load average', async () => {
  const before = average();
  const load = await othersLoad(true, -1);
  expect(load).toBeGreaterThanOrEqual(0);
  expect(load).toBeLessThanOrEqual(Math.max(before as number, average() as number));
});
