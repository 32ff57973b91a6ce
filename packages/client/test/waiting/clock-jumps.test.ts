import { expect, test } from 'vitest';
import { ClockJumps } from '../../src/waiting/clock-jumps.ts';
import type { Sleep } from '../../src/waiting/within.ts';

const HOUR_MS = 3_600_000;
const WATCH_MS = 5_000;

/** A clock with timers that runs as the test says, and jumps as the test says. */
function setUp() {
  const state = { nowMs: 1_000_000 };
  let ranMs = 0;
  const timers = new Set<{ atMs: number; fire: () => void }>();
  const sleep: Sleep = (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        timers.delete(timer);
        reject(signal.reason);
      };
      const fire = () => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const timer = { atMs: ranMs + ms, fire };
      timers.add(timer);
      signal.addEventListener('abort', stop);
    });
  const run = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      state.nowMs += 100;
      ranMs += 100;
      for (const timer of [...timers].filter(({ atMs }) => atMs <= ranMs)) {
        timers.delete(timer);
        timer.fire();
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const jumped: number[] = [];
  const jumps = new ClockJumps({ clock: () => state.nowMs, sleep, watchMs: WATCH_MS }, (jumpMs) => jumped.push(jumpMs));
  const controller = new AbortController();
  /** Waits for a time, and tells for how long it really ran. */
  const waitFor = (ms: number) => jumps.sleepUntil(state.nowMs + ms, controller.signal).then(() => ranMs);
  return { state, run, jumps, jumped, controller, waitFor };
}

async function isOver(wait: Promise<unknown>): Promise<boolean> {
  await new Promise((resolve) => setImmediate(resolve));
  return await Promise.race([
    wait.then(() => true),
    new Promise<false>((resolve) => setImmediate(() => resolve(false))),
  ]);
}

test('MAL-63 a jump is told with how far it was, and counted, until nobody watches', async () => {
  const { state, run, jumps, jumped } = setUp();
  jumps.start();
  await run(7_000);
  state.nowMs -= HOUR_MS;
  await run(4_000);
  expect(jumped).toEqual([-HOUR_MS]);
  state.nowMs += 2 * HOUR_MS;
  await run(6_000);
  expect([jumped, jumps.count]).toEqual([[-HOUR_MS, 2 * HOUR_MS], 2]);
  jumps.stop();
  state.nowMs += HOUR_MS;
  await run(20_000);
  expect(jumps.count).toBe(2);
});

test('MAL-12 a wait is over at once where the clock shows that its time has passed', async () => {
  const { state, run, jumps, waitFor } = setUp();
  jumps.start();
  const wait = waitFor(60_000);
  await run(1_000);
  state.nowMs += HOUR_MS;
  await run(WATCH_MS);
  expect(await isOver(wait)).toBe(true);
  jumps.stop();
});

test('MAL-12 a jump by less than what is left shortens a wait by that, and no more', async () => {
  const { state, run, jumps, waitFor } = setUp();
  jumps.start();
  const wait = waitFor(60_000);
  await run(1_000);
  state.nowMs += 20_000;
  await run(38_000);
  expect(await isOver(wait)).toBe(false);
  await run(1_500);
  expect(await wait).toBeLessThanOrEqual(41_000);
  jumps.stop();
});

test('MAL-12 a clock that is set back lets a wait take no longer than was drawn, from when that is noticed', async () => {
  const { state, run, jumps, waitFor } = setUp();
  jumps.start();
  const wait = waitFor(60_000);
  await run(30_000);
  state.nowMs -= HOUR_MS;
  await run(29_000);
  expect(await isOver(wait)).toBe(false);
  await run(40_000);
  expect(await wait).toBeLessThanOrEqual(30_000 + WATCH_MS + 60_000 + 200);
  jumps.stop();
});

test('a wait for an instant that has passed is none, and an abort ends one with its reason', async () => {
  const { waitFor, controller } = setUp();
  expect(await waitFor(-1)).toBe(0);
  const wait = waitFor(60_000);
  controller.abort('enough');
  await expect(wait).rejects.toBe('enough');
});
