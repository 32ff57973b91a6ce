import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { evenlyServedPerSecond } from '../../src/e1/evenly-served.ts';

const tenSeconds = 10_000_000;
const steady = [100, 100, 100, 100, 100, 100, 100, 100, 100, 100];

test('what is served evenly is served as much by the clock', () => {
  expect(evenlyServedPerSecond({ servedInTenths: steady, wallMicros: tenSeconds })).toBeCloseTo(100);
  expect(evenlyServedPerSecond({ servedInTenths: steady, wallMicros: 500_000 })).toBeCloseTo(2000);
});

test('a slow tenth counts by the time that as many requests take in it', () => {
  // Nine tenths take 10 ms a request, one 40 ms: 13 ms on average.
  const servedInTenths = [25, ...steady.slice(1)];
  expect(evenlyServedPerSecond({ servedInTenths, wallMicros: tenSeconds })).toBeCloseTo(1000 / 13);
});

test('tenths without an answer are one with the next, and at the end with the one before', () => {
  const [before, after] = [
    [0, 0, 300, ...steady.slice(3)],
    [...steady.slice(3), 300, 0, 0],
  ];
  expect(evenlyServedPerSecond({ servedInTenths: before, wallMicros: tenSeconds })).toBeCloseTo(100);
  expect(evenlyServedPerSecond({ servedInTenths: after, wallMicros: tenSeconds })).toBeCloseTo(100);
});

test('nothing is served where nothing was answered', () => {
  expect(evenlyServedPerSecond({ servedInTenths: steady.map(() => 0), wallMicros: tenSeconds })).toBe(0);
});

test('it is never more than the average, and no less than the slowest stretch', () => {
  check(
    fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 10, maxLength: 10 }), (servedInTenths) => {
      const perSecond = evenlyServedPerSecond({ servedInTenths, wallMicros: tenSeconds });
      const average = servedInTenths.reduce((sum, served) => sum + served, 0) / 10;
      expect(perSecond).toBeLessThanOrEqual(average * (1 + 1e-9));
      expect(perSecond).toBeGreaterThanOrEqual(Math.min(...servedInTenths) * (1 - 1e-9));
    }),
  );
});
