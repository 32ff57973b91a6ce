import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { followOrigin, reading, setUpOrigin, take } from '../support/setup-origin.ts';

test('MAL-49 a proxy that holds events back is left for pull when they came too late three times', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.offersTails = true;
  origin.breakEvenSeconds = 60;
  origin.commit('a');
  const follower = followOrigin(setup, { mal: 10 });
  const iterator = reading(follower);
  await take(iterator, 1);
  for (const name of ['b', 'c', 'd']) {
    const next = take(iterator, 1);
    await until(() => origin.pushed.size === 1 && follower.status.state === 'pushing');
    // Some turns, until it waits for the event.
    for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    // Held back for twenty seconds: the event is written now, the time passes before it arrives.
    origin.onEvent = (frame) => {
      time.nowMs += 20_000;
      return [frame];
    };
    origin.commit(name);
    expect(await next).toMatchObject([{ via: 'push' }]);
  }
  origin.onEvent = (frame) => [frame];
  const next = take(iterator, 1);
  await until(() => follower.status.mode === 'pull');
  expect(follower.status.reason).toContain('20.0 s late');
  origin.commit('e');
  expect(await next).toMatchObject([{ via: 'pull' }]);
  expect(follower.status).toMatchObject({ malMisses: 3, gaps: 0 });
});

test('MAL-49 a reader that is slow itself has no reason to leave push', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.commit('a');
  const follower = followOrigin(setup, { mal: 1 });
  const iterator = reading(follower);
  await take(iterator, 1);
  const first = take(iterator, 1);
  await until(() => origin.pushed.size === 1);
  for (const name of ['b', 'c', 'd', 'e', 'f']) origin.commit(name);
  await first;
  for (let count = 0; count < 4; count += 1) {
    time.nowMs += 5_000;
    expect(await take(iterator, 1)).toMatchObject([{ via: 'push' }]);
  }
  expect(follower.status.mode).toBe('push');
});
