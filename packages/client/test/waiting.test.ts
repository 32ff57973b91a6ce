import { getEventListeners } from 'node:events';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { describe, expect, test } from 'vitest';
import {
  ClockWatch,
  firstOf,
  JUMP_MS,
  LONGEST_SLEEP_MS,
  ONLINE_SPREAD_MS,
  SharedRequests,
  sleep,
  sleepUntil,
  untilOnline,
  Wakeup,
  within,
} from '../src/waiting.ts';
import { Network } from './support/network.ts';

const HOUR_MS = 3_600_000;
const WATCH_MS = 5_000;

const never = new AbortController().signal;
const forever = () => new Promise<never>(() => {});
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Timers of this thread: told apart from those of others by looking twice within one turn. */
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('sleep', () => {
  test('passes after its time and lets go of the signal', async () => {
    const { signal } = new AbortController();
    const before = performance.now();
    await sleep(20, signal);
    expect(performance.now() - before).toBeGreaterThan(15);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('rejects with the reason of an abort, before or during, and leaves no timer', async () => {
    await expect(sleep(1_000, AbortSignal.abort('before'))).rejects.toBe('before');
    const controller = new AbortController();
    const before = timers();
    const slept = sleep(60_000, controller.signal);
    expect(timers()).toBe(before + 1);
    controller.abort('during');
    expect(timers()).toBe(before);
    await expect(slept).rejects.toBe('during');
  });
});

describe('sleepUntil', () => {
  const far = 1_000 + 2 * LONGEST_SLEEP_MS;

  test.each([
    ['sleeps once, to just after the instant', 1_500.5, (ms: number) => ms, [502]],
    ['does not sleep when the instant has passed', 1_000, (ms: number) => ms, []],
    ['sleeps in parts what is beyond a timer', far, (ms: number) => ms, [LONGEST_SLEEP_MS, LONGEST_SLEEP_MS]],
    ['is not prolonged by a clock that is set back', 2_000, () => -HOUR_MS, [1_001]],
    ['is ended by a clock that is set forward', far, () => 3 * LONGEST_SLEEP_MS, [LONGEST_SLEEP_MS]],
  ])('%s', async (_name, untilMs, step, expected) => {
    const slept: number[] = [];
    let nowMs = 1_000;
    const sleepBy = async (ms: number) => {
      slept.push(ms);
      nowMs += step(ms);
    };
    await sleepUntil(untilMs, { clock: () => nowMs, sleep: sleepBy, signal: never });
    expect(slept).toEqual(expected);
  });
});

describe('within', () => {
  const late = () => new Error('late');

  test('gives the outcome of work that is done in time, and ends the sleep', async () => {
    const time = new VirtualTime();
    const limit = { ms: 5, sleep: time.sleep, late };
    await expect(within(Promise.resolve(1), limit)).resolves.toBe(1);
    await expect(within(Promise.reject(new Error('bad')), limit)).rejects.toThrow('bad');
    await expect(time.next()).rejects.toThrow('Nothing is due');
  });

  test('fails when the sleep is over first', async () => {
    await expect(within(forever(), { ms: 5, sleep: async () => {}, late })).rejects.toThrow('late');
  });
});

describe('firstOf', () => {
  test('tells which came first, and ends the others', async () => {
    const ended: string[] = [];
    const slow = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => ended.push('slow'));
      return forever();
    };
    expect(await firstOf(never, { slow, quick: async () => {}, absent: undefined })).toBe('quick');
    expect(ended).toEqual(['slow']);
  });

  test('a wait that fails first fails it, and one that fails later is nobody’s business', async () => {
    await expect(firstOf(never, { a: forever, b: () => Promise.reject(new Error('no')) })).rejects.toThrow('no');
    const late = turn().then(() => Promise.reject(new Error('late')));
    expect(await firstOf(never, { late: () => late, quick: async () => {} })).toBe('quick');
    await turn();
    await turn();
  });

  test('ends with the reason of the signal', async () => {
    const controller = new AbortController();
    const waiting = firstOf(controller.signal, { forever });
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    await expect(firstOf(controller.signal, { forever })).rejects.toBe('enough');
  });

  test('a bell wakes those who wait, each once, and forgets those who left', async () => {
    const bell = new Wakeup();
    const woken: string[] = [];
    const leaving = new AbortController();
    void bell.wait(never).then(() => woken.push('one'));
    void bell.wait(leaving.signal).then(() => woken.push('left'));
    leaving.abort();
    void bell.wait(leaving.signal).then(() => woken.push('was aborted'));
    bell.notify();
    bell.notify();
    await turn();
    expect(woken).toEqual(['one']);
  });
});

