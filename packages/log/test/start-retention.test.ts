import { extentOfPage, type RetentionPolicy, StreamError } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Log } from '../src/log.ts';
import { createMemoryStore } from '../src/memory-store.ts';
import { startRetention } from '../src/retention.ts';
import { NOON_MS, remove, upsert, vehicles } from './suite-place.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A log of some pages and a runner whose time goes on only while the runner sleeps, up to where the test lets it. */
async function newWorld(pages: number, tombstoneMs = HOUR_MS) {
  let nowMs = NOON_MS;
  let letMs = NOON_MS;
  let wake = () => {};
  const sleeps: number[] = [];
  const store = createMemoryStore({ clock: () => nowMs, random: () => 0.5, tombstoneMs });
  onTestFinished(() => store.close());
  const log = await store.open(vehicles);
  for (let page = 0; page < pages; page += 1) {
    await log.append(Array.from({ length: 250 }, (_, key) => upsert(key, page)));
  }
  const sleep = async (ms: number, signal: AbortSignal) => {
    sleeps.push(ms);
    while (nowMs + ms > letMs) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    nowMs += ms;
  };
  const until = async (toMs: number, pauseMs = 1000) => {
    letMs = toMs;
    wake();
    await eventually(() => expect(nowMs + pauseMs).toBeGreaterThan(toMs));
  };
  const clock = () => nowMs;
  /** Begins to remove, until the test has finished; gives what it tells of. */
  const start = (policy: RetentionPolicy) => {
    const ending = new AbortController();
    const told: unknown[] = [];
    const onError = (error: unknown) => told.push(error);
    const ended = startRetention({ log, policy, clock, sleep, signal: ending.signal, onError });
    onTestFinished(() => {
      ending.abort();
      return ended;
    });
    return told;
  };
  return { log, start, sleeps, until, clock };
}

const extentOfPages = (from: number, to: number) => ({ first: extentOfPage(from).first, last: extentOfPage(to).last });
const states = (log: Log) => log.removals.map(({ first, last, state }) => [first, last, state]);

test('RET-2, RET-3 a page goes a minute after its time, is erased a minute later, and not before', async () => {
  const { log, start, sleeps, until } = await newWorld(2);
  start({ fullLogMs: HOUR_MS });
  const dueMs = NOON_MS + HOUR_MS + MINUTE_MS;
  await until(dueMs - 1000);
  expect(states(log)).toEqual([]);
  await until(dueMs + 2000);
  expect(states(log)).toEqual([[1, 500, 'unlinked']]);
  await until(dueMs + MINUTE_MS - 1000);
  expect(states(log)).toEqual([[1, 500, 'unlinked']]);
  await until(dueMs + MINUTE_MS + 2000);
  expect(states(log)).toEqual([[1, 500, 'tombstoned']]);
  expect(Math.max(...sleeps)).toBe(1000);
});

test('each step unlinks one page at most and erases one', async () => {
  const { log, clock } = await newWorld(6);
  const ending = new AbortController();
  const steps: number[] = [];
  const removedPages = () => log.removals.reduce((sum, { first, last }) => sum + (last - first + 1) / 250, 0);
  const sleep = async () => {
    steps.push(removedPages());
    if (steps.length === 20) ending.abort();
  };
  const policy = { startingFrom: new Date(NOON_MS + HOUR_MS).toISOString() };
  await startRetention({ log, policy, clock, sleep, signal: ending.signal, unlinkMs: 0, clockSkewMs: 0 });
  for (const [index, removed] of steps.entries()) expect(removed - (steps[index - 1] ?? 0)).toBeLessThanOrEqual(1);
  expect(steps.at(-1)).toBe(6);
  expect(log.heldFrom).toBe(1501);
});

