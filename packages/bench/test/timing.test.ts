/* Time as it is measured: histograms, stamps, schedules, and when clients ask. */
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { AnswerHeader } from '../src/load/answer-header.ts';
import { freshForMs } from '../src/load/client-cache.ts';
import { DueHeap } from '../src/load/due-heap.ts';
import { LatencyHistogram } from '../src/load/latency-histogram.ts';
import { latencyMoments } from '../src/load/latency-moments.ts';
import { monotonicMicros } from '../src/load/monotonic-micros.ts';
import { nextByMalMs, nextStepMs } from '../src/load/next-poll.ts';
import { publishOnSchedule } from '../src/load/publish-on-schedule.ts';
import { aroundStamps, findStamp, readStamp, STAMP_BYTES, stamp } from '../src/load/stamp.ts';
import { DeclaredSchedule } from '../src/subjects/declared-schedule.ts';

const value = fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 2 ** 31 - 1 }));

function of(values: readonly number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const one of values) histogram.note(one);
  return histogram;
}

test('a percentile is at most 1 % above the value of its rank, and never below it', () => {
  check(
    fc.property(fc.array(value, { minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
      const sorted = [...values].sort((left, right) => left - right);
      const exact = sorted[Math.max(1, Math.ceil(values.length * share)) - 1] as number;
      const told = of(values).percentile(share);
      expect(told).toBeGreaterThanOrEqual(exact);
      expect(told).toBeLessThanOrEqual(Math.ceil(exact * 1.01));
    }),
  );
});

test('histograms that are added up are the histogram of all values', () => {
  check(
    fc.property(fc.array(value), fc.array(value), (some, others) => {
      const sum = of(some);
      sum.add(of(others).toSparse());
      expect(sum.toSparse()).toEqual(of([...some, ...others]).toSparse());
      expect(sum.total).toBe(some.length + others.length);
    }),
  );
});

test('the greatest value is told as it was, what is early counts as 0, and what is very late in the last counter', () => {
  expect(of([3, 123_457]).max).toBe(123_457);
  expect(of([]).percentile(0.99)).toBe(0);
  const histogram = of([-5, 1e15]);
  expect([histogram.percentile(0.5), histogram.total, histogram.max]).toEqual([0, 2, 1e15]);
});

const momentsOf = (values: readonly number[]) => latencyMoments(of(values).toSparse());

test.each([
  [[2, 4, 4, 4, 5, 5, 7, 9], 5, 2],
  [[7, 7], 7, 0],
  [[], 0, 0],
])('the mean of %j is %d, and the standard deviation %d', (values, mean, standardDeviation) => {
  expect(momentsOf(values)).toEqual({ mean, standardDeviation });
});

test('the mean of any values is within 0.5 % of theirs', () => {
  check(
    fc.property(fc.array(fc.nat({ max: 10_000_000 }), { minLength: 1 }), (values) => {
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      expect(Math.abs(momentsOf(values).mean - mean)).toBeLessThanOrEqual(mean * 0.005 + 1e-9);
    }),
  );
});

test.each([0, 1, 987_654_321_012, 9_007_199_254_740_991])('the stamp of %d is read as it was written', (micros) => {
  const bytes = Buffer.from(`before ${stamp(micros)} after`);
  expect(findStamp(bytes, 0, bytes.length)).toBe(7);
  expect(readStamp(bytes, 7)).toBe(micros);
  expect(stamp(micros)).toHaveLength(STAMP_BYTES);
  // One that is cut off, or begins before, is none.
  expect([findStamp(bytes, 0, 7 + STAMP_BYTES - 1), findStamp(bytes, 8, bytes.length)]).toEqual([-1, -1]);
});

test('a text is stamped anew by joining what is around its stamps', () => {
  const text = `a ${stamp(1)} b ${stamp(2)} c`;
  expect(aroundStamps(text).join(stamp(3))).toBe(`a ${stamp(3)} b ${stamp(3)} c`);
});

test('every update is stamped with the instant it was meant for, however late those before it were', async () => {
  const startMicros = monotonicMicros() + 2000;
  const told: { stamp: number; index: number; isEarly: boolean }[] = [];
  await publishOnSchedule({ startMicros, intervalMicros: 1000, count: 4 }, async (stamp, index) => {
    told.push({ stamp, index, isEarly: monotonicMicros() < stamp });
    // The first one stalls past the instants of all others.
    while (index === 0 && monotonicMicros() < startMicros + 5000) await undefined;
  });
  expect(told).toEqual([0, 1, 2, 3].map((index) => ({ stamp: startMicros + index * 1000, index, isEarly: false })));
});

test('readers come out in the order in which they are due, whenever they went in', () => {
  const step = fc.oneof(fc.nat(), fc.constant('pop' as const));
  check(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const heap = new DueHeap(steps.length);
      const waiting = new Map<number, number>();
      for (const [item, due] of steps.entries()) {
        if (due !== 'pop') {
          heap.push(due, item);
          waiting.set(item, due);
          continue;
        }
        const first = Math.min(...waiting.values());
        expect(heap.firstDue).toBe(first);
        if (waiting.size === 0) continue;
        const popped = heap.pop() as number;
        expect(waiting.get(popped)).toBe(first);
        waiting.delete(popped);
      }
    }),
  );
});

test('the next update is the first that is expected, then one interval after each that was published', () => {
  const edge = { clock: () => 1_000_000, micros: () => 5_000_000 };
  const declared = new DeclaredSchedule(2000, edge);
  expect(declared.schedule).toEqual({ kind: 'unknown' });
  declared.expect(6_000_000);
  expect(declared.schedule).toEqual({ kind: 'interval', intervalMs: 2000, nextMs: 1_001_000 });
  declared.published(6_000_000);
  expect(declared.nextMs).toBe(1_003_000);
});

const DATE = 'Sun, 22 Nov 2026 01:00:00 GMT';
const EMPTY = { status: 200, headerBytes: 0, bodyBytes: 0, isLast: false, isGzip: false, ageSeconds: 0 };
const header = (fields: Partial<AnswerHeader>): AnswerHeader => ({ ...EMPTY, ...fields });

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

test('a reader with a MAL asks at its phase after the update that an answer names', () => {
  const answer = header({ cacheControl: 'public, max-age=4', nextUpdate: new Date(105_000).toISOString() });
  const plan = { malMs: 2000, phase: 0.5, askedMs: 100_200, readMs: 50, intervalMs: 5000 };
  const atMs = nextByMalMs(answer, plan);
  expect(atMs).toBeGreaterThan(105_000);
  expect(atMs).toBeLessThanOrEqual(107_000);
  expect(nextByMalMs(answer, { ...plan, phase: 0 })).toBe(105_000);
});