describe('ClockWatch', () => {
  function setUp() {
    const time = new VirtualTime();
    const jumped: number[] = [];
    const jumps = new ClockWatch({ clock: time.clock, sleep: time.sleep, watchMs: WATCH_MS }, (ms) => jumped.push(ms));
    jumps.start();
    const controller = new AbortController();
    let isOver = false;
    const waitFor = (ms: number) =>
      jumps.sleepUntil(time.nowMs + ms, controller.signal).then(() => {
        isOver = true;
      });
    return { time, jumps, jumped, controller, waitFor, isOver: () => isOver };
  }

  test('MAL-63 a jump is told with how far it was, and counted, until nobody watches', async () => {
    const { time, jumps, jumped } = setUp();
    await time.pass(7_000);
    time.jump(-HOUR_MS);
    await time.pass(4_000);
    expect(jumped).toEqual([-HOUR_MS]);
    time.jump(2 * HOUR_MS);
    await time.pass(6_000);
    expect([jumped, jumps.count]).toEqual([[-HOUR_MS, 2 * HOUR_MS], 2]);
    jumps.stop();
    time.jump(HOUR_MS);
    await time.pass(20_000);
    expect(jumps.count).toBe(2);
  });

  test.each([
    [HOUR_MS, 1],
    [-HOUR_MS, 1],
    [JUMP_MS + 1, 1],
    [-JUMP_MS - 1, 1],
    [JUMP_MS, 0],
    [-JUMP_MS, 0],
  ])(
    'MAL-63 a clock that is %d ms from what was slept has jumped %d times, which one look shows',
    async (jumpMs, times) => {
      const jumped: number[] = [];
      const slept: number[] = [];
      let nowMs = 1_000_000;
      const sleepBy = async (ms: number) => {
        if (slept.push(ms) > 4) throw new Error('enough');
        nowMs += ms + (slept.length === 3 ? jumpMs : 0);
      };
      const time = { clock: () => nowMs, sleep: sleepBy, watchMs: 4_000 };
      new ClockWatch(time, (ms) => jumped.push(ms, slept.length)).start();
      await turn();
      expect(jumped).toEqual(times === 1 ? [jumpMs, 3] : []);
      expect(slept).toEqual(Array(5).fill(4_000));
      expect(JUMP_MS).toBe(2_500);
    },
  );

  // A wait of 60 s: when the clock jumps by how much, and for how long the wait then goes on at least and at most.
  test.each([
    ['MAL-12 a wait is over at once where the clock shows that its time has passed', 1_000, HOUR_MS, 0, WATCH_MS],
    ['MAL-12 a jump by less than what is left shortens a wait by that, and no more', 1_000, 20_000, 38_000, 39_500],
    [
      'MAL-12 a clock that is set back lets a wait take no longer than was drawn, from when that is noticed',
      30_000,
      -HOUR_MS,
      29_000,
      WATCH_MS + 60_000 + 200,
    ],
  ])('%s', async (_name, atMs, jumpMs, leastMs, mostMs) => {
    const { time, waitFor, isOver } = setUp();
    void waitFor(60_000);
    await time.pass(atMs);
    time.jump(jumpMs);
    await time.pass(leastMs);
    expect(isOver()).toBe(false);
    await time.pass(mostMs - leastMs);
    expect(isOver()).toBe(true);
  });

  test('a wait for an instant that has passed is none, and an abort ends one with its reason', async () => {
    const { waitFor, controller } = setUp();
    await waitFor(-1);
    const wait = waitFor(60_000);
    controller.abort('enough');
    await expect(wait).rejects.toBe('enough');
  });
});

describe('untilOnline', () => {
  function setUp(isThere: boolean) {
    const environment = new Network();
    environment.isThere = isThere;
    const { waits, sleep: sleepBy } = new VirtualTime({ waits: 'at once' });
    const controller = new AbortController();
    const wait = untilOnline({ environment, random: () => 0.25, sleep: sleepBy }, controller.signal);
    return { environment, listeners: environment.listeners, waits, wait, controller };
  }

  test('MAL-54 where there is a network nothing is waited for', async () => {
    const { wait, waits, listeners } = setUp(true);
    await wait;
    expect([waits, listeners.size]).toEqual([[], 0]);
  });

  test('MAL-54 it is waited for until there is a network, and then for a part of a second', async () => {
    const { environment, wait, waits, listeners } = setUp(false);
    await turn();
    // Told though it is not so, as by a browser whose network goes again at once.
    environment.tell();
    await turn();
    expect([waits, listeners.size]).toEqual([[], 1]);
    environment.come();
    await wait;
    expect(waits).toEqual([0.25 * ONLINE_SPREAD_MS]);
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
});

/** Work that ends when it is told to. */
function work() {
  const begun: { readonly signal: AbortSignal; end(result: string): void; fail(error: Error): void }[] = [];
  const begin = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      begun.push({ signal, end: resolve, fail: reject });
    });
  return { begun, begin };
}

test('MAL-45 who asks for the same while it is under way gets the same result, and later asks anew', async () => {
  const flights = new SharedRequests<string>();
  const { begun, begin } = work();
  const both = [flights.share('a', never, begin), flights.share('a', never, begin)];
  const other = flights.share('b', never, begin);
  expect(begun).toHaveLength(2);
  begun[0]?.end('one');
  begun[1]?.end('two');
  expect(await Promise.all([...both, other])).toEqual(['one', 'one', 'two']);
  const again = flights.share('a', never, begin);
  expect(begun).toHaveLength(3);
  begun[2]?.end('three');
  expect(await again).toBe('three');
});

test('a failure is everybody’s, and is not kept', async () => {
  const flights = new SharedRequests<string>();
  const { begun, begin } = work();
  const both = [flights.share('a', never, begin), flights.share('a', never, begin)];
  begun[0]?.fail(new Error('no'));
  for (const result of await Promise.allSettled(both)) expect(result.status).toBe('rejected');
  void flights.share('a', never, begin);
  expect(begun).toHaveLength(2);
});

test('the work is stopped when nobody who asked for it is left, and not before', async () => {
  const flights = new SharedRequests<string>();
  const { begun, begin } = work();
  const [one, two] = [new AbortController(), new AbortController()];
  const first = flights.share('a', one.signal, begin);
  const second = flights.share('a', two.signal, begin);
  one.abort('left');
  await expect(first).rejects.toBe('left');
  expect(begun[0]?.signal.aborted).toBe(false);
  two.abort('left too');
  await expect(second).rejects.toBe('left too');
  expect(begun[0]?.signal.aborted).toBe(true);
});
