import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { followOrigin, reading, setUpOrigin, take } from '../support/setup-origin.ts';

const ends = (changes: Awaited<ReturnType<typeof take>>) => changes.map(({ endsCommit }) => endsCommit);

test('MAL-93 the last of a pushed commit ends it, and the last of the state', async () => {
  const setup = await setUpOrigin();
  setup.origin.commit('a');
  setup.time.nowMs += 1000;
  setup.origin.commit('b', 'c');
  const iterator = reading(followOrigin(setup, { mal: 1 }));
  expect(ends(await take(iterator, 3))).toEqual([false, false, true]);
  const pushed = take(iterator, 4);
  await until(() => setup.origin.pushed.size === 1);
  setup.origin.commit('d', 'e', 'f');
  setup.origin.commit('g');
  expect(ends(await pushed)).toEqual([false, false, true, true]);
});

test('MAL-93 on pages a commit ends where the next member is of another time; at the end of a page more may follow', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.commit('a', 'b');
  time.nowMs += 1000;
  // Pages of four: this one goes on over the end of the first.
  origin.commit('c', 'd', 'e', 'f', 'g');
  const changes = await take(reading(followOrigin(setup, {}, { from: 'start' })), 7);
  expect(ends(changes)).toEqual([false, true, false, false, false, false, true]);
});
