import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { describe, expect, test } from 'vitest';
import {
  ClockWatch,
  firstOf,
  inTurns,
  JUMP_MS,
  LONGEST_SLEEP_MS,
  SharedRequests,
  sleep,
  sleepUntil,
  untilOnline,
  Wakeup,
} from '../src/waiting.ts';
import { Network } from './support/network.ts';

const HOUR_MS = 3_600_000;
const WATCH_MS = 5_000;

const never = new AbortController().signal;
const forever = () => new Promise<never>(() => {});

/** Timers of this thread: told apart from those of others by looking twice within one turn. */
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test('sleep passes after its time, or rejects with the reason of an abort, and leaves neither listener nor timer', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const startedMs = performance.now();
  await sleep(20, signal);
  expect(performance.now() - startedMs).toBeGreaterThan(15);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  const before = timers();
  const slept = sleep(60_000, signal);
  expect(timers()).toBe(before + 1);
  controller.abort('enough');
  expect(timers()).toBe(before);
  await expect(slept).rejects.toBe('enough');
  await expect(sleep(1_000, signal)).rejects.toBe('enough');
});

test('what takes long is made in parts, each item as it is taken, and others have their turn between them', async () => {
  let made = 0;
  const items = (function* () {
    // An item takes a third of a part, or more.
    for (; made < 12; made += 1) {
      yield made;
      for (const sinceMs = performance.now(); performance.now() - sinceMs < 10; );
    }
  })();
  let turns = 0;
  const turning = setInterval(() => {
    turns += 1;
  });
  const taken: number[] = [];
  let parts = 0;
  for await (const part of inTurns(items)) {
    parts += 1;
    for (const item of part) {
      taken.push(item);
      expect(made).toBe(item);
    }
  }
  clearInterval(turning);
  expect(taken).toEqual(Array.from({ length: 12 }, (_, item) => item));
  expect(parts).toBeGreaterThan(2);
  expect(turns).toBeGreaterThan(0);
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

test('firstOf tells which came first, and ends the others: one that fails later is nobody’s business', async () => {
  const ended: string[] = [];
  const slow = (signal: AbortSignal) => {
    signal.addEventListener('abort', () => ended.push('slow'));
    return forever();
  };
  const failing = async () => {
    await turn();
    throw new Error('late');
  };
  expect(await firstOf(never, { slow, failing, quick: async () => {}, absent: undefined })).toBe('quick');
  expect(ended).toEqual(['slow']);
  await expect(firstOf(never, { slow, failing })).rejects.toThrow('late');
  expect(ended).toEqual(['slow', 'slow']);
});

test('Wakeup wakes those who wait, each once, and forgets those who left', async () => {
  const wakeup = new Wakeup();
  const woken: string[] = [];
  const leaving = new AbortController();
  void wakeup.wait(never).then(() => woken.push('one'));
  void wakeup.wait(leaving.signal).then(() => woken.push('left'));
  leaving.abort();
  void wakeup.wait(leaving.signal).then(() => woken.push('was aborted'));
  for (let times = 0; times < 2; times += 1) wakeup.notify();
  await turn();
  expect(woken).toEqual(['one']);
});

describe('ClockWatch', () => {
  function setUp() {
    const time = new VirtualTime();
    const jumped: number[] = [];
    const jumps = new ClockWatch({ clock: time.clock, sleep: time.sleep, watchMs: WATCH_MS }, (ms) => jumped.push(ms));
    jumps.start();
    const controller = new AbortController();
    const waitFor = (ms: number) => jumps.sleepUntil(time.nowMs + ms, controller.signal);
    return { time, jumps, jumped, controller, waitFor };
  }

  test('a jump is told with how far it was, and counted, until nobody watches', async () => {
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
    [HOUR_MS, -HOUR_MS, [HOUR_MS, -HOUR_MS]],
    [JUMP_MS + 1, -JUMP_MS - 1, [2_501, -2_501]],
    [JUMP_MS, -JUMP_MS, []],
  ])('of %d and %d ms more than was slept, %o are jumps, each shown by one look', async (one, other, told) => {
    const jumped: number[] = [];
    const more = [0, one, 0, other, 0];
    let nowMs = 1_000_000;
    const sleepBy = async (ms: number) => {
      expect(ms).toBe(4_000);
      nowMs += ms + (more.shift() as number);
      if (more.length === 0) throw new Error('enough');
    };
    new ClockWatch({ clock: () => nowMs, sleep: sleepBy, watchMs: 4_000 }, (ms) => jumped.push(ms)).start();
    await turn();
    expect([jumped, more]).toEqual([told, []]);
  });

  // After how long of a wait of 60 s the clock jumps by how much, and for how long the wait then goes on at least and at most.
  test.each([
    ['is over at once where the clock shows that its time has passed', 1_000, HOUR_MS, 0, WATCH_MS],
    ['is shortened by a jump by less than what is left, and no more', 1_000, 20_000, 38_000, 39_500],
    ['takes no longer than was drawn, from when it is noticed', 30_000, -HOUR_MS, 29_000, WATCH_MS + 60_200],
  ])('MAL-12 a wait %s', async (_name, atMs, jumpMs, leastMs, mostMs) => {
    const { time, waitFor } = setUp();
    let isOver = false;
    void waitFor(60_000).then(() => {
      isOver = true;
    });
    await time.pass(atMs);
    time.jump(jumpMs);
    await time.pass(leastMs);
    expect(isOver).toBe(false);
    await time.pass(mostMs - leastMs);
    expect(isOver).toBe(true);
  });

  test('a wait for an instant that has passed is none, and an abort ends one with its reason', async () => {
    const { waitFor, controller } = setUp();
    await waitFor(-1);
    const wait = waitFor(60_000);
    controller.abort('enough');
    await expect(wait).rejects.toBe('enough');
  });
});

test.each([true, false])('MAL-54 a network that is there is not waited for: %s', async (isThere) => {
  const environment = Object.assign(new Network(), { isThere });
  const { waits, sleep: sleepBy } = new VirtualTime({ waits: 'at once' });
  const controller = new AbortController();
  const wait = () => untilOnline({ environment, random: () => 0.25, sleep: sleepBy }, controller.signal);
  const online = wait();
  await turn();
  if (!isThere) {
    // Told though it is not so, as by a browser whose network goes again at once.
    environment.tell();
    await turn();
    expect([waits, environment.listeners.size]).toEqual([[], 1]);
    environment.come();
  }
  await online;
  // For a part of a second, so that not all are back at once.
  expect(waits).toEqual(isThere ? [] : [250]);
  environment.isThere = false;
  const aborted = wait();
  controller.abort('enough');
  await expect(aborted).rejects.toBe('enough');
  await turn();
  expect(environment.listeners.size).toBe(0);
});

/** Shared work that ends when it is told to. */
function sharing() {
  const requests = new SharedRequests<string>();
  const begun: { signal: AbortSignal; end: (result: string) => void; fail: (error: Error) => void }[] = [];
  const share = (key: string, signal = never) =>
    requests.share(key, signal, (own) => new Promise((end, fail) => void begun.push({ signal: own, end, fail })));
  return { begun, share };
}

test('MAL-45 who asks for the same while it is under way gets the same result, or error, and later asks anew', async () => {
  const { begun, share } = sharing();
  const asked = ['a', 'a', 'b', 'b'].map((key) => share(key));
  expect(begun).toHaveLength(2);
  begun[0]?.end('one');
  begun[1]?.fail(new Error('two'));
  const outcomes = await Promise.all(asked.map((one) => one.catch(({ message }) => message)));
  expect(outcomes).toEqual(['one', 'one', 'two', 'two']);
  for (const key of ['a', 'b']) void share(key);
  expect(begun).toHaveLength(4);
});

test('the work is stopped when nobody who asked for it is left, and not before', async () => {
  const { begun, share } = sharing();
  const leaving = [new AbortController(), new AbortController()];
  const asked = leaving.map(({ signal }) => share('a', signal));
  for (const [index, controller] of leaving.entries()) {
    expect(begun[0]?.signal.aborted).toBe(false);
    controller.abort('left');
    await expect(asked[index]).rejects.toBe('left');
  }
  expect(begun[0]?.signal.aborted).toBe(true);
});
