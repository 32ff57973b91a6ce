import { expect, test } from 'vitest';
import { Turnstile } from '../src/turnstile.ts';

test('so many actions go on at a time and the others follow in order, whatever becomes of those before', async () => {
  const turnstile = new Turnstile(2);
  const ends: (() => void)[] = [];
  const begun: number[] = [];
  const act = (index: number) =>
    turnstile.run(async () => {
      begun.push(index);
      await new Promise<void>((end) => ends.push(end));
      if (index === 0) throw new Error('first');
      return index;
    });
  const actions = [0, 1, 2, 3].map(act);
  expect([begun, turnstile.waiting]).toEqual([[0, 1], 2]);
  ends[0]!();
  await expect(actions[0]).rejects.toThrow('first');
  expect([begun, turnstile.waiting]).toEqual([[0, 1, 2], 1]);
  ends[1]!();
  await actions[1];
  ends[2]!();
  ends[3]!();
  expect(await Promise.all(actions.slice(1))).toEqual([1, 2, 3]);
  const last = act(4);
  expect(begun.at(-1)).toBe(4);
  ends[4]!();
  await last;
});
