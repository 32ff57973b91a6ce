import { expect, test } from 'vitest';
import { takeLock } from '../../src/environment/take-lock.ts';
import { SharedLocks } from '../support/browser-host.ts';

test('takes the first that is free, and none when all are taken', async () => {
  const locks = new SharedLocks();
  const first = await takeLock(locks, ['1', '2']);
  expect([...locks.held]).toEqual(['1']);
  const second = await takeLock(locks, ['1', '2']);
  expect([...locks.held]).toEqual(['1', '2']);
  expect(await takeLock(locks, ['1', '2'])).toBeUndefined();
  first?.();
  await expect.poll(() => [...locks.held]).toEqual(['2']);
  second?.();
  await expect.poll(() => locks.held.size).toBe(0);
});

test('says why a page may not have a lock', async () => {
  const denied = { request: () => Promise.reject(new Error('SecurityError')) };
  await expect(takeLock(denied, ['1'])).rejects.toThrow('SecurityError');
});
