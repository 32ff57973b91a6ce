import { expect, test } from 'vitest';
import { combinedSchedule } from '../src/serve/combined-schedule.ts';

const unknown = { kind: 'unknown' } as const;
const interval = (intervalMs: number, nextMs: number) => ({ kind: 'interval', intervalMs, nextMs }) as const;

test('the schedule of one source is its own', () => {
  expect(combinedSchedule([interval(20, 105)])).toEqual(interval(20, 105));
  expect(combinedSchedule([unknown])).toEqual(unknown);
});

test('of several sources, the first to come counts', () => {
  expect(combinedSchedule([interval(20, 105), interval(30, 101), interval(40, 130)])).toEqual(interval(20, 101));
});

test('one that is unknown makes all unknown, as do none', () => {
  expect(combinedSchedule([interval(20, 105), unknown])).toEqual(unknown);
  expect(combinedSchedule([unknown, interval(20, 105), interval(20, 105)])).toEqual(unknown);
  expect(combinedSchedule([])).toEqual(unknown);
});
