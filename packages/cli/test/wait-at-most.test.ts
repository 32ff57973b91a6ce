import type { Sleep } from '@ldes-live/sources';
import { beforeEach, expect, test } from 'vitest';
import { waitAtMost } from '../src/serve/wait-at-most.ts';

/** A sleep that ends when it is told to, or is cancelled. */
let wake: () => void;
let sleeping: { readonly durationMs: number; readonly signal: AbortSignal | undefined };
const sleep: Sleep = (durationMs, signal) =>
  new Promise((resolve, reject) => {
    wake = () => resolve();
    sleeping = { durationMs, signal };
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

let ending: AbortController;
beforeEach(() => {
  ending = new AbortController();
});

const never = new Promise<never>(() => {});

test('it ends with what is awaited, and cancels its timer', async () => {
  await waitAtMost(3000, Promise.resolve(), sleep, ending.signal);
  expect(sleeping.durationMs).toBe(3000);
  expect(sleeping.signal?.aborted).toBe(true);
});

test('it fails with what is awaited, and cancels its timer', async () => {
  await expect(waitAtMost(3000, Promise.reject(new Error('broken')), sleep, ending.signal)).rejects.toThrow('broken');
  expect(sleeping.signal?.aborted).toBe(true);
});

test('it ends after its time', async () => {
  const waiting = waitAtMost(3000, never, sleep, ending.signal);
  wake();
  await waiting;
});

test('it ends when it is interrupted', async () => {
  const waiting = waitAtMost(3000, never, sleep, ending.signal);
  ending.abort();
  await waiting;
});
