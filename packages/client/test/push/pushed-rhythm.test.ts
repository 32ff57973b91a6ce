import { expect, test } from 'vitest';
import { PushedRhythm } from '../../src/push/pushed-rhythm.ts';

test('MAL-48 goes on from what a document predicted, an interval apart, as commits come', () => {
  const rhythm = new PushedRhythm();
  expect(rhythm.nextUpdateMs(0)).toBeUndefined();
  rhythm.stated({ nextUpdateMs: 10_000, intervalMs: 5_000 });
  expect(rhythm.nextUpdateMs(8_000)).toBe(10_000);
  rhythm.committed(10_040);
  expect(rhythm.nextUpdateMs(10_050)).toBe(15_000);
  // One that was missed, and a late one.
  rhythm.committed(21_900);
  expect(rhythm.nextUpdateMs(22_000)).toBe(25_000);
  // It is overdue until it comes.
  expect(rhythm.nextUpdateMs(99_000)).toBe(25_000);
});

test('MAL-48 tells the first update that is due after an instant, whatever did not come', () => {
  const rhythm = new PushedRhythm();
  rhythm.stated({ nextUpdateMs: 10_000, intervalMs: 5_000 });
  expect([0, 9_999, 10_000, 14_999, 15_000, 62_000].map((ms) => rhythm.dueAfterMs(ms, ms))).toEqual([
    10_000, 10_000, 15_000, 15_000, 20_000, 65_000,
  ]);
});

test('MAL-48 a document that says nothing of the next update takes nothing back', () => {
  const rhythm = new PushedRhythm();
  rhythm.stated({ nextUpdateMs: 10_000, intervalMs: 5_000 });
  rhythm.stated({ intervalMs: 5_000 });
  rhythm.committed(10_001);
  expect(rhythm.nextUpdateMs(10_002)).toBe(15_000);
});

test('MAL-48 learns from the commits where no document tells', () => {
  const rhythm = new PushedRhythm();
  for (let count = 0; count <= 12; count += 1) rhythm.committed(count * 60_000);
  // An old event that comes again changes nothing.
  rhythm.committed(60_000);
  expect(rhythm.nextUpdateMs(721_000)).toBe(780_000);
  expect(rhythm.intervalMs(721_000)).toBe(60_000);
});

test.each([
  ['late ones', [10_000, 18_000, 20_000, 27_000, 31_000, 35_000]],
  ['several for one update', [10_000, 10_900, 15_000, 15_100, 15_200]],
  ['ones that are a little early', [9_000, 14_000, 19_000]],
  ['ones that are left out', [10_000, 40_000, 55_000]],
])('MAL-48 goes on by what was stated with %s', (_, commitsMs) => {
  const rhythm = new PushedRhythm();
  rhythm.stated({ nextUpdateMs: 10_000, intervalMs: 5_000 });
  for (const timeMs of commitsMs) rhythm.committed(timeMs);
  expect(rhythm.intervalMs(60_000)).toBe(5_000);
});

test.each([
  ['in the middle of an interval', { nextUpdateMs: 10_000, intervalMs: 5_000 }, [10_000, 12_500]],
  ['before the first that was predicted', { nextUpdateMs: 10_000, intervalMs: 5_000 }, [7_000]],
  ['before the one that was predicted, with no interval', { nextUpdateMs: 10_000 }, [8_900]],
])('MAL-48 a commit that comes %s disproves what was stated', (_, stated, commitsMs) => {
  const rhythm = new PushedRhythm();
  rhythm.stated(stated);
  for (const timeMs of commitsMs) rhythm.committed(timeMs);
  expect([rhythm.nextUpdateMs(13_000), rhythm.intervalMs(13_000)]).toEqual([undefined, undefined]);
  rhythm.stated({ nextUpdateMs: 20_000, intervalMs: 10_000 });
  expect(rhythm.nextUpdateMs(13_000)).toBe(20_000);
});

test('MAL-48 no update is expected later than an interval after the last, where a source is slower than it states', () => {
  const rhythm = new PushedRhythm();
  rhythm.stated({ nextUpdateMs: 10_000, intervalMs: 5_000 });
  const expected = [10_000, 15_250, 20_500, 25_750, 31_000, 36_250].map((timeMs) => {
    rhythm.committed(timeMs);
    return rhythm.nextUpdateMs(timeMs);
  });
  expect(expected).toEqual([15_000, 20_000, 25_000, 30_000, 35_000, 40_000]);
  // Nearer to the instant that it did not come at than to its own.
  rhythm.committed(43_000);
  expect(rhythm.nextUpdateMs(43_000)).toBe(48_000);
});

test('MAL-48 a commit a little before its prediction is what was predicted, but none that was known by then', () => {
  const rhythm = new PushedRhythm();
  rhythm.committed(9_900);
  rhythm.stated({ nextUpdateMs: 10_000, intervalMs: 5_000 });
  expect(rhythm.nextUpdateMs(9_950)).toBe(10_000);
  rhythm.committed(9_970);
  expect(rhythm.nextUpdateMs(10_050)).toBe(14_970);
});
