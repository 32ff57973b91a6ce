import { expect, test } from 'vitest';
import { seededRandom } from '../src/seeded-random.ts';

function draw(seed: number, count: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, random);
}

test('the same seed gives the same numbers, and another one others', () => {
  expect(draw(7, 100)).toEqual(draw(7, 100));
  expect(draw(7, 100)).not.toEqual(draw(8, 100));
});

test('numbers are spread evenly over [0, 1)', () => {
  const tenths = new Array<number>(10).fill(0);
  for (const number of draw(1, 10_000)) {
    const tenth = Math.floor(number * 10);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  expect(tenths).toHaveLength(10);
  for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(150);
});
