import { LIMIT_MS, until, type VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { UpdateEstimator } from '../../src/connection/update-estimator.ts';
import type { Change, Sleep } from '../../src/index.ts';
import { answering, conflation } from '../support/scripted-origin.ts';
import { clientOf, pushing, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';

test('a reader of the newest versions takes a conflation as it comes, and counts what it left out', async () => {
  const { origin, follower, next } = await pushing(2, { mal: 1 }, { request: { versions: 'newest' } });
  origin.onEvent = () => [];
  for (const name of ['a', 'b', 'a', 'b', 'a']) origin.commit(name);
  origin.onEvent = () => conflation(origin, 'e1-1');
  origin.commit('b');
  // The newest of each entity: a of 6, b of 7.
  expect(sequences(await next)).toEqual([6, 7]);
  await until(() => follower.state.cursor === 'e1-7');
  expect(follower.status).toMatchObject({ conflated: 4, gaps: 0 });
  expect(origin.requestsTo(/^\/s\/pages/)).toHaveLength(0);
});

test('a conflation that breaks off is gone on with, and no version is told after a newer one', async () => {
  const { origin, follower, iterator, next: first } = await pushing(1, { mal: 1 }, { request: { versions: 'newest' } });
  origin.onEvent = () => [];
  for (const name of ['b', 'a', 'c']) origin.commit(name);
  origin.onEvent = () => {
    // The beginning of it and the first member, then the end of the connection; the next is sent all in order.
    const frames = conflation(origin, 'e1-1');
    origin.onEvent = (frame) => [frame];
    for (const connection of [...origin.pushed]) {
      connection.write(frames[0] as Uint8Array);
      connection.end(frames[1]);
    }
    return [];
  };
  origin.commit('c');
  expect(sequences(await first)).toEqual([2]);
  const rest: number[] = [];
  while (rest.at(-1) !== 5) rest.push(...sequences(await take(iterator, 1)));
  expect(rest).toEqual([...rest].sort((left, right) => left - right));
  expect(new Set([2, ...rest]).size).toBe(rest.length + 1);
  expect(follower.status.conflated + rest.length + 1).toBe(4);
});

test('what a conflation told of is lacking, also when it broke off and the server is away', async () => {
  const { origin, follower } = await pushing(1, { mal: 1 }, { request: { versions: 'newest' } });
  origin.onEvent = () => [];
  for (const name of ['b', 'a']) origin.commit(name);
  origin.onEvent = () => {
    const [beginning] = conflation(origin, 'e1-1');
    for (const connection of [...origin.pushed]) connection.end(beginning);
    return [];
  };
  origin.fault = answering(503);
  origin.commit('c');
  await until(() => follower.status.state === 'backing-off');
  expect(follower.status.isCaughtUp).toBe(false);
});

test('a publisher whose clock is ahead freezes no bound, and hides no update that does not come', async () => {
  let isHeld = true;
  // Time stands still until the test lets it go on.
  const sleepOf = (time: VirtualTime): Sleep => {
    return (ms, signal) => {
      if (!isHeld || ms >= LIMIT_MS) return time.sleep(ms, signal);
      return new Promise((_, reject) => signal.addEventListener('abort', reject));
    };
  };
  const given = { origin: { pollingIntervalSeconds: 5 }, nextUpdateInMs: 5_000, sleepOf };
  const { origin, time, follower, iterator, next } = await pushing(1, { mal: 2 }, given);
  await until(() => follower.status.state === 'pushing');
  time.nowMs += 5_000 + 3_600_000;
  const commit = origin.commit('b');
  time.nowMs -= 3_600_000;
  expect(await next).toMatchObject([{ via: 'push', lagMs: 0 }]);
  expect(Date.parse(commit.time)).toBe(time.nowMs + 3_600_000);
  expect(follower.status.lagBoundMs).toBeLessThan(100);
  time.nowMs += 20_000;
  expect(follower.status.lagBoundMs).toBeGreaterThanOrEqual(14_900);
  // The next one is not brought: it is due, whatever the time of the one before.
  origin.onEvent = () => [];
  origin.commit('c');
  isHeld = false;
  expect(await take(iterator, 1)).toMatchObject([{ via: 'pull', cursor: 'e1-3' }]);
});

/**
 * One reader takes a conflation from e1-3, of which the first part has come, while another begins to read by push at e1-3.
 * Then the rest comes.
 */
async function joinInTheMiddle(versions: 'newest' | 'all') {
  const { origin } = await setUpOrigin('a', 'b', 'c');
  const limits = { bufferEntities: 1 };
  const client = clientOf(origin, { mal: 1, limits });
  const early = reading(client.follow(origin.url, { versions: 'newest' }));
  await take(early, 3);
  const follower = client.follow(origin.url, { from: 'start', versions });
  const late = reading(follower);
  // The rest of its first page waits for it.
  await take(late, 1);
  const waiting = take(early, 1);
  await until(() => origin.pushed.size === 1);
  origin.onEvent = () => [];
  for (const name of ['d', 'e', 'f', 'd']) origin.commit(name);
  const frames = conflation(origin, 'e1-3');
  const send = (part: readonly Uint8Array[]) => {
    for (const connection of origin.pushed) for (const frame of part) connection.write(frame);
  };
  send(frames.slice(0, 2));
  await waiting;
  const changes: Change[] = [];
  const rest = (async () => {
    while (changes.at(-1)?.member?.sequence !== 7) changes.push(...(await take(late, 1)));
  })();
  void take(early, 2);
  await until(() => follower.status.state === 'repairing' || follower.status.state === 'pushing');
  send(frames.slice(2));
  await rest;
  return { follower, changes };
}

test('MAL-18 a reader of the newest versions that joins in the middle of a conflation lacks nothing of it', async () => {
  const { follower, changes } = await joinInTheMiddle('newest');
  const newest = new Map(changes.map((change) => [change.member?.entity.split('/').at(-1), change.member?.sequence]));
  expect(Object.fromEntries(newest)).toEqual({ b: 2, c: 3, d: 7, e: 5, f: 6 });
  expect(follower.state.cursor).toBe('e1-7');
});

test('MAL-18 a reader of all versions that joins in the middle of a conflation reads them from the pages', async () => {
  const { follower, changes } = await joinInTheMiddle('all');
  expect(sequences(changes)).toEqual([2, 3, 4, 5, 6, 7]);
  expect(follower.status).toMatchObject({ isCaughtUp: true, gaps: 0 });
});

const EVERY_5_S = { nextUpdateMs: 10_000, intervalMs: 5_000 };

/** An estimator that was told of these updates by a document, and then of these commits. */
function estimator(stated?: Parameters<UpdateEstimator['stated']>[0], ...commitsMs: number[]): UpdateEstimator {
  const made = new UpdateEstimator();
  if (stated) made.stated(stated);
  for (const timeMs of commitsMs) made.committed(timeMs);
  return made;
}

test('goes on from what a document predicted, an interval apart, as commits come', () => {
  expect(estimator().nextUpdateMs(0)).toBeUndefined();
  const rhythm = estimator(EVERY_5_S);
  expect(rhythm.nextUpdateMs(8_000)).toBe(10_000);
  rhythm.committed(10_040);
  expect(rhythm.nextUpdateMs(10_050)).toBe(15_000);
  // One that was missed, and a late one.
  rhythm.committed(21_900);
  // It is overdue until it comes.
  expect([22_000, 99_000].map((nowMs) => rhythm.nextUpdateMs(nowMs))).toEqual([25_000, 25_000]);
});

test('tells the first update that is due after an instant, whatever did not come', () => {
  const dueMs = [0, 9_999, 10_000, 14_999, 15_000, 62_000].map((ms) => estimator(EVERY_5_S).dueAfterMs(ms, ms));
  expect(dueMs).toEqual([10_000, 10_000, 15_000, 15_000, 20_000, 65_000]);
});

test('a document that says nothing of the next update takes nothing back', () => {
  const rhythm = estimator(EVERY_5_S);
  rhythm.stated({ intervalMs: 5_000 });
  rhythm.committed(10_001);
  expect(rhythm.nextUpdateMs(10_002)).toBe(15_000);
});

test('learns from the commits where no document tells', () => {
  // An old event that comes again changes nothing.
  const rhythm = estimator(undefined, ...Array.from({ length: 13 }, (_, count) => count * 60_000), 60_000);
  expect([rhythm.nextUpdateMs(721_000), rhythm.intervalMs(721_000)]).toEqual([780_000, 60_000]);
});

test.each([
  ['late ones', [10_000, 18_000, 20_000, 27_000, 31_000, 35_000]],
  ['several for one update', [10_000, 10_900, 15_000, 15_100, 15_200]],
  ['ones that are a little early', [9_000, 14_000, 19_000]],
  ['ones that are left out', [10_000, 40_000, 55_000]],
])('goes on by what was stated with %s', (_, commitsMs) => {
  expect(estimator(EVERY_5_S, ...commitsMs).intervalMs(60_000)).toBe(5_000);
});

test.each([
  ['in the middle of an interval', EVERY_5_S, [10_000, 12_500]],
  ['before the first that was predicted', EVERY_5_S, [7_000]],
  ['before the one that was predicted, with no interval', { nextUpdateMs: 10_000 }, [8_900]],
])('a commit that comes %s disproves what was stated', (_, stated, commitsMs) => {
  const rhythm = estimator(stated, ...commitsMs);
  expect([rhythm.nextUpdateMs(13_000), rhythm.intervalMs(13_000)]).toEqual([undefined, undefined]);
  rhythm.stated({ nextUpdateMs: 20_000, intervalMs: 10_000 });
  expect(rhythm.nextUpdateMs(13_000)).toBe(20_000);
});

test('no update is expected later than an interval after the last, where a source is slower than it states', () => {
  const rhythm = estimator(EVERY_5_S);
  const expected = [10_000, 15_250, 20_500, 25_750, 31_000, 36_250, 43_000].map((timeMs) => {
    rhythm.committed(timeMs);
    return rhythm.nextUpdateMs(timeMs);
  });
  // The last is nearer to the instant that it did not come at than to its own.
  expect(expected).toEqual([15_000, 20_000, 25_000, 30_000, 35_000, 40_000, 48_000]);
});

test('a commit a little before its prediction is what was predicted, but none that was known by then', () => {
  const rhythm = new UpdateEstimator();
  rhythm.committed(9_900);
  rhythm.stated(EVERY_5_S);
  expect(rhythm.nextUpdateMs(9_950)).toBe(10_000);
  rhythm.committed(9_970);
  expect(rhythm.nextUpdateMs(10_050)).toBe(14_970);
});
