import { expect, test } from 'vitest';
import { VirtualClock } from '../../src/client/virtual-clock.ts';

const signal = new AbortController().signal;

test('waits end at their instants, in the order of these, before time goes on', async () => {
  const time = new VirtualClock(1_000);
  const ended: [number, number][] = [];
  for (const ms of [30, 10, 0.4, 20]) time.sleep(ms, signal).then(() => ended.push([ms, time.nowMs]));
  await time.pass(20, () => false);
  expect(ended).toEqual([
    [0.4, 1_001],
    [10, 1_010],
    [20, 1_020],
  ]);
  expect(time.nowMs).toBe(1_020);
});

test('a wait that follows from one that ended counts from there', async () => {
  const time = new VirtualClock(0);
  let endedMs = 0;
  const wait = async () => {
    await time.sleep(5, signal);
    await time.sleep(5, signal);
    endedMs = time.nowMs;
  };
  const waited = wait();
  await time.pass(100, () => false);
  await waited;
  expect(endedMs).toBe(10);
});

test('time stands still while something is under way', async () => {
  const time = new VirtualClock(0);
  let turns = 0;
  const seen: number[] = [];
  time.sleep(1, signal).then(() => seen.push(turns));
  time.sleep(2, signal).then(() => seen.push(turns));
  await time.pass(2, () => {
    turns += 1;
    return turns % 3 !== 0;
  });
  expect(seen).toEqual([0, 3]);
});

test('a wait that is aborted ends with the reason, and wakes nobody', async () => {
  const time = new VirtualClock(0);
  const ending = new AbortController();
  const wait = time.sleep(5, ending.signal);
  const reason = new Error('over');
  ending.abort(reason);
  await expect(wait).rejects.toBe(reason);
  await time.pass(10, () => false);
  expect(time.nowMs).toBe(10);
});
