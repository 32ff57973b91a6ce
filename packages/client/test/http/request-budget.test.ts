import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { RequestBudget } from '../../src/http/request-budget.ts';
import { LONGEST_SLEEP_MS } from '../../src/waiting/sleep-until.ts';
import type { Sleep } from '../../src/waiting/within.ts';

const { signal } = new AbortController();

/** Sleeps end when the test says so. */
function setUp(options: { capacity?: number; refillMs?: number } = {}) {
  let nowMs = 0;
  const sleeping: { ms: number; end: () => void }[] = [];
  const sleep: Sleep = (ms, sleepSignal) =>
    new Promise((resolve, reject) => {
      const sleeper = { ms, end: resolve };
      sleeping.push(sleeper);
      sleepSignal.addEventListener('abort', () => {
        sleeping.splice(sleeping.indexOf(sleeper), 1);
        reject(sleepSignal.reason);
      });
    });
  const budget = new RequestBudget({ capacity: 3, refillMs: 1_000, ...options, clock: () => nowMs, sleep });
  const pass = (ms: number) => {
    nowMs += ms;
  };
  const takeAll = async () => {
    while (budget.tokens >= 1) await budget.take(signal);
  };
  return { budget, sleeping, pass, takeAll };
}

test('MAL-64 a burst passes at once, then one request in each refill', async () => {
  const time = new VirtualTime({ waits: 'at once' });
  const { clock, sleep } = time;
  const budget = new RequestBudget({ capacity: 20, refillMs: 1_000, clock, sleep });
  const startedMs = clock();
  const takenMs: number[] = [];
  for (let count = 0; count < 25; count++) {
    await budget.take(signal);
    takenMs.push(clock() - startedMs);
  }
  expect(takenMs).toEqual([...Array(20).fill(0), 1_000, 2_000, 3_000, 4_000, 5_000]);
});

test('MAL-64 a rest earns no more than the burst, and a clock that is set back earns nothing', async () => {
  const { budget, pass, takeAll } = setUp();
  pass(3_600_000);
  expect(budget.tokens).toBe(3);
  await takeAll();
  pass(-3_600_000);
  expect(budget.tokens).toBe(0);
  pass(500);
  expect(budget.tokens).toBe(0.5);
});

test('MAL-66 a request that brought something new costs nothing, and never earns more than the burst', async () => {
  const { budget } = setUp();
  for (let count = 0; count < 1_000; count++) {
    await budget.take(signal);
    budget.refund();
  }
  expect(budget.tokens).toBe(3);
  budget.refund();
  expect(budget.tokens).toBe(3);
});

test('MAL-66 a refund lets one who waits go on at once', async () => {
  const { budget, sleeping, takeAll } = setUp();
  await takeAll();
  const taken = budget.take(signal);
  expect(sleeping.map(({ ms }) => ms)).toEqual([1_000]);
  budget.refund();
  await taken;
  expect(budget.tokens).toBe(0);
  expect(sleeping).toEqual([]);
});

test('a shorter refill counts from now on, also for one who waits', async () => {
  const { budget, sleeping, pass, takeAll } = setUp({ refillMs: 10_000 });
  await takeAll();
  const taken = budget.take(signal);
  pass(5_000);
  budget.refillMs = 100;
  expect(budget.refillMs).toBe(100);
  await expect.poll(() => sleeping.map(({ ms }) => ms)).toEqual([50]);
  pass(50);
  sleeping[0]?.end();
  await taken;
});

test('MAL-65 what was spent without leave is waited for by the next', async () => {
  const { budget, sleeping, takeAll } = setUp();
  await takeAll();
  budget.spend();
  expect(budget.tokens).toBe(-1);
  const controller = new AbortController();
  const taken = budget.take(controller.signal);
  expect(sleeping.map(({ ms }) => ms)).toEqual([2_000]);
  controller.abort('enough');
  await expect(taken).rejects.toBe('enough');
  budget.spend(5);
  expect(budget.tokens).toBe(-6);
});

test('an abort ends the wait with its reason, and takes nothing', async () => {
  const { budget, sleeping, pass, takeAll } = setUp();
  await expect(budget.take(AbortSignal.abort('before'))).rejects.toBe('before');
  expect(budget.tokens).toBe(3);
  await takeAll();
  const controller = new AbortController();
  const taken = budget.take(controller.signal);
  controller.abort('enough');
  await expect(taken).rejects.toBe('enough');
  expect(sleeping).toEqual([]);
  pass(1_000);
  expect(budget.tokens).toBe(1);
});

test('a sleep that fails is no reason to go on', async () => {
  const sleep = () => Promise.reject(new Error('no timers'));
  const budget = new RequestBudget({ capacity: 1, refillMs: 1, clock: () => 0, sleep });
  await budget.take(signal);
  await expect(budget.take(signal)).rejects.toThrow('no timers');
});

test('a burst below 1 is 1, and a refill beyond what timers reach is slept in parts', async () => {
  const { budget, sleeping } = setUp({ capacity: 0.5, refillMs: Number.POSITIVE_INFINITY });
  expect(budget.tokens).toBe(1);
  await budget.take(signal);
  const taken = budget.take(signal);
  expect(sleeping.map(({ ms }) => ms)).toEqual([LONGEST_SLEEP_MS]);
  budget.refund();
  await taken;
});
