import { expect, test } from 'vitest';
import { Bell } from '../../src/waiting/bell.ts';
import { firstOf } from '../../src/waiting/first-of.ts';

const never = new AbortController().signal;
const forever = () => new Promise<never>(() => {});

test('tells which came first, and ends the others', async () => {
  const ended: string[] = [];
  const lasting = (name: string) => (signal: AbortSignal) => {
    signal.addEventListener('abort', () => ended.push(name));
    return forever();
  };
  const first = await firstOf(never, { slow: lasting('slow'), quick: async () => {}, absent: undefined });
  expect(first).toBe('quick');
  expect(ended).toEqual(['slow']);
});

test('a wait that fails first fails it, and one that fails later is nobody’s business', async () => {
  await expect(firstOf(never, { a: forever, b: () => Promise.reject(new Error('no')) })).rejects.toThrow('no');
  let fail: (error: Error) => void = () => {};
  const late = new Promise<never>((_, reject) => {
    fail = reject;
  });
  expect(await firstOf(never, { late: () => late, quick: async () => {} })).toBe('quick');
  fail(new Error('late'));
  await new Promise((resolve) => setImmediate(resolve));
});

test('ends with the reason of the signal', async () => {
  const controller = new AbortController();
  const waiting = firstOf(controller.signal, { forever });
  controller.abort('enough');
  await expect(waiting).rejects.toBe('enough');
  await expect(firstOf(controller.signal, { forever })).rejects.toBe('enough');
});

test('a bell wakes those who wait, each once, and forgets those who left', async () => {
  const bell = new Bell();
  const woken: string[] = [];
  const leaving = new AbortController();
  void bell.next(never).then(() => woken.push('one'));
  void bell.next(leaving.signal).then(() => woken.push('left'));
  leaving.abort();
  void bell.next(leaving.signal).then(() => woken.push('was aborted'));
  bell.ring();
  bell.ring();
  await new Promise((resolve) => setImmediate(resolve));
  expect(woken).toEqual(['one']);
});
