import { expect, test } from 'vitest';
import type { ClientEnvironment } from '../../src/environment/client-environment.ts';
import { ONLINE_SPREAD_MS, untilOnline } from '../../src/waiting/until-online.ts';

/** A network that is as the test says. */
function setUp(isOnline: boolean) {
  const state = { isOnline };
  const listeners = new Set<() => void>();
  const environment: ClientEnvironment = {
    isOnline: () => state.isOnline,
    onOnline: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pushSlot: async () => () => {},
  };
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
  };
  const controller = new AbortController();
  const wait = untilOnline({ environment, random: () => 0.25, sleep }, controller.signal);
  const tell = () => {
    for (const listener of [...listeners]) listener();
  };
  return { state, slept, wait, tell, listeners, controller };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('MAL-54 where there is a network nothing is waited for', async () => {
  const { wait, slept, listeners } = setUp(true);
  await wait;
  expect([slept, listeners.size]).toEqual([[], 0]);
});

test('MAL-54 it is waited for until there is a network, and then for a part of a second', async () => {
  const { state, wait, tell, slept, listeners } = setUp(false);
  await turn();
  // Told though it is not so, as by a browser whose network goes again at once.
  tell();
  await turn();
  expect([slept, listeners.size]).toEqual([[], 1]);
  state.isOnline = true;
  tell();
  await wait;
  expect(slept).toEqual([0.25 * ONLINE_SPREAD_MS]);
  expect(ONLINE_SPREAD_MS).toBeLessThanOrEqual(1_000);
  expect(listeners.size).toBe(0);
});

test('MAL-54 an abort ends the wait with its reason, and nothing listens any more', async () => {
  const { wait, controller, listeners } = setUp(false);
  await turn();
  controller.abort('enough');
  await expect(wait).rejects.toBe('enough');
  await turn();
  expect(listeners.size).toBe(0);
});
