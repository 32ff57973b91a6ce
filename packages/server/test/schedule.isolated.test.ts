import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LEARNED_COMMITS, learnSchedule, type Schedule } from '@ldes-live/latency';
import { createMemoryStore, type Log, lastCommitTimes, openLmdbStore } from '@ldes-live/log';
import { type Draft, describeStream, PAGE_MEMBERS } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import type { LiveStream } from '../src/options.ts';
import { scheduleOf } from '../src/schedule.ts';
import { entityOf } from './test-server.ts';

const MINUTE = 60_000;
const description = describeStream({ publicUrl: 'http://live.example/', name: 'a' });
const unknown = { kind: 'unknown' };

const drafts = (count: number): Draft[] =>
  Array.from({ length: count }, (_, index) => ({
    kind: 'upsert',
    entity: entityOf(index),
    origin: 'feed',
    fingerprint: '',
    quads: [],
  }));

/** A log in memory and its clock, at midnight. */
async function openLog() {
  const time = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const clock = () => time.nowMs;
  const log = await createMemoryStore({ clock, random: () => 0.5 }).open(description);
  return { log, time, clock };
}

/** Appends commits of so many members, a minute apart, and gives their times. */
async function appendEachMinute(log: Log, time: { nowMs: number }, sizes: readonly number[]): Promise<number[]> {
  const timesMs: number[] = [];
  for (const size of sizes) {
    time.nowMs += MINUTE;
    await log.append(drafts(size));
    timesMs.push(time.nowMs);
  }
  return timesMs;
}

test('MAL-25 without a stated schedule it follows from the commits of the log', async () => {
  const { log, time, clock } = await openLog();
  const learned = await scheduleOf({ log }, clock);
  expect(learned.schedule()).toEqual(unknown);
  const timesMs = await appendEachMinute(log, time, Array(12).fill(1));
  expect(learned.schedule()).toEqual(unknown);
  timesMs.push(...(await appendEachMinute(log, time, [1])));
  expect(learned.schedule()).toEqual({ kind: 'interval', intervalMs: MINUTE, nextMs: time.nowMs + MINUTE });
  timesMs.push(...(await appendEachMinute(log, time, Array(3 * LEARNED_COMMITS).fill(1))));
  expect(learned.schedule()).toEqual(learnSchedule(timesMs, time.nowMs));
});

test('DOC-2 what was learned of a burst is forgotten once an update is three intervals overdue, until the next ones', async () => {
  const { log, time, clock } = await openLog();
  const learned = await scheduleOf({ log }, clock);
  await appendEachMinute(log, time, Array(13).fill(1));
  const interval = { kind: 'interval', intervalMs: MINUTE, nextMs: time.nowMs + MINUTE };
  time.nowMs += 4 * MINUTE;
  expect(learned.schedule()).toEqual(interval);
  time.nowMs += 1;
  expect(learned.schedule()).toEqual(unknown);
  await log.append(drafts(1));
  expect(learned.schedule()).toMatchObject({ kind: 'interval', intervalMs: MINUTE });
});

