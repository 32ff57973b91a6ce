import { until, VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { type Change, createLiveClient, type Follower, type FollowOptions } from '../../src/index.ts';
import { following, followOrigin, reading, sequences, setUpOrigin, take, testLimits } from '../support/setup-origin.ts';
import { BASE } from '../tree/model-publisher.ts';
import { member, ROOT, ScriptedPages } from '../tree/scripted-pages.ts';

/** Lets what can be read ahead be read. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

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
])(
  'MAL-76 a state saved at any change brings all that was not given, with a buffer of %s entities, from %s',
  async (bufferEntities, from) => {
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
        if (isSettled) await settle();
        const state = JSON.parse(JSON.stringify(follower.state));
        const rest = await restOf(followOrigin(origin, { mal: 1 }, { state, versions: 'newest' }));
        expect({ ...newest(given), ...newest(rest) }, state.cursor).toEqual(all);
      }
    }
    expect(follower.state.cursor).toBe('e1-8');
  },
);

/** What a follower brings until it waits for more. */
async function restOf(follower: Follower): Promise<Change[]> {
  const rest: Change[] = [];
  const iterator = reading(follower);
  const looped = (async () => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) rest.push(next.value);
  })();
  await until(() => follower.status.state === 'pushing');
  await settle();
  await iterator.return?.();
  await looped;
  return rest;
}

test('MAL-76 a state counts what was found out and not given: a gap', async () => {
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

test('MAL-76 from now on: where it began is its state before anything came', async () => {
  const { origin } = await setUpOrigin('a', 'b');
  const follower = followOrigin(origin, { mal: 1 }, { versions: 'newest', from: 'now' });
  const next = take(reading(follower), 1);
  await until(() => origin.pushed.size === 1);
  expect(follower.state.cursor).toBe('e1-2');
  origin.commit('a');
  expect(sequences(await next)).toEqual([3]);
});

test.each([1, 2, 10])(
  'MAL-77 whoever leaves the loop and begins another is given what was read ahead, with a buffer of %s entities',
  async (bufferEntities) => {
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
        if (loops % 2 === 0) await settle();
        if (isWhole() || given.length % 3 !== 1) break;
      }
    }
    expect(versions(given)).toBe(names.length);
    expect(follower.status.conflated).toBe(names.length - given.length);
    expect(newest(given)).toEqual({ a: 11, b: 8, c: 9, d: 5, e: 7, f: 10, g: 12 });
    origin.commit('h');
    expect(sequences(await take(reading(follower), 1))).toEqual([13]);
  },
);

test('MAL-69 as many entities wait as bufferEntities says, and no more is read than one change beyond', async () => {
  for (const [bufferEntities, conflated] of [
    [2, 0],
    [3, 3],
    [4, 3],
  ] as const) {
    const { origin } = await setUpOrigin();
    for (const name of ['x', 'a', 'b', 'c', 'a', 'b', 'c', 'd']) origin.commit(name);
    const limits = { bufferEntities };
    const follower = followOrigin(origin, { mal: 1, limits }, { from: 'start', versions: 'newest' });
    const iterator = reading(follower);
    await take(iterator, 1);
    await settle();
    // With room for three, the new versions of the three take the places of the old; with less, reading waits.
    expect(follower.status.conflated, `${bufferEntities} entities`).toBe(conflated);
    const rest = await take(iterator, bufferEntities === 2 ? 2 : 4);
    expect(versions(rest)).toBe(bufferEntities === 2 ? 2 : 7);
  }
});

const IMMUTABLE = { 'cache-control': 'public, max-age=604800, immutable' };
const IDS = ['a1', 'b1', 'a2', 'c1', 'd1', 'b2', 'e1', 'a3', 'f1'];

