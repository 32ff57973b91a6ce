import { until, VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import type { Change, Follower, FollowOptions } from '../../src/index.ts';
import {
  clientOf,
  following,
  followOrigin,
  reading,
  sequences,
  setUpOrigin,
  take,
  turns,
} from '../support/setup-origin.ts';
import { BASE } from '../tree/model-publisher.ts';
import { IMMUTABLE, member, ROOT, ScriptedPages } from '../tree/scripted-pages.ts';

/** Entities by name with the sequence of the newest version among changes. */
function newest(changes: readonly Change[]): Record<string, number> {
  const members = changes.flatMap((change) => change.member ?? []);
  return Object.fromEntries(members.map(({ entity, sequence }) => [entity.split('/').at(-1), sequence]));
}

/** How many versions changes tell of, those included that they leave out. */
function versions(changes: readonly Change[]): number {
  return changes.reduce((sum, { conflated = 0 }) => sum + 1 + conflated, 0);
}

test.each([
  [1, 'start'],
  [3, 'start'],
  [3, 'latest'],
  [10, 'latest'],
])('a state saved at any change lacks nothing, with a buffer of %s, from %s', async (bufferEntities, from) => {
  const { origin } = await setUpOrigin();
  for (const names of [['a', 'b'], ['c'], ['a', 'd'], ['e', 'b'], ['a']]) origin.commit(...names);
  const all = { a: 8, b: 7, c: 3, d: 5, e: 6 };
  const limits = { bufferEntities };
  const follower = followOrigin(origin, { mal: 1, limits }, { from, versions: 'newest' });
  const iterator = reading(follower);
  const given: Change[] = [];
  const isWhole = () => Object.entries(all).every(([name, sequence]) => newest(given)[name] === sequence);
  while (!isWhole()) {
    given.push(...(await take(iterator, 1)));
    for (const isSettled of [false, true]) {
      if (isSettled) await turns();
      const state = JSON.parse(JSON.stringify(follower.state));
      const rest = await restOf(followOrigin(origin, { mal: 1 }, { state, versions: 'newest' }));
      expect({ ...newest(given), ...newest(rest) }, state.cursor).toEqual(all);
    }
  }
  expect(follower.state.cursor).toBe('e1-8');
});

/** What a follower brings until it waits for more. */
async function restOf(follower: Follower): Promise<Change[]> {
  const rest: Change[] = [];
  const iterator = reading(follower);
  const looped = (async () => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) rest.push(next.value);
  })();
  await until(() => follower.status.state === 'pushing');
  await turns();
  await iterator.return?.();
  await looped;
  return rest;
}

test('a state counts what was found out and not given: a gap', async () => {
  const { origin } = await setUpOrigin('a', 'b');
  const follower = followOrigin(origin, {}, { versions: 'newest', from: 'e0-7' });
  const cursors = new Set<string | undefined>();
  follower.on('status', () => cursors.add(follower.state.cursor));
  const iterator = reading(follower);
  const next = take(iterator, 1);
  expect(follower.state.cursor).toBe('e0-7');
  expect(await next).toMatchObject([{ kind: 'gap', from: 'e0-7', cursor: 'e1-0' }]);
  expect([...cursors]).toEqual(['e0-7']);
  expect(follower.state.cursor).toBe('e1-0');
});

test('from now on: where it began is its state before anything came', async () => {
  const { origin } = await setUpOrigin('a', 'b');
  const follower = followOrigin(origin, { mal: 1 }, { versions: 'newest', from: 'now' });
  const next = take(reading(follower), 1);
  await until(() => origin.pushed.size === 1);
  expect(follower.state.cursor).toBe('e1-2');
  origin.commit('a');
  expect(sequences(await next)).toEqual([3]);
});

test.each([1, 2, 10])('the next loop is given what was read ahead, buffer %s', async (bufferEntities) => {
  const { origin } = await setUpOrigin();
  const names = ['a', 'b', 'a', 'c', 'd', 'a', 'e', 'b', 'c', 'f', 'a', 'g'];
  for (const name of names) origin.commit(name);
  const limits = { bufferEntities };
  const follower = followOrigin(origin, { mal: 1, limits }, { from: 'start', versions: 'newest' });
  const given: Change[] = [];
  const isWhole = () => versions(given) === names.length;
  for (let loops = 0; !isWhole() && loops < 20; loops += 1) {
    for await (const change of follower) {
      given.push(change);
      if (loops % 2 === 0) await turns();
      if (isWhole() || given.length % 3 !== 1) break;
    }
  }
  expect(versions(given)).toBe(names.length);
  expect(follower.status.conflated).toBe(names.length - given.length);
  expect(newest(given)).toEqual({ a: 11, b: 8, c: 9, d: 5, e: 7, f: 10, g: 12 });
  origin.commit('h');
  expect(sequences(await take(reading(follower), 1))).toEqual([13]);
});

test.each([
  [2, 0, 2],
  [3, 3, 7],
  [4, 3, 7],
])('with room for %i, %i versions are left out', async (bufferEntities, conflated, rest) => {
  const { origin } = await setUpOrigin();
  for (const name of ['x', 'a', 'b', 'c', 'a', 'b', 'c', 'd']) origin.commit(name);
  const limits = { bufferEntities };
  const follower = followOrigin(origin, { mal: 1, limits }, { from: 'start', versions: 'newest' });
  const iterator = reading(follower);
  await take(iterator, 1);
  await turns();
  // With room for three, the new versions of the three take the places of the old; with less, reading waits.
  expect(follower.status.conflated).toBe(conflated);
  expect(versions(await take(iterator, bufferEntities === 2 ? 2 : 4))).toBe(rest);
});

