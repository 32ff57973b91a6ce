import type { Member } from '@ldes-live/rdf-stream';
import { until } from '@ldes-live/test-support/virtual-time';
import type { Quad } from '@rdfjs/types';
import { expect, expectTypeOf, test } from 'vitest';
import type { Change, GapChange, MemberChange } from '../../src/index.ts';
import {
  clientOf,
  followOrigin,
  pushing,
  reading,
  sequences,
  setUpOrigin,
  take,
  testLimits,
} from '../support/setup-origin.ts';

test('MAL-21 counts live updates that came later than the MAL', async () => {
  const { origin, time, follower, next } = await pushing(2);
  time.nowMs += 10;
  origin.onEvent = () => [];
  origin.commit('b');
  time.nowMs += 1_001;
  origin.onEvent = (frame) => [frame];
  origin.commit('c');
  expect(await next).toMatchObject([{ lagMs: 1_001 }, { lagMs: 0 }]);
  expect(follower.status.malMisses).toBe(1);
});

const VERSIONS = ['all', 'newest'] as const;
const BUSY = expect.objectContaining({ code: 'ERR_FOLLOWER_BUSY' });
const OVER = { done: true, value: undefined };

test.each(VERSIONS)('an iteration begins with its first change: %s', async (versions) => {
  const { origin, time } = await setUpOrigin('a');
  const { signal } = new AbortController();
  let listening = 0;
  const add = signal.addEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listening += 1;
    add(...args);
  };
  const follower = followOrigin(origin, {}, { versions, signal });
  const iterator = reading(follower);
  await time.pass(60_000);
  expect(follower.state).toEqual({ url: origin.url });
  expect([listening, time.running(testLimits.watchMs), origin.seen.length]).toEqual([0, 0, 0]);
  expect(sequences(await take(iterator, 1))).toEqual([1]);
  expect(time.running(testLimits.watchMs)).toBe(1);
  await iterator.return?.();
  expect(time.running(testLimits.watchMs)).toBe(0);
});

test.each(VERSIONS)('an iteration that is over ends no later one: %s', async (versions) => {
  const { origin } = await setUpOrigin('a', 'b', 'c');
  const follower = followOrigin(origin, { mal: 1 }, { versions });
  const first = reading(follower);
  await take(first, 1);
  expect(await Promise.all([first.return?.(), first.return?.()])).toEqual([OVER, OVER]);
  const second = reading(follower);
  expect(sequences(await take(second, 1))).toEqual([2]);
  expect(await first.return?.()).toEqual(OVER);
  expect(await first.next()).toEqual(OVER);
  expect(() => reading(follower)).toThrow(BUSY);
  expect(sequences(await take(second, 1))).toEqual([3]);
  const next = take(second, 1);
  await until(() => origin.pushed.size === 1);
  await first.return?.();
  origin.commit('d');
  expect(sequences(await next)).toEqual([4]);
  expect(follower.status.state).toBe('pushing');
});

test.each(VERSIONS)('as soon as any of its ends is told, another may begin: %s', async (versions) => {
  const { origin } = await setUpOrigin('a');
  const follower = followOrigin(origin, { mal: 1 }, { versions });
  for (const end of ['return', 'return again', 'the read that waits'] as const) {
    const iterator = reading(follower);
    const waiting = iterator.next().then((result) => (result.done ? result : iterator.next()));
    await until(() => origin.pushed.size === 1);
    const returned = iterator.return?.();
    await (end === 'return' ? returned : end === 'return again' ? iterator.return?.() : waiting);
    await reading(follower).return?.();
    await Promise.all([waiting, returned]);
    await until(() => origin.pushed.size === 0);
  }
});

test.each(VERSIONS)('what a loop throws ends it, and reaches whoever began it: %s', async (versions) => {
  const { origin } = await setUpOrigin('a', 'b');
  const follower = followOrigin(origin, { mal: 1 }, { versions });
  const loop = async () => {
    for await (const _ of follower) throw new Error('no room');
  };
  await expect(loop()).rejects.toThrow('no room');
  expect(follower.status.state).toBe('ended');
  expect(sequences(await take(reading(follower), 1))).toEqual([2]);
});

test.each(VERSIONS)('one iteration at a time, be it a loop or run(): %s', async (versions) => {
  const { origin } = await setUpOrigin('a');
  const controller = new AbortController();
  const follower = followOrigin(origin, { mal: 1 }, { versions, signal: controller.signal });
  const iterator = reading(follower);
  await expect(follower.run()).rejects.toThrow(BUSY);
  expect(sequences(await take(iterator, 1))).toEqual([1]);
  await iterator.return?.();
  const running = follower.run();
  expect(() => reading(follower)).toThrow(BUSY);
  await expect(follower.run()).rejects.toThrow(BUSY);
  await until(() => origin.pushed.size === 1);
  controller.abort('enough');
  await expect(running).rejects.toBe('enough');
  await until(() => origin.pushed.size === 0);
});

test.each(VERSIONS)('loops that are left give the log, each change once: %s', async (versions) => {
  const { origin } = await setUpOrigin();
  // Every version is of an entity of its own: nothing is left out.
  origin.commit('a', 'b', 'c');
  for (const name of ['d', 'e', 'f', 'g', 'h']) origin.commit(name);
  const follower = followOrigin(origin, { mal: 1 }, { versions, from: 'start' });
  const read: number[] = [];
  for (let loop = 0; loop < 10; loop += 1) {
    if (loop === 6) origin.commit('i', 'j', 'k');
    for await (const change of follower) {
      read.push(change.member?.sequence ?? 0);
      if (loop % 3 === 1 || read.length === 11) break;
      if (read.length % 2 === 0) break;
    }
    if (read.length === 11) break;
  }
  expect(read).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(follower.status.conflated).toBe(0);
});