/** A finished LDES of another publisher, read for the newest versions. */
function followPages(pages: ScriptedPages, bufferEntities: number, request: FollowOptions): Follower {
  const time = new VirtualTime({ waits: 'at once' });
  time.nowMs = pages.nowMs;
  const limits = { ...testLimits, bufferEntities };
  const client = createLiveClient({ mal: 30, clock: time.clock, sleep: time.sleep, fetch: pages.fetch, limits });
  return client.follow(`${BASE}/root`, request);
}

function finishedPages(): ScriptedPages {
  const text = IDS.map((id, index) => member(id, `2026-01-01T0${index}:00:00Z`)).join('');
  return new ScriptedPages({ '/root': { text: ROOT + text, headers: IMMUTABLE } });
}

function namesOf(changes: readonly Change[]): string[] {
  return changes.map(({ member }) => member?.id.replace(`${BASE}/`, '') ?? 'gap');
}

test.each([1, 10])(
  'MAL-79 a state of any LDES brings what waits, with a buffer of %s entities, and goes on as it is taken',
  async (bufferEntities) => {
    for (const from of ['start', 'latest'] as const) {
      const follower = followPages(finishedPages(), bufferEntities, { from, versions: 'newest', order: 'ascending' });
      const given: string[] = [];
      const restLengths: number[] = [];
      for await (const change of follower) {
        given.push(...namesOf([change]));
        for (const isSettled of [false, true]) {
          if (isSettled) await settle();
          const state = JSON.parse(JSON.stringify(follower.state));
          const rest: string[] = [];
          const again = followPages(finishedPages(), bufferEntities, { from, state, versions: 'newest' });
          for await (const later of again) rest.push(...namesOf([later]));
          const known = new Set([...given, ...rest]);
          for (const id of ['a3', 'b2', 'c1', 'd1', 'e1', 'f1']) expect(known, `${from} ${given}`).toContain(id);
          restLengths.push(rest.length);
        }
      }
      // At the end nothing waits, and nothing is left to bring; on the way less and less is brought again.
      expect(restLengths.at(-1)).toBe(0);
      expect(restLengths.at(-3)).toBeLessThan(restLengths[0] as number);
    }
  },
);

test.each(['start', 'latest'])(
  'MAL-77 a loop over any LDES that was left goes on with what waits: %s',
  async (from) => {
    const follower = followPages(finishedPages(), 2, { from, versions: 'newest', order: 'ascending' });
    const given: Change[] = [];
    for (let loops = 0; loops < 4; loops += 1) {
      for await (const change of follower) {
        given.push(change);
        if (loops % 2 === 0) await settle();
        break;
      }
    }
    for await (const change of follower) given.push(change);
    expect(new Set(namesOf(given)).size).toBe(given.length);
    expect(namesOf(given)).toEqual(expect.arrayContaining(['a3', 'b2', 'c1', 'd1', 'e1', 'f1']));
    // The first result has the newest only: nothing is left out on the way.
    expect(versions(given)).toBe(from === 'start' ? IDS.length : 6);
    expect(follower.status.conflated).toBe(versions(given) - given.length);
  },
);

test('MAL-79 a state that is saved again before anything was read is the same', async () => {
  const first = followPages(finishedPages(), 10, { from: 'start', order: 'ascending' });
  await take(reading(first), 3);
  const state = JSON.parse(JSON.stringify(first.state));
  expect(state.tree.sequence).toBe(3);
  for (const versions of ['all', 'newest'] as const) {
    const second = followPages(finishedPages(), 10, { state, versions });
    expect(second.state).toEqual(state);
    const third = followPages(finishedPages(), 10, { state: second.state, versions, order: 'ascending' });
    const rest = await take(reading(third), 10);
    expect(versions === 'all' ? namesOf(rest) : namesOf(rest).sort()).toEqual(
      versions === 'all' ? IDS.slice(3) : ['a3', 'b2', 'c1', 'd1', 'e1', 'f1'],
    );
  }
});

test('MAL-53 a reader of the newest versions is caught up when it has taken them, not when they were read for it', async () => {
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
