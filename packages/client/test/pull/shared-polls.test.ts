import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { createLiveClient, type Sleep } from '../../src/index.ts';
import { reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';
import { testLimits } from '../support/test-limits.ts';

const PAGES = /^\/s\/pages/;

/** A stream of an update each 5 s from now on, with a follower that is current and one of the same client that is not. */
async function setUpTwo() {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.offersPush = false;
  origin.offersTails = true;
  origin.commit('a', 'b', 'c');
  const publish = (atMs: number) => {
    origin.nextUpdateMs = atMs;
    time.at(atMs, () => {
      origin.commit('a');
      publish(atMs + 5_000);
    });
  };
  publish(time.nowMs + 5_000);
  const held: (() => void)[] = [];
  const state = { isHeld: false };
  /** Passes at once, or holds up who waits until the test lets them go on. */
  const sleep: Sleep = async (ms, signal) => {
    if (!state.isHeld || ms >= testLimits.requestMs) return await time.sleep(ms, signal);
    await new Promise<void>((resolve) => held.push(resolve));
    await time.sleep(ms, signal);
  };
  const release = () => {
    state.isHeld = false;
    for (const go of held.splice(0)) go();
  };
  const client = createLiveClient({ mal: 4, clock: time.clock, sleep, random: () => 0.5, limits: testLimits });
  return { ...setup, client, state, held, release };
}

test('MAL-84 a follower that is late with an old document reads on at once, and makes no other ask early', async () => {
  const { origin, time, client, state, held, release } = await setUpTwo();
  const quick = reading(client.follow(origin.url));
  const slow = reading(client.follow(origin.url, { from: 'e1-0' }));
  // It has read all that there was, and holds the last of it back.
  expect(sequences(await take(slow, 3))).toEqual([1, 2, 3]);
  expect(sequences(await take(quick, 4))).toEqual([1, 2, 3, 4]);
  expect(sequences(await take(quick, 1))).toEqual([5]);
  const asked = origin.requestsTo(PAGES).length;
  const nowMs = time.nowMs;
  state.isHeld = true;
  const next = take(quick, 1);
  await until(() => held.length === 1);
  expect(sequences(await take(slow, 2))).toEqual([4, 5]);
  expect(time.nowMs).toBe(nowMs);
  const early = origin.requestsTo(PAGES).slice(asked);
  expect(early.map(({ path }) => path)).toEqual(['/s/pages/after-3']);
  release();
  expect((await Promise.all([take(slow, 1), next])).map(sequences)).toEqual([[6], [6]]);
});

test('MAL-84 followers that have the same share the schedule, and state its bound', async () => {
  const { origin, client } = await setUpTwo();
  const quick = reading(client.follow(origin.url));
  await take(quick, 3);
  const slow = client.follow(origin.url);
  const slowly = reading(slow);
  await take(slowly, 3);
  expect((await Promise.all([take(quick, 1), take(slowly, 1)])).map(sequences)).toEqual([[4], [4]]);
  expect(slow.status.lagBoundMs).toBeLessThanOrEqual(4_000);
});
