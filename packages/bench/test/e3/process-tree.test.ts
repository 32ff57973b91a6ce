import { expect, test } from 'vitest';
import { parseStat, treeTicks } from '../../src/e3/process-tree.ts';

test('reads a process whose name has brackets and spaces in it', () => {
  const after = Array.from({ length: 11 }, (_, index) => index + 100).join(' ');
  const text = `42 (a (b) c) S 7 ${after.split(' ').slice(0, 9).join(' ')} 5 6 1 2 20 0`;
  expect(parseStat(text)).toEqual({ pid: 42, parent: 7, ticks: 14 });
  expect(parseStat('')).toBeUndefined();
});

test('adds up a process and all below it', () => {
  const stats = [
    { pid: 1, parent: 0, ticks: 1000 },
    { pid: 2, parent: 1, ticks: 1 },
    { pid: 3, parent: 2, ticks: 10 },
    { pid: 4, parent: 3, ticks: 100 },
    { pid: 5, parent: 1, ticks: 5000 },
  ];
  expect(treeTicks(2, stats)).toBe(111);
});
