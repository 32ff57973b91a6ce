import { expect, test } from 'vitest';
import { PushSlots } from '../../src/environment/push-slots.ts';
import { BrowserHost, SharedLocks } from '../support/browser-host.ts';

const URL_A = 'https://a.example/push';

test('MAL-61 a slot that is given back is free again, and once only', async () => {
  const slots = new PushSlots(new BrowserHost(), 2);
  const release = await slots.take(URL_A);
  await slots.take(URL_A);
  expect(await slots.take(URL_A)).toBeUndefined();
  release?.();
  release?.();
  expect(await slots.take(URL_A)).toBeTypeOf('function');
  expect(await slots.take(URL_A)).toBeUndefined();
});

test('MAL-60 tabs that share locks share the slots of an origin', async () => {
  const locks = new SharedLocks();
  const tabs = [new PushSlots(new BrowserHost(locks), 4), new PushSlots(new BrowserHost(locks), 4)];
  const taken = await Promise.all(Array.from({ length: 10 }, (_, index) => tabs[index % 2]?.take(URL_A)));
  expect(taken.filter((release) => release)).toHaveLength(4);
  expect(locks.held.size).toBe(4);
  expect(await tabs[0]?.take('http://a.example/push')).toBeTypeOf('function');
});

test('MAL-61 a lock that is given back is free for another tab', async () => {
  const locks = new SharedLocks();
  const release = await new PushSlots(new BrowserHost(locks), 1).take(URL_A);
  const other = new PushSlots(new BrowserHost(locks), 1);
  expect(await other.take(URL_A)).toBeUndefined();
  release?.();
  await Promise.resolve();
  await expect.poll(() => locks.held.size).toBe(0);
  expect(await other.take(URL_A)).toBeTypeOf('function');
});

test('a page that may not use its locks counts for itself', async () => {
  const denied = { request: () => Promise.reject(new Error('SecurityError')) };
  const slots = new PushSlots(new BrowserHost(denied), 1);
  expect(await slots.take(URL_A)).toBeTypeOf('function');
  expect(await slots.take(URL_A)).toBeUndefined();
});

test('locks that throw at once count as locks that may not be used', async () => {
  const throwing = {
    request: () => {
      throw new Error('InvalidStateError');
    },
  };
  expect(await new PushSlots(new BrowserHost(throwing), 1).take(URL_A)).toBeTypeOf('function');
});

test('MAL-60 over HTTP/2 there is no limit', async () => {
  const host = new BrowserHost(new SharedLocks());
  host.loaded('resource', URL_A, 'h2');
  const slots = new PushSlots(host, 1);
  for (let count = 0; count < 10; count++) expect(await slots.take(URL_A)).toBeTypeOf('function');
});
