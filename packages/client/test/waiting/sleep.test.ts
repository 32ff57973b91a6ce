import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sleep } from '../../src/waiting/sleep.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('passes after its time and lets go of the signal', async () => {
  const { signal } = new AbortController();
  const slept = sleep(1_000, signal).then(() => 'slept');
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(slept).resolves.toBe('slept');
  expect(vi.getTimerCount()).toBe(0);
});

test('rejects with the reason of an abort, before or during', async () => {
  await expect(sleep(1_000, AbortSignal.abort('before'))).rejects.toBe('before');
  const controller = new AbortController();
  const slept = sleep(1_000, controller.signal);
  controller.abort('during');
  await expect(slept).rejects.toBe('during');
  expect(vi.getTimerCount()).toBe(0);
});
