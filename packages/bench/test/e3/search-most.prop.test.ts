import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { ladder, searchMost } from '../../src/e3/search-most.ts';

const searches = fc.integer({ min: 1, max: 80 }).chain((levels) =>
  fc.record({
    levels: fc.constant(levels),
    limit: fc.integer({ min: -1, max: levels - 1 }),
    at: fc.integer({ min: 0, max: levels - 1 }),
    stride: fc.integer({ min: 1, max: 8 }),
    attempts: fc.integer({ min: 1, max: 3 }),
  }),
);

test('finds the highest level that holds, from wherever it begins', async () => {
  await check(
    fc.asyncProperty(searches, async ({ levels, limit, ...start }) => {
      const found = await searchMost(levels, start, async (index) => index <= limit);
      expect(found).toBe(limit);
    }),
  );
});

test('tries no level that it knows of', async () => {
  await check(
    fc.asyncProperty(searches, async ({ levels, limit, ...start }) => {
      const tried: number[] = [];
      await searchMost(levels, { ...start, attempts: 1 }, async (index) => {
        tried.push(index);
        return index <= limit;
      });
      expect(new Set(tried).size).toBe(tried.length);
    }),
  );
});

test('a level that fails once holds when it is tried again', async () => {
  const failed = new Set<number>();
  const found = await searchMost(10, { at: 2, stride: 2, attempts: 2 }, async (index) => {
    const isFirst = !failed.has(index);
    failed.add(index);
    return index <= 6 && !isFirst;
  });
  expect(found).toBe(6);
});

test('a ladder ascends by so many steps to a doubling, without a level twice', () => {
  expect(ladder(20, 1)).toEqual([1, 2, 4, 8, 16]);
  expect(ladder(64, 0.5)).toEqual([1, 4, 16, 64]);
  const fine = ladder(1000, 6);
  expect(new Set(fine).size).toBe(fine.length);
  expect(fine.every((level, index) => index === 0 || level > (fine[index - 1] as number))).toBe(true);
});
