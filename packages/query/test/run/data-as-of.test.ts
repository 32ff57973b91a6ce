import { expect, test } from 'vitest';
import { dataAsOfMs } from '../../src/run/data-as-of.ts';

test('QUERY-2 is what the source furthest behind shows: its claim, or when its newest was published', () => {
  const claiming = { completeToMs: 700, publishedMs: 650 };
  const plain = { completeToMs: undefined, publishedMs: 600 };
  expect(dataAsOfMs([claiming], 1000)).toBe(700);
  expect(dataAsOfMs([claiming, plain], 1000)).toBe(600);
  expect(dataAsOfMs([claiming], 650)).toBe(650);
  expect(dataAsOfMs([claiming, { completeToMs: undefined, publishedMs: -Infinity }], 1000)).toBe(0);
});
