import { eventually } from '@ldes-live/test-support/eventually';
import { check, fc } from '@ldes-live/test-support/properties';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { RequestBudget } from '../../src/http/request-budget.ts';
import { LONGEST_SLEEP_MS, type Sleep } from '../../src/waiting.ts';

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
  const { clock, sleep } = new VirtualTime({ waits: 'at once' });
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

test('MAL-64 a request that brought something new costs nothing, and never earns more than the burst', async () => {
  const { budget } = setUp();
  for (let count = 0; count < 1_000; count++) {
    await budget.take(signal);
    budget.refund();
  }
  expect(budget.tokens).toBe(3);
  budget.refund();
  expect(budget.tokens).toBe(3);
});

test('MAL-64 a refund lets one who waits go on at once', async () => {
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
  await eventually(() => expect(sleeping.map(({ ms }) => ms)).toEqual([50]));
  pass(50);
  sleeping[0]?.end();
  await taken;
});

test('MAL-64 what was spent without leave is waited for by the next; an abort ends the wait, and takes nothing', async () => {
  const { budget, sleeping, pass, takeAll } = setUp();
  await expect(budget.take(AbortSignal.abort('before'))).rejects.toBe('before');
  expect(budget.tokens).toBe(3);
  await takeAll();
  budget.spend();
  expect(budget.tokens).toBe(-1);
  const controller = new AbortController();
  const taken = budget.take(controller.signal);
  expect(sleeping.map(({ ms }) => ms)).toEqual([2_000]);
  controller.abort('enough');
  await expect(taken).rejects.toBe('enough');
  expect(sleeping).toEqual([]);
  budget.spend(5);
  pass(1_000);
  expect(budget.tokens).toBe(-5);
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

const steps = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
    { weight: 4, arbitrary: fc.constant('take') },
    fc.constantFrom('take, new', 'redirected'),
  ),
  { maxLength: 200 },
);

test('MAL-64 in no span of time are there more fruitless requests than the burst and what was earned', async () => {
  const [bursts, refills] = [fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 3_000 })];
  await check(
    fc.asyncProperty(steps, bursts, refills, async (all, capacity, refillMs) => {
      let nowMs = 0;
      const sleep = async (ms: number) => {
        nowMs += ms;
      };
      const budget = new RequestBudget({ capacity, refillMs, clock: () => nowMs, sleep });
      const fruitlessMs: number[] = [];
      for (const step of all) {
        if (typeof step === 'number') {
          nowMs += step;
          continue;
        }
        await budget.take(signal);
        if (step === 'take, new') budget.refund();
        else fruitlessMs.push(nowMs);
        if (step !== 'redirected') continue;
        budget.spend();
        fruitlessMs.push(nowMs);
      }
      // The one more is that of a redirect at the end, which nothing could wait for.
      const more = all.includes('redirected') ? 1 : 0;
      for (const [first, fromMs] of fruitlessMs.entries()) {
        for (const [index, toMs] of fruitlessMs.slice(first).entries()) {
          expect(index + 1).toBeLessThanOrEqual(capacity + (toMs - fromMs) / refillMs + more + 1e-6);
        }
      }
    }),
  );
});
