import { expect, test } from 'vitest';
import { ClaimingSource } from '../../src/query/claiming-source.ts';

const state = (timeMs: number) => ({ kind: 'state', cursor: `e-${timeMs}`, members: [] }) as const;

test('nothing is published at an instant that was claimed, and nothing is claimed while something waits', async () => {
  let nowMs = 100;
  const source = new ClaimingSource(() => nowMs);
  const events = source[Symbol.asyncIterator]();
  expect(source.completeToMs()).toBe(100);
  expect(source.publish(state).cursor).toBe('e-101');
  expect(source.publish(state).cursor).toBe('e-102');
  expect(source.completeToMs()).toBeUndefined();
  expect((await events.next()).value).toMatchObject({ cursor: 'e-101' });
  expect(source.completeToMs()).toBeUndefined();
  expect((await events.next()).value).toMatchObject({ cursor: 'e-102' });
  expect(source.completeToMs()).toBe(102);
  nowMs = 200;
  expect(source.completeToMs()).toBe(200);
});

test('it brings what comes while it is waited for, and then ends', async () => {
  const source = new ClaimingSource(() => 5);
  const events = source[Symbol.asyncIterator]();
  const next = events.next();
  source.publish(state);
  expect((await next).value).toMatchObject({ cursor: 'e-5' });
  const last = events.next();
  source.end();
  expect(await last).toEqual({ done: true, value: undefined });
});
