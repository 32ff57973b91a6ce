import { expect, test } from 'vitest';
import { nextSlot, type Slot, type StreamRhythm } from '../../src/client/stream-rhythm.ts';
import { seededRandom } from '../../src/seeded-random.ts';

function slots(kind: StreamRhythm['kind'], count: number): Slot[] {
  const rhythm = { name: 'parking', kind, intervalMs: 1000 };
  const random = seededRandom(1);
  const all: Slot[] = [];
  for (let last: Slot = { atMs: 5000, isPublished: false }; all.length < count; ) {
    last = nextSlot(rhythm, last, random);
    all.push(last);
  }
  return all;
}

test('a regular stream is updated at every instant that is stated', () => {
  expect(slots('regular', 3)).toEqual(
    [6000, 7000, 8000].map((statedMs) => ({ statedMs, atMs: statedMs, isPublished: true })),
  );
});

test('some updates of a late stream come after the instant that was stated, none before, and the next is on time', () => {
  const all = slots('late', 500);
  const delays = all.map(({ statedMs = 0, atMs }) => atMs - statedMs);
  expect(Math.min(...delays)).toBe(0);
  expect(Math.max(...delays)).toBeLessThan(600);
  const late = delays.filter((delay) => delay > 0).length;
  expect(late / all.length).toBeCloseTo(0.2, 1);
  expect(all.map(({ statedMs }) => statedMs)).toEqual(all.map((_, index) => 6000 + 1000 * index));
});

test('some updates of a stream with missing ones do not come, and the next is stated all the same', () => {
  const all = slots('missing', 500);
  expect(all.filter(({ isPublished }) => !isPublished).length / all.length).toBeCloseTo(0.2, 1);
  expect(all.map(({ atMs }) => atMs)).toEqual(all.map((_, index) => 6000 + 1000 * index));
});

test('an irregular stream states nothing, and its updates are about as far apart as its interval says', () => {
  const all = slots('irregular', 2000);
  expect(all.every(({ statedMs, isPublished }) => statedMs === undefined && isPublished)).toBe(true);
  const gaps = all.slice(1).map(({ atMs }, index) => atMs - (all[index] as Slot).atMs);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100 - 1e-6);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(3000 + 1e-6);
  expect(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length / 1000).toBeCloseTo(0.95, 1);
});
