import { expect, test } from 'vitest';
import { clockJump, JUMP_MS } from '../../src/waiting/clock-watch.ts';

/** A clock that each sleep moves by its length and the next of some deviations, and that then ends the watch. */
function deviating(...deviationsMs: number[]) {
  const controller = new AbortController();
  const slept: number[] = [];
  let nowMs = 1_000_000;
  const sleep = async (ms: number, signal: AbortSignal) => {
    slept.push(ms);
    const deviationMs = deviationsMs.shift();
    if (deviationMs === undefined) controller.abort('no jump');
    signal.throwIfAborted();
    nowMs += ms + (deviationMs as number);
  };
  return { slept, jump: clockJump(controller.signal, { clock: () => nowMs, sleep, watchMs: 4_000 }) };
}

test.each([3_600_000, -3_600_000, JUMP_MS + 1, -JUMP_MS - 1])(
  'MAL-63 a jump of the clock by %d ms is noticed within one slice',
  async (jumpMs) => {
    const { jump, slept } = deviating(0, 0, jumpMs);
    expect(await jump).toBe(jumpMs);
    expect(slept).toEqual([4_000, 4_000, 4_000]);
  },
);

test('MAL-63 lateness up to 2.5 s is none, however often', async () => {
  const late = Array.from({ length: 100 }, (_, index) => (index % 2 ? JUMP_MS : -JUMP_MS));
  await expect(deviating(...late, ...Array(100).fill(JUMP_MS)).jump).rejects.toBe('no jump');
  expect(JUMP_MS).toBe(2_500);
});

test('ends with the reason of the signal', async () => {
  await expect(deviating().jump).rejects.toBe('no jump');
});