test('MAL-25 of commits of any size the last times are found, and few members are read', async () => {
  const { log, time } = await openLog();
  const sizes = [3, 1, 1, 700, 2, 1, 250, 1, 1000, 5];
  const timesMs = await appendEachMinute(log, time, sizes);
  let reads = 0;
  const counting = new Proxy(log, {
    get: (target, key) => {
      if (key === 'read') reads += 1;
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  for (const most of [1, 2, 5, 9, 10, 11]) expect(await lastCommitTimes(counting, most)).toEqual(timesMs.slice(-most));
  reads = 0;
  await lastCommitTimes(counting, 10);
  expect(reads).toBeLessThan(100);
});

test('MAL-25 a server that starts again has learned the same as one that went on, and so has a second one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ldes-live-learned-'));
  try {
    const time = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
    const clock = () => time.nowMs;
    const store = await openLmdbStore({ path: folder, clock, random: () => 0.5 });
    const log = await store.open(description);
    const learned = await scheduleOf({ log }, clock);
    await appendEachMinute(log, time, [...Array(50).fill(2), ...Array(40).fill(600)]);
    time.nowMs += 1000;
    const before = learned.schedule();
    expect(before).toEqual({ kind: 'interval', intervalMs: MINUTE, nextMs: time.nowMs + MINUTE - 1000 });
    expect((await scheduleOf({ log }, clock)).schedule()).toEqual(before);
    await store.close();
    const again = await openLmdbStore({ path: folder, clock, random: () => 0.5 });
    expect((await scheduleOf({ log: await again.open(description) }, clock)).schedule()).toEqual(before);
    await again.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('MAL-25 a commit while the log is read counts once', async () => {
  const { log, time, clock } = await openLog();
  await appendEachMinute(log, time, Array(20).fill(1));
  const starting = scheduleOf({ log }, clock);
  await appendEachMinute(log, time, [1]);
  expect((await starting).schedule()).toMatchObject({ nextMs: time.nowMs + MINUTE });
});

test('MAL-25 what retention has removed is not missed', async () => {
  const { log, time, clock } = await openLog();
  const timesMs = await appendEachMinute(log, time, Array(20).fill(PAGE_MEMBERS - 1));
  const removed = { first: 1, last: 3 * PAGE_MEMBERS };
  await log.unlink(removed);
  await log.erase(removed);
  // The fourth commit was begun on the third page.
  expect(await lastCommitTimes(log, 100)).toEqual(timesMs.slice(3));
  expect((await scheduleOf({ log }, clock)).schedule()).toMatchObject({ nextMs: time.nowMs + MINUTE });
});

test('a schedule that is closed learns no more', async () => {
  const { log, time, clock } = await openLog();
  const learned = await scheduleOf({ log }, clock);
  learned.close();
  await appendEachMinute(log, time, Array(20).fill(1));
  expect(learned.schedule()).toEqual(unknown);
});

const interval = (intervalMs: number, nextMs: number) => ({ kind: 'interval', intervalMs, nextMs }) as const;
const of = (...schedules: (Schedule | undefined)[]) =>
  schedules.map((schedule, index) => ({
    origin: String(index),
    drafts: async function* () {},
    ...(schedule && { schedule: () => schedule }),
  }));

test.each<[string, Pick<LiveStream, 'schedule' | 'updates' | 'sources'>, Schedule]>([
  ['who knows better', { schedule: () => interval(5, 6), updates: 'unpredictable' }, interval(5, 6)],
  ['that nobody can tell', { updates: 'unpredictable', sources: of(interval(20, 105)) }, { kind: 'unknown' }],
  [
    'an interval, after the last commit',
    { updates: { everyMs: 900 }, sources: of(interval(20, 105)) },
    interval(900, 900),
  ],
  ['one source', { sources: of(interval(20, 105)) }, interval(20, 105)],
  ['several sources', { sources: of(interval(20, 105), interval(30, 101), interval(40, 130)) }, interval(20, 101)],
  ['one that cannot tell', { sources: of(interval(20, 105), { kind: 'unknown' }) }, { kind: 'unknown' }],
  ['one that says nothing: it is learned', { sources: of(interval(20, 105), undefined) }, { kind: 'unknown' }],
])('the schedule is stated by %s', async (_by, stated, schedule) => {
  const { log, clock } = await openLog();
  expect((await scheduleOf({ log, ...stated }, clock)).schedule()).toEqual(schedule);
});

test('a stated update is not put off where it is late, nor where a clock was set back', async () => {
  const { log, time, clock } = await openLog();
  const { schedule } = await scheduleOf({ log, updates: { everyMs: 1000 } }, clock);
  await log.append(drafts(1));
  const committedMs = time.nowMs;
  time.nowMs += 9000;
  expect(schedule()).toEqual(interval(1000, committedMs + 1000));
  time.nowMs = committedMs - 1;
  expect(schedule()).toEqual(interval(1000, committedMs - 1));
});
