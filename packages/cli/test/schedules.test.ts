import type { Schedule } from '@ldes-live/latency';
import { expect, test } from 'vitest';
import { parseDuration } from '../src/config/duration.ts';
import { combinedSchedule } from '../src/serve/combined-schedule.ts';
import { FirstPolls } from '../src/serve/first-polls.ts';
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

async function isDone(polls: FirstPolls): Promise<boolean> {
  return Promise.race([polls.done.then(() => true), Promise.resolve().then(() => false)]);
}

test('it is done once each source has been polled, however often the others were', async () => {
  const polls = new FirstPolls(['a', 'b']);
  polls.polled('a');
  polls.polled('a');
  polls.polled('c');
  expect(await isDone(polls)).toBe(false);
  polls.polled('b');
  await polls.done;
});

test('with nothing to wait for it is done', async () => {
  await new FirstPolls([]).done;
});

test.each([
  ['500ms', 500],
  ['20s', 20_000],
  ['15m', 900_000],
  ['1h', 3_600_000],
  ['7d', 604_800_000],
  ['0.5d', 43_200_000],
  ['1.5s', 1500],
  ['1.005s', 1005],
  ['0.001s', 1],
  ['1.001m', 60_060],
  ['0s', 0],
])('%s is %i milliseconds', (text, durationMs) => {
  expect(parseDuration(text)).toBe(durationMs);
});

test.each([
  '',
  '20',
  's',
  '20 s',
  '-1s',
  '+1s',
  '1e3s',
  '20S',
  '1w',
  '1.s',
  '.5s',
  '1.2345s',
  '1.5ms',
  '20sec',
  '1234567890s',
])('"%s" is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
