import type { Schedule } from '@ldes-live/latency';
import { expect, test } from 'vitest';
import { statedSchedule } from '../src/serve/stated-schedule.ts';

const polled: Schedule = { kind: 'interval', intervalMs: 20_000, nextMs: 1_020_000 };
const sources = [{ schedule: () => polled }];
const head = { cursor: { epoch: 'a', sequence: 1 }, timeMs: 1_000_000 };
const at = (nowMs: number) => ({ log: { head }, clock: () => nowMs });

test('the polling of the sources states a schedule, and without sources nothing does', () => {
  expect(statedSchedule({ updates: undefined, sources, ...at(1_000_000) })?.()).toEqual(polled);
  expect(statedSchedule({ updates: undefined, sources: [], ...at(1_000_000) })).toBeUndefined();
});

test('what the publisher says counts before the polling', () => {
  expect(statedSchedule({ updates: 'unpredictable', sources, ...at(1_000_000) })?.()).toEqual({ kind: 'unknown' });
  const declared = statedSchedule({ updates: { everyMs: 900_000 }, sources, ...at(1_900_000) });
  expect(declared?.()).toEqual({ kind: 'interval', intervalMs: 900_000, nextMs: 1_900_000 });
});

test('the next update is an interval after the last commit, and not put off when it is late', () => {
  const late = statedSchedule({ updates: { everyMs: 1000 }, sources: [], ...at(9_000_000) });
  expect(late?.()).toMatchObject({ nextMs: 1_001_000 });
  const none = { head: { cursor: { epoch: 'a', sequence: 0 }, timeMs: 0 } };
  const first = statedSchedule({ updates: { everyMs: 1000 }, sources: [], log: none, clock: () => 9_000_000 });
  expect(first?.()).toMatchObject({ nextMs: 1000 });
});

test('a clock that was set back puts no update off', () => {
  const schedule = statedSchedule({ updates: { everyMs: 1000 }, sources: [], ...at(999_999) });
  expect(schedule?.()).toMatchObject({ nextMs: 999_999 });
});
