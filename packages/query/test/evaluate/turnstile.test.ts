import { expect, test } from 'vitest';
import { turnstile } from '../../src/evaluate/turnstile.ts';

test('QUERY-102 work goes through one after the other, also after work that failed', async () => {
  const turn = turnstile();
  const steps: string[] = [];
  const work = (name: string) => async () => {
    steps.push(`${name} begins`);
    await new Promise(setImmediate);
    if (name === 'b') throw new Error(name);
    steps.push(`${name} ends`);
    return name;
  };
  const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => turn(work(name))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'c begins', 'c ends']);
});
