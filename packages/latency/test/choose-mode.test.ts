import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseMode } from '../src/index.ts';

const offered = { breakEvenMs: 10_000, push: 'offered' } as const;

test('MAL-5 push below the break-even, pull from it on', () => {
  expect(chooseMode({ ...offered, malMs: 9999 }).mode).toBe('push');
  expect(chooseMode({ ...offered, malMs: 10_000 }).mode).toBe('pull');
});

test('MAL-6 the reason names the MAL and the break-even', () => {
  expect(chooseMode({ ...offered, malMs: 1000 }).reason).toBe('MAL 1 s is below the break-even of 10 s');
  expect(chooseMode({ ...offered, malMs: 60_000 }).reason).toBe('MAL 60 s is not below the break-even of 10 s');
});

test('MAL-7 a mode in use is kept near the break-even and left beyond it', () => {
  expect(chooseMode({ ...offered, malMs: 11_000, current: 'push' }).mode).toBe('push');
  expect(chooseMode({ ...offered, malMs: 9000, current: 'pull' }).mode).toBe('pull');
  expect(chooseMode({ ...offered, malMs: 12_000, current: 'push' }).mode).toBe('push');
  expect(chooseMode({ ...offered, malMs: 12_001, current: 'push' }).mode).toBe('pull');
  expect(chooseMode({ ...offered, malMs: 7999, current: 'pull' }).mode).toBe('push');
});

test('MAL-5 without a working push endpoint it is pull, whatever the MAL', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.constantFrom('absent', 'failing'), (malMs, push) => {
      expect(chooseMode({ malMs, breakEvenMs: 10_000, push, current: 'push' }).mode).toBe('pull');
    }),
  );
});