test.each([
  ['tombstoned', HOUR_MS],
  ['purged', 0],
])('it goes on where pages that are %s stand right before unlinked ones', async (state, tombstoneMs) => {
  const { log, start, until } = await newWorld(5, tombstoneMs);
  await log.unlink(extentOfPages(0, 1));
  await log.erase(extentOfPages(0, 1));
  await log.unlink(extentOfPages(2, 3));
  expect(states(log)).toEqual([
    [1, 500, state],
    [501, 1000, 'unlinked'],
  ]);
  const told = start({ fullLogMs: HOUR_MS });
  await until(NOON_MS + HOUR_MS + 2 * MINUTE_MS + 3000);
  expect(told).toEqual([]);
  expect(log.heldFrom).toBe(1251);
});

test('what the store throws is told and tried again, while what was unlinked before is erased after the lead', async () => {
  const { log, start, sleeps, until } = await newWorld(2);
  await log.unlink(extentOfPage(0));
  const failure = new StreamError('ERR_STORE_WRITE', 'no room', {});
  const unlink = vi.spyOn(log, 'unlink').mockRejectedValue(failure);
  const told = start({ startingFrom: new Date(NOON_MS + HOUR_MS).toISOString() });
  await until(NOON_MS + MINUTE_MS - 1000, 10_000);
  expect(states(log)).toEqual([[1, 250, 'unlinked']]);
  await until(NOON_MS + 2 * MINUTE_MS, 10_000);
  expect(states(log)).toEqual([[1, 250, 'tombstoned']]);
  expect(new Set(told)).toEqual(new Set([failure]));
  expect(sleeps.filter((ms) => ms === 10_000)).toHaveLength(unlink.mock.calls.length);
  unlink.mockRestore();
  await until(NOON_MS + 2 * MINUTE_MS + 12_000);
  expect(states(log)[1]).toEqual([251, 500, 'unlinked']);
});

test('it goes on where another has removed a page that it has looked at', async () => {
  const { log, start, until } = await newWorld(4);
  const told = start({ fullLogMs: HOUR_MS });
  await until(NOON_MS + HOUR_MS);
  await log.unlink(extentOfPage(1));
  await log.erase(extentOfPage(1));
  await until(NOON_MS + HOUR_MS + 2 * MINUTE_MS + 3000);
  expect(told).toEqual([]);
  expect(states(log)).toEqual([[1, 1000, 'tombstoned']]);
});

test('a cache that deletes nothing is told of once, and holds nothing up', async () => {
  const { log, start, sleeps, until } = await newWorld(4);
  const failure = new StreamError('ERR_DISK_CACHE_WRITE', 'no folder', {});
  const erase = log.erase.bind(log);
  vi.spyOn(log, 'erase').mockImplementation(async (extent) => {
    await erase(extent);
    throw failure;
  });
  const told = start({ fullLogMs: 1 });
  await until(NOON_MS + 2 * MINUTE_MS + 2000);
  expect(states(log)).toEqual([[1, 1000, 'tombstoned']]);
  expect(told).toEqual([failure]);
  expect(sleeps).not.toContain(10_000);
});

test('it ends by itself when the log is closed', async () => {
  const { log, clock } = await newWorld(1);
  const sleep = () => log.close();
  await startRetention({ log, policy: { fullLogMs: 1 }, clock, sleep, signal: new AbortController().signal });
  await expect(log.append([upsert('a')])).rejects.toMatchObject({ code: 'ERR_LOG_CLOSED' });
});

test('a commit larger than a step is taken in steps', async () => {
  const { log, start, until } = await newWorld(0);
  start({ versionAmount: 1 });
  await log.append(Array.from({ length: 1250 }, (_, key) => upsert(key)));
  await log.append(Array.from({ length: 1000 }, (_, key) => (key < 500 ? remove(key) : upsert(key, 1))));
  const read = vi.spyOn(log, 'read');
  await until(NOON_MS + 2 * MINUTE_MS);
  expect(states(log)).toEqual([[1, 1000, 'unlinked']]);
  expect(Math.max(...read.mock.calls.map(([, limit]) => limit))).toBe(250);
});
