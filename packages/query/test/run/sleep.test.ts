import { expect, test } from 'vitest';
import { Bell } from '../../src/run/bell.ts';
import { sleep } from '../../src/run/sleep.ts';

test('waits until its time, or until it is called off', async () => {
  const controller = new AbortController();
  await sleep(1, controller.signal);
  const waiting = sleep(2 ** 30, controller.signal);
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(sleep(1, controller.signal)).rejects.toBe(reason);
});

test('a bell is heard by who waits, and by the next who does', async () => {
  const bell = new Bell();
  const waiting = bell.heard();
  bell.ring();
  await waiting;
  bell.ring();
  bell.ring();
  await bell.heard();
  let isHeard = false;
  const next = bell.heard().then(() => {
    isHeard = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isHeard).toBe(false);
  bell.ring();
  await next;
});
