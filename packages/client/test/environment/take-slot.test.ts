import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { takeSlot } from '../../src/environment/take-slot.ts';
import { followOrigin, reading, setUpOrigin, take } from '../support/setup-origin.ts';
import { testLimits } from '../support/test-limits.ts';

const URL_A = 'https://a.example/push';

/** A sleep that passes when it is told to. */
function patience() {
  let pass!: () => void;
  let isEnded = false;
  const sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      expect(ms).toBe(5_000);
      pass = resolve;
      signal.addEventListener('abort', () => {
        isEnded = true;
        reject(signal.reason);
      });
    });
  return { limit: { limitMs: 5_000, sleep }, pass: () => pass(), isEnded: () => isEnded };
}

test('MAL-89 a slot that is answered in time is had, and nothing is waited for any more', async () => {
  const { limit, isEnded } = patience();
  const release = () => {};
  expect(await takeSlot({ pushSlot: async () => release }, URL_A, limit)).toBe(release);
  expect(isEnded()).toBe(true);
  expect(await takeSlot({ pushSlot: async () => undefined }, URL_A, limit)).toBeUndefined();
});

test('MAL-89 where nobody answers there is none, and one that comes later is given back', async () => {
  const { limit, pass } = patience();
  let grant!: (release: () => void) => void;
  let released = 0;
  const asked = new Promise<() => void>((resolve) => {
    grant = resolve;
  });
  const taken = takeSlot({ pushSlot: () => asked }, URL_A, limit);
  pass();
  expect(await taken).toBeUndefined();
  expect(released).toBe(0);
  grant(() => {
    released += 1;
  });
  await expect.poll(() => released).toBe(1);
});

test('an environment that fails late is not heard of, and one that fails in time is', async () => {
  const { limit, pass } = patience();
  let fail!: (error: Error) => void;
  const asked = new Promise<undefined>((_, reject) => {
    fail = reject;
  });
  const taken = takeSlot({ pushSlot: () => asked }, URL_A, limit);
  pass();
  await taken;
  fail(new Error('late'));
  const failing = { pushSlot: () => Promise.reject(new Error('denied')) };
  await expect(takeSlot(failing, URL_A, limit)).rejects.toThrow('denied');
});

test('MAL-89 a lock that is never granted leaves the stream to pull, and leads to no request', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.commit('a');
  let asked = 0;
  const pushSlot = () => {
    asked += 1;
    return new Promise<undefined>(() => {});
  };
  const environment = { isOnline: () => true, onOnline: () => () => {}, pushSlot };
  const follower = followOrigin(setup, { mal: 1, environment });
  const iterator = reading(follower);
  await take(iterator, 1);
  const next = take(iterator, 1);
  await until(() => asked === 1 && time.running(testLimits.openMs) === 1);
  time.expire(testLimits.openMs);
  await until(() => follower.status.state === 'waiting');
  expect(follower.status).toMatchObject({ mode: 'pull', reason: expect.stringContaining('no connection to spare') });
  origin.commit('b');
  expect(await next).toMatchObject([{ via: 'pull' }]);
  expect(origin.requestsTo(/events/)).toHaveLength(0);
});

test('MAL-61 a slot that is granted after its follower left is given back, and no connection opened', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  let grant: ((release: () => void) => void) | undefined;
  let released = 0;
  const pushSlot = () =>
    new Promise<() => void>((resolve) => {
      grant = resolve;
    });
  const environment = { isOnline: () => true, onOnline: () => () => {}, pushSlot };
  const iterator = reading(followOrigin(setup, { mal: 1, environment }));
  await take(iterator, 1);
  void take(iterator, 1);
  await until(() => grant !== undefined);
  await iterator.return?.();
  grant?.(() => {
    released += 1;
  });
  await until(() => released === 1);
  expect(origin.requestsTo(/events/)).toHaveLength(0);
});