test.each(VERSIONS)('an abort ends all with its reason, for good: %s', async (versions) => {
  const { origin, time } = await setUpOrigin('a', 'b');
  const ending = new AbortController();
  const follower = followOrigin(origin, { mal: 1 }, { versions, from: 'start', signal: ending.signal });
  const iterator = reading(follower);
  await take(iterator, 2);
  const pushed = take(iterator, 1);
  await until(() => origin.pushed.size === 1);
  origin.commit('c', 'd');
  await pushed;
  // Nobody asks for the next change, and is told when asking.
  ending.abort('enough');
  await until(() => origin.pushed.size === 0);
  expect([follower.status.state, time.running(testLimits.watchMs)]).toEqual(['ended', 0]);
  await expect(iterator.next()).rejects.toBe('enough');
  expect(await iterator.next()).toEqual(OVER);
  const asked = origin.seen.length;
  await expect(reading(follower).next()).rejects.toBe('enough');
  await time.pass(60_000);
  expect([origin.seen.length, time.running(testLimits.watchMs)]).toEqual([asked, 0]);
  expect(follower.state.cursor).toBe('e1-3');
});

test('MAL-64 beginning to read costs nothing, however often a program does', async () => {
  const { origin, time } = await setUpOrigin('a');
  const client = clientOf(origin, { mal: 60, limits: { requestBurst: 3 } });
  for (let count = 0; count < 12; count += 1) {
    const loop = reading(client.follow(origin.url));
    expect(sequences(await take(loop, 1))).toEqual([1]);
    await loop.return?.();
  }
  expect(time.waits).toEqual([]);
});

const ends = (changes: Awaited<ReturnType<typeof take>>) => changes.map(({ endsCommit }) => endsCommit);

test('the last of a pushed commit ends it, and the last of the state', async () => {
  const { origin, time } = await setUpOrigin('a');
  time.nowMs += 1000;
  origin.commit('b', 'c');
  const iterator = reading(followOrigin(origin, { mal: 1 }));
  expect(ends(await take(iterator, 3))).toEqual([false, false, true]);
  const pushed = take(iterator, 4);
  await until(() => origin.pushed.size === 1);
  origin.commit('d', 'e', 'f');
  origin.commit('g');
  expect(ends(await pushed)).toEqual([false, false, true, true]);
});

test('on pages a commit ends where the next member is of another time; at the end of a page more may follow', async () => {
  const { origin, time } = await setUpOrigin('a', 'b');
  time.nowMs += 1000;
  // Pages of four: this one goes on over the end of the first.
  origin.commit('c', 'd', 'e', 'f', 'g');
  const changes = await take(reading(followOrigin(origin, {}, { from: 'start' })), 7);
  expect(ends(changes)).toEqual([false, true, false, false, false, false, true]);
});

test('what a change is tells what it has', () => {
  const read = (change: Change) => {
    if (change.kind === 'gap') {
      expectTypeOf(change).toEqualTypeOf<GapChange>();
      expectTypeOf(change.from).toEqualTypeOf<string>();
      expectTypeOf(change.member).toEqualTypeOf<undefined>();
    } else {
      expectTypeOf(change).toEqualTypeOf<MemberChange>();
      expectTypeOf(change.kind).toEqualTypeOf<'upsert' | 'delete'>();
      expectTypeOf(change.member).toEqualTypeOf<Member>();
      expectTypeOf(change.member.quads).toEqualTypeOf<readonly Quad[]>();
      expectTypeOf(change.lagMs).toEqualTypeOf<number>();
    }
    expectTypeOf(change.cursor).toEqualTypeOf<string>();
    expectTypeOf(change.via).toEqualTypeOf<'pull' | 'push'>();
  };
  expectTypeOf(read).returns.toEqualTypeOf<void>();
  expectTypeOf<MemberChange>().toEqualTypeOf<Readonly<MemberChange>>();
  expectTypeOf<GapChange>().toEqualTypeOf<Readonly<GapChange>>();
});

test.each(VERSIONS)('wherever a loop is left, the state goes on from what it was given: %s', async (versions) => {
  const { origin, time } = await setUpOrigin('a', 'b', 'c');
  origin.offersPush = false;
  let calls = 0;
  for (let at = 1; at <= calls + 1; at += 1) {
    const stop = new AbortController();
    calls = 0;
    // What waits in between may end just then.
    const clock = () => {
      calls += 1;
      if (calls === at) stop.abort();
      return time.nowMs;
    };
    const request = { from: 'start', versions, signal: stop.signal } as const;
    const follower = clientOf({ time }, { clock, mal: 4 }).follow(origin.url, request);
    let given = 0;
    try {
      for await (const change of follower) {
        if (change.kind !== 'gap') given = change.member.sequence;
        if (given === 3) break;
      }
    } catch (error) {
      expect(error).toBe(stop.signal.reason);
    }
    expect(Number(follower.state.cursor?.split('-')[1] ?? 0)).toBeLessThanOrEqual(given);
  }
  expect(calls).toBeGreaterThan(10);
});