const IDS = ['a1', 'b1', 'a2', 'c1', 'd1', 'b2', 'e1', 'a3', 'f1'];
const NEWEST_IDS = ['a3', 'b2', 'c1', 'd1', 'e1', 'f1'];

/** A finished LDES of another publisher. */
function followPages(bufferEntities: number, request: FollowOptions): Follower {
  const text = ROOT + IDS.map((id, index) => member(id, `0${index}:00`)).join('');
  const { fetch, nowMs } = new ScriptedPages({ '/root': { text, ...IMMUTABLE } });
  const time = new VirtualTime({ startMs: nowMs, waits: 'at once' });
  return clientOf({ time }, { fetch, limits: { bufferEntities } }).follow(`${BASE}/root`, request);
}

function namesOf(changes: readonly Change[]): string[] {
  return changes.map(({ member }) => member?.id.replace(`${BASE}/`, '') ?? 'gap');
}

test.each([1, 10])('a state of any LDES brings what waits, with a buffer of %s', async (bufferEntities) => {
  for (const from of ['start', 'latest'] as const) {
    const follower = followPages(bufferEntities, { from, versions: 'newest', order: 'ascending' });
    const given: string[] = [];
    const restLengths: number[] = [];
    for await (const change of follower) {
      given.push(...namesOf([change]));
      for (const isSettled of [false, true]) {
        // Of a busy machine the reading pauses more often.
        if (isSettled) await turns(200);
        const state = JSON.parse(JSON.stringify(follower.state));
        const rest: string[] = [];
        const again = followPages(bufferEntities, { from, state, versions: 'newest' });
        for await (const later of again) rest.push(...namesOf([later]));
        const known = new Set([...given, ...rest]);
        for (const id of NEWEST_IDS) expect(known, `${from} ${given}`).toContain(id);
        restLengths.push(rest.length);
      }
    }
    // At the end nothing waits, and nothing is left to bring; on the way less and less is brought again.
    expect(restLengths.at(-1)).toBe(0);
    expect(restLengths.at(-3)).toBeLessThan(restLengths[0] as number);
  }
});

test.each(['start', 'latest'])('a loop over any LDES that was left goes on: %s', async (from) => {
  const follower = followPages(2, { from, versions: 'newest', order: 'ascending' });
  const given: Change[] = [];
  for (let loops = 0; loops < 4; loops += 1) {
    for await (const change of follower) {
      given.push(change);
      if (loops % 2 === 0) await turns();
      break;
    }
  }
  for await (const change of follower) given.push(change);
  expect(new Set(namesOf(given)).size).toBe(given.length);
  expect(namesOf(given)).toEqual(expect.arrayContaining(NEWEST_IDS));
  // The first result has the newest only: nothing is left out on the way.
  expect(versions(given)).toBe(from === 'start' ? IDS.length : 6);
  expect(follower.status.conflated).toBe(versions(given) - given.length);
});

test('a state that is saved again before anything was read is the same', async () => {
  const first = followPages(10, { from: 'start', order: 'ascending' });
  await take(reading(first), 3);
  const state = JSON.parse(JSON.stringify(first.state));
  expect(state.tree.sequence).toBe(3);
  for (const versions of ['all', 'newest'] as const) {
    const second = followPages(10, { state, versions });
    expect(second.state).toEqual(state);
    const third = followPages(10, { state: second.state, versions, order: 'ascending' });
    const rest = namesOf(await take(reading(third), 10));
    if (versions === 'all') expect(rest).toEqual(IDS.slice(3));
    else expect(rest.sort()).toEqual(NEWEST_IDS);
  }
});

test('a reader of the newest versions is caught up when it has taken them, not when they were read for it', async () => {
  const { origin } = await setUpOrigin('a', 'b', 'c');
  const follower = followOrigin(origin, { mal: 1 }, { versions: 'newest' });
  const told: boolean[] = [];
  follower.on('caught-up', ({ isCaughtUp }) => told.push(isCaughtUp));
  const iterator = reading(follower);
  await take(iterator, 1);
  await until(() => follower.status.state === 'pushing');
  expect([follower.status.isCaughtUp, told]).toEqual([false, []]);
  await take(iterator, 2);
  expect([follower.status.isCaughtUp, told]).toEqual([true, [true]]);
});

test('MAL-20 what waits for a slow reader of the newest versions makes the bound grow', async () => {
  const { origin, time, follower, iterator } = await following({ mal: 1 }, { request: { versions: 'newest' } });
  await until(() => origin.pushed.size === 1);
  time.nowMs += 100;
  origin.commit('a');
  await until(() => !follower.status.isCaughtUp);
  time.nowMs += 7_000;
  expect(follower.status.lagBoundMs).toBeGreaterThanOrEqual(7_000);
  const [change] = await take(iterator, 1);
  expect(change?.lagMs).toBe(7_000);
  expect(follower.status.malMisses).toBe(1);
});
