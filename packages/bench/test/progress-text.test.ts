import { expect, test } from 'vitest';
import { progressText, roundedText, secondsLeft } from '../src/progress-text.ts';

test.each([
  [{ elapsedSeconds: 0, share: 0, expectedSeconds: 180 }, '0 %, about 3 min left'],
  [{ elapsedSeconds: 24, share: 0.12, expectedSeconds: 200 }, '12 %, about 3 min left'],
  [{ elapsedSeconds: 200, share: 0.999, expectedSeconds: 200 }, '99 %, about 5 s left'],
  [{ elapsedSeconds: 300, share: 1, expectedSeconds: 200 }, '100 %'],
  [{ elapsedSeconds: 300, share: 1.2, expectedSeconds: 200 }, '100 %'],
])('%j is told as "%s"', (progress, text) => {
  expect(progressText(progress)).toBe(text);
});

test('what is left follows what was expected first, and the pace later', () => {
  expect(secondsLeft({ elapsedSeconds: 0, share: 0, expectedSeconds: 100 })).toBe(100);
  // On schedule.
  expect(secondsLeft({ elapsedSeconds: 50, share: 0.5, expectedSeconds: 100 })).toBe(50);
  // At half the pace.
  const early = secondsLeft({ elapsedSeconds: 20, share: 0.1, expectedSeconds: 100 });
  const late = secondsLeft({ elapsedSeconds: 180, share: 0.9, expectedSeconds: 100 });
  expect(early).toBeGreaterThan(90);
  expect(early).toBeLessThan(110);
  expect(late).toBeCloseTo(19, 5);
});

test.each([
  [0, '5 s'],
  [41, '40 s'],
  [58, '1 min'],
  [95, '1 min 30 s'],
  [260, '4 min 30 s'],
  [700, '12 min'],
  [3590, '1 h'],
  [4810, '1 h 20 min'],
])('%d s are rounded to %s', (seconds, text) => {
  expect(roundedText(seconds)).toBe(text);
});
