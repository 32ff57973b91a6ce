import { commitEvent } from '@ldes-live/codec';
import { prefixes } from '@ldes-live/rdf-stream';
import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { type Change, createLiveClient } from '../../src/index.ts';
import { conflation } from '../support/conflation.ts';
import { followOrigin, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';
import { testLimits } from '../support/test-limits.ts';

test('MAL-52 a reader of the newest versions takes a conflation as it comes, and counts what it left out', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  const follower = followOrigin(setup, { mal: 1 }, { versions: 'newest' });
  const iterator = reading(follower);
  await take(iterator, 1);
  const next = take(iterator, 2);
  await until(() => origin.pushed.size === 1);
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

test('MAL-52 a conflation that breaks off is gone on with, and no version is told after a newer one', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  const follower = followOrigin(setup, { mal: 1 }, { versions: 'newest' });
  const iterator = reading(follower);
  await take(iterator, 1);
  const first = take(iterator, 1);
  await until(() => origin.pushed.size === 1);
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

test('MAL-86 a publisher whose clock is ahead freezes no bound, and hides no update that does not come', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.pollingIntervalSeconds = 5;
  origin.commit('a');
  origin.nextUpdateMs = time.nowMs + 5_000;
  let isHeld = true;
  // Time stands still until the test lets it go on.
  const sleep: typeof time.sleep = (ms, signal) =>
    isHeld && ms < 1_000_000
      ? new Promise((_, reject) => signal?.addEventListener('abort', reject))
      : time.sleep(ms, signal);
  const follower = followOrigin(setup, { mal: 2, sleep });
  const iterator = reading(follower);
  await take(iterator, 1);
  const next = take(iterator, 1);
  await until(() => origin.pushed.size === 1 && follower.status.state === 'pushing');
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

test('MAL-18 an event that lacks the last members of its commit leads to the pages', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  const iterator = reading(followOrigin(setup, { mal: 1 }));
  await take(iterator, 1);
  const next = take(iterator, 3);
  await until(() => origin.pushed.size === 1);
  origin.onEvent = (_, commit) => [
    commitEvent({ ...commit, members: commit.members.slice(0, 1) }, origin.description, prefixes),
  ];
  origin.commit('b', 'c', 'd');
  expect((await next).map(({ via, cursor }) => [via, cursor])).toEqual([
    ['push', 'e1-2'],
    ['pull', 'e1-3'],
    ['pull', 'e1-4'],
  ]);
  expect(origin.requestsTo(/events/)).toHaveLength(1);
});

/**
 * One reader takes a conflation from e1-3, of which the first part has come, while another begins to read by push at e1-3.
 * Then the rest comes.
 */
async function joinInTheMiddle(versions: 'newest' | 'all') {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.commit('a', 'b', 'c');
  const limits = { ...testLimits, bufferEntities: 1 };
  const client = createLiveClient({ mal: 1, clock: time.clock, sleep: time.sleep, random: () => 0.5, limits });
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

test('MAL-90 a reader of the newest versions that joins in the middle of a conflation lacks nothing of it', async () => {
  const { follower, changes } = await joinInTheMiddle('newest');
  const newest = new Map(changes.map((change) => [change.member?.entity.split('/').at(-1), change.member?.sequence]));
  expect(Object.fromEntries(newest)).toEqual({ b: 2, c: 3, d: 7, e: 5, f: 6 });
  expect(follower.state.cursor).toBe('e1-7');
});

test('MAL-90 a reader of all versions that joins in the middle of a conflation reads them from the pages', async () => {
  const { follower, changes } = await joinInTheMiddle('all');
  expect(sequences(changes)).toEqual([2, 3, 4, 5, 6, 7]);
  expect(follower.status).toMatchObject({ isCaughtUp: true, gaps: 0 });
});
