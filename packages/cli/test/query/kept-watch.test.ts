import { expect, test } from 'vitest';
import { KeptWatch } from '../../src/query/kept-watch.ts';

const answered = (dataAsOfMs: number, lastEvaluationMs = 0) => ({ dataAsOf: new Date(dataAsOfMs), lastEvaluationMs });

test('QUERY-95 the MAL is kept while the answer is no older than it and an evaluation, give or take a timer', () => {
  const watch = new KeptWatch(2000);
  expect(watch.look(answered(10_000, 500), 12_800)).toBe(true);
  expect(watch.look(answered(10_000, 500), 12_801)).toBe(false);
  expect(watch.look(answered(10_000), 12_301)).toBe(false);
});

test('QUERY-97 counts for how long the answer was too old, from when on it was', () => {
  const watch = new KeptWatch(2000);
  watch.look({ dataAsOf: undefined, lastEvaluationMs: undefined }, 5000);
  expect(watch.notKeptMs).toBe(0);
  for (let nowMs = 10_000; nowMs <= 20_000; nowMs += 250) watch.look(answered(10_000), nowMs);
  expect(watch.notKeptMs).toBe(10_000 - 2300);
  watch.look(answered(19_900), 20_250);
  expect(watch.notKeptMs).toBe(10_000 - 2300);
});

test('QUERY-97 data that go back to no instant are too old from the first look on', () => {
  const watch = new KeptWatch(2000);
  expect(watch.look(answered(0), 1_000_000)).toBe(false);
  watch.look(answered(0), 1_000_250);
  expect(watch.notKeptMs).toBe(250);
});
