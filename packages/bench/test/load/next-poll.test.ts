import { expect, test } from 'vitest';
import type { AnswerHeader } from '../../src/load/answer-header.ts';
import { freshForMs } from '../../src/load/client-cache.ts';
import { firstInstantMs, nextByMalMs, nextStepMs } from '../../src/load/next-poll.ts';

const DATE = 'Sun, 22 Nov 2026 01:00:00 GMT';
const header = (fields: Partial<AnswerHeader>): AnswerHeader => ({
  status: 200,
  headerBytes: 0,
  bodyBytes: 0,
  isLast: false,
  isGzip: false,
  ageSeconds: 0,
  ...fields,
});

test.each([
  [{}, 0],
  [{ cacheControl: 'public, max-age=4' }, 4000],
  [{ cacheControl: 'public, max-age=4, stale-if-error=300', ageSeconds: 3 }, 1000],
  [{ cacheControl: 'max-age=4', ageSeconds: 9 }, 0],
  [{ cacheControl: 'no-store, max-age=4' }, 0],
  [{ date: DATE, expires: 'Sun, 22 Nov 2026 01:00:05 GMT' }, 5000],
  [{ date: DATE, expires: 'Sun, 22 Nov 2026 01:00:05 GMT', cacheControl: 'max-age=2' }, 2000],
  [{ date: DATE, expires: 'Sun, 22 Nov 2026 00:00:05 GMT' }, 0],
])('an answer with %j is fresh for %d ms', (fields, ms) => {
  expect(freshForMs(header(fields))).toBe(ms);
});

test.each([
  ['max-age=0', 1500],
  // Fresh until 5,900: the steps at 1,500 to 5,500 are answered by the copy.
  ['max-age=5', 6000],
  // Fresh until 1,900.
  ['max-age=1', 2000],
])('a copy with %s is asked for again at the first step at which it is stale', (cacheControl, ms) => {
  expect(nextStepMs(1000, 500, 900, header({ cacheControl }))).toBe(ms);
});

test('a copy that becomes stale at a step is asked for at that step', () => {
  expect(nextStepMs(1000, 500, 1000, header({ cacheControl: 'max-age=1' }))).toBe(2000);
});

test('instants of a phase lie apart by their period, whenever they begin', () => {
  expect(firstInstantMs(1000, 500, 0.2)).toBeCloseTo(1100);
  expect(firstInstantMs(1100.1, 500, 0.2)).toBeCloseTo(1600);
});

test('a reader with a MAL asks at its phase after the update that an answer names', () => {
  const answer = header({ cacheControl: 'public, max-age=4', nextUpdate: new Date(105_000).toISOString() });
  const plan = { malMs: 2000, phase: 0.5, askedMs: 100_200, readMs: 50, intervalMs: 5000 };
  const atMs = nextByMalMs(answer, plan);
  expect(atMs).toBeGreaterThan(105_000);
  expect(atMs).toBeLessThanOrEqual(107_000);
  expect(nextByMalMs(answer, { ...plan, phase: 0 })).toBe(105_000);
});

test('where nothing is named, a reader asks within its MAL', () => {
  const plan = { malMs: 2000, phase: 0.5, askedMs: 100_200, readMs: 50, intervalMs: undefined };
  expect(nextByMalMs(header({}), plan)).toBeLessThanOrEqual(102_200);
});
