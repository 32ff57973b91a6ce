import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { followOrigin, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';

test('requests nothing before it is read', async () => {
  const setup = await setUpOrigin();
  const follower = followOrigin(setup, {});
  expect(follower.state).toEqual({ url: setup.origin.url });
  expect(follower.status.requests).toBe(0);
  expect(setup.origin.seen).toHaveLength(0);
});

test('MAL-24 break closes the push connection at once; another loop goes on where it ended', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  const follower = followOrigin(setup, { mal: 1 });
  const read: number[] = [];
  const looped = (async () => {
    for await (const change of follower) {
      read.push(change.member?.sequence ?? 0);
      if (read.length === 2) break;
    }
  })();
  await until(() => origin.pushed.size === 1);
  origin.commit('b');
  origin.commit('c');
  await looped;
  await until(() => origin.pushed.size === 0);
  expect(follower.status.state).toBe('ended');
  expect(read).toEqual([1, 2]);
  expect(sequences(await take(reading(follower), 1))).toEqual([3]);
});

test('MAL-24 return ends a read that is waiting', async () => {
  const setup = await setUpOrigin();
  setup.origin.commit('a');
  const iterator = reading(followOrigin(setup, { mal: 1 }));
  await take(iterator, 1);
  const waiting = iterator.next();
  await until(() => setup.origin.pushed.size === 1);
  await expect(iterator.return?.()).resolves.toEqual({ done: true, value: undefined });
  await expect(waiting).resolves.toEqual({ done: true, value: undefined });
  await expect(iterator.next()).resolves.toEqual({ done: true, value: undefined });
  await until(() => setup.origin.pushed.size === 0);
});

test('an iteration that was never begun can be returned, and another begun', async () => {
  const setup = await setUpOrigin();
  setup.origin.commit('a');
  const follower = followOrigin(setup, {});
  await reading(follower).return?.();
  expect(sequences(await take(reading(follower), 1))).toEqual([1]);
});

test('MAL-24 an abort rethrows its reason while waiting for push, and closes the connection', async () => {
  const setup = await setUpOrigin();
  setup.origin.commit('a');
  const controller = new AbortController();
  const iterator = reading(followOrigin(setup, { mal: 1 }, { signal: controller.signal }));
  await take(iterator, 1);
  const waiting = iterator.next();
  await until(() => setup.origin.pushed.size === 1);
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await until(() => setup.origin.pushed.size === 0);
});

test('MAL-24 an abort rethrows its reason before the first read, between two, and during a wait', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.commit('a', 'b');
  await expect(reading(followOrigin(setup, {}, { signal: AbortSignal.abort('no') })).next()).rejects.toBe('no');
  expect(origin.seen).toHaveLength(0);
  const between = new AbortController();
  const iterator = reading(followOrigin(setup, {}, { signal: between.signal }));
  await take(iterator, 1);
  between.abort('between');
  await expect(iterator.next()).rejects.toBe('between');
  const during = new AbortController();
  const waiting = reading(followOrigin(setup, {}, { signal: during.signal }));
  await take(waiting, 2);
  time.at(time.nowMs + 1_000, () => during.abort('during'));
  await expect(waiting.next()).rejects.toBe('during');
});

test('two loops at once over one follower are an error', async () => {
  const setup = await setUpOrigin();
  const follower = followOrigin(setup, {});
  reading(follower);
  expect(() => reading(follower)).toThrow(expect.objectContaining({ code: 'ERR_FOLLOWER_BUSY' }));
});

test('MAL-21 counts live updates that came later than the MAL', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.commit('a');
  const follower = followOrigin(setup, { mal: 1 });
  const iterator = reading(follower);
  await take(iterator, 1);
  const taken = take(iterator, 2);
  await until(() => origin.pushed.size === 1);
  time.nowMs += 10;
  origin.onEvent = () => [];
  origin.commit('b');
  time.nowMs += 1_001;
  origin.onEvent = (frame) => [frame];
  origin.commit('c');
  const [late, timely] = await taken;
  expect([late?.lagMs, timely?.lagMs]).toEqual([1_001, 0]);
  expect(follower.status.malMisses).toBe(1);
});
