import { expect, test } from 'vitest';
import { type Sleep, within } from '../../src/waiting/within.ts';

const late = () => new Error('late');
const never: Sleep = (_ms, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('gives the outcome of work that is done in time, and ends the sleep', async () => {
  let slept: AbortSignal | undefined;
  const sleep: Sleep = (ms, signal) => {
    slept = signal;
    return never(ms, signal);
  };
  await expect(within(Promise.resolve(1), { ms: 5, sleep, late })).resolves.toBe(1);
  expect(slept?.aborted).toBe(true);
  await expect(within(Promise.reject(new Error('bad')), { ms: 5, sleep, late })).rejects.toThrow('bad');
});

test('fails when the sleep is over first', async () => {
  const work = new Promise<never>(() => {});
  await expect(within(work, { ms: 5, sleep: async () => {}, late })).rejects.toThrow('late');
});
