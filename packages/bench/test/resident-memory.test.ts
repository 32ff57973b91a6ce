import { expect, test } from 'vitest';
import { residentMemory } from '../src/resident-memory.ts';

test('the memory of its own is told apart from what is mapped', () => {
  const status = 'Name:\tnode\nVmRSS:\t  120000 kB\nRssAnon:\t   80000 kB\nRssFile:\t   40000 kB\n';
  expect(residentMemory(status)).toEqual({ ownBytes: 80_000 * 1024, residentBytes: 120_000 * 1024 });
});

test('what does not say it gives nothing', () => {
  expect(residentMemory('Name:\tnode\nVmRSS:\t120000 kB\n')).toBeUndefined();
});
