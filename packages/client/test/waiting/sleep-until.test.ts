import { expect, test } from 'vitest';
import { LONGEST_SLEEP_MS, sleepUntil } from '../../src/waiting/sleep-until.ts';

const { signal } = new AbortController();

/** A clock that a sleep moves by `step(ms)`. */
function ticking(step: (ms: number) => number) {
  const slept: number[] = [];
  let nowMs = 1_000;
  const sleep = async (ms: number) => {
    slept.push(ms);
    nowMs += step(ms);
  };
  return { slept, clock: () => nowMs, sleep, signal };
}

test('sleeps once, to just after the instant', async () => {
  const time = ticking((ms) => ms);
  await sleepUntil(1_500.5, time);
  expect(time.slept).toEqual([502]);
  expect(time.clock()).toBeGreaterThan(1_500.5);
});

test('does not sleep when the instant has passed', async () => {
  const time = ticking((ms) => ms);
  await sleepUntil(1_000, time);
  expect(time.slept).toEqual([]);
});

test('sleeps in parts when it is further away than a timer reaches', async () => {
  const time = ticking((ms) => ms);
  await sleepUntil(1_000 + 2 * LONGEST_SLEEP_MS, time);
  expect(time.slept).toEqual([LONGEST_SLEEP_MS, LONGEST_SLEEP_MS]);
});

test('a clock that is set back does not prolong the wait', async () => {
  const time = ticking(() => -3_600_000);
  await sleepUntil(2_000, time);
  expect(time.slept).toEqual([1_001]);
});

test('a clock that is set forward ends the wait', async () => {
  const time = ticking(() => 3 * LONGEST_SLEEP_MS);
  await sleepUntil(1_000 + 2 * LONGEST_SLEEP_MS, time);
  expect(time.slept).toEqual([LONGEST_SLEEP_MS]);
});
