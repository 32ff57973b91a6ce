import { check, fc, size } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { formatHashes, hashText, parseHashes } from '../../src/tree/hash-text.ts';
import { Heap } from '../../src/tree/heap.ts';
import { NumberSet } from '../../src/tree/number-set.ts';

test('a set knows what was added to it, and nothing else, until its limit', () => {
  const numbers = fc.array(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { maxLength: 3000 });
  check(
    fc.property(numbers, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (added, other) => {
      const set = new NumberSet(6000);
      for (const number of added) set.add(number);
      expect(added.every((number) => set.has(number))).toBe(true);
      expect(set.has(other)).toBe(added.includes(other));
    }),
  );
});

test('beyond its limit it forgets the oldest, never the newer half', () => {
  const set = new NumberSet(2000);
  for (let number = 1; number <= 10_000; number += 1) set.add(number);
  for (let number = 9_001; number <= 10_000; number += 1) expect(set.has(number)).toBe(true);
  expect(set.has(8_000)).toBe(false);
});

test('texts that are alike but for a number have hashes of their own', () => {
  const length = size({ gate: 100_000, night: 300_000 });
  expect(new Set(Array.from({ length }, (_, index) => hashText(`http://a.example/m/${index}`))).size).toBe(length);
});

test('hashes are read as they were written', () => {
  const hashes = fc.array(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
  check(
    fc.property(hashes, fc.string(), (some, text) => {
      const all = [...some, hashText(text)];
      expect(parseHashes(formatHashes(all))).toEqual(all);
    }),
  );
});

test('a heap gives out the least first', () => {
  check(
    fc.property(fc.array(fc.integer()), (numbers) => {
      const heap = new Heap<number>((left, right) => left < right);
      for (const number of numbers) heap.push(number);
      const sorted = [...numbers].sort((left, right) => left - right);
      expect(numbers.map(() => heap.pop())).toEqual(sorted);
      expect(heap.pop()).toBeUndefined();
    }),
  );
});
