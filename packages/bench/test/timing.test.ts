import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { AnswerHeader } from '../src/load/answer-header.ts';
import { freshForMs } from '../src/load/client-cache.ts';
import { DueHeap } from '../src/load/due-heap.ts';
import { monotonicMicros } from '../src/load/monotonic-micros.ts';
import { nextByMalMs, nextStepMs } from '../src/load/next-poll.ts';
import { publishOnSchedule } from '../src/load/publish-on-schedule.ts';
import { aroundStamps, findStamp, readStamp, STAMP_BYTES, stamp } from '../src/load/stamp.ts';
import { DeclaredSchedule } from '../src/subjects/declared-schedule.ts';

test('a stamp is read as it was written, and its length is always the same', () => {
  for (const micros of [0, 1, 987_654_321_012, 9_007_199_254_740_991]) {
    const bytes = Buffer.from(`before ${stamp(micros)} after`);
    const at = findStamp(bytes, 0, bytes.length);
    expect(at).toBe(7);
    expect(readStamp(bytes, at)).toBe(micros);
    expect(stamp(micros)).toHaveLength(STAMP_BYTES);
  }
});

test('a stamp that is cut off or lies behind the end is none', () => {
  const bytes = Buffer.from(`${stamp(5)}`);
  expect(findStamp(bytes, 0, bytes.length - 1)).toBe(-1);
  expect(findStamp(bytes, 1, bytes.length)).toBe(-1);
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
      const waiting: { due: number; item: number }[] = [];
      steps.forEach((due, number) => {
        if (due !== 'pop') {
          heap.push(due, number);
          waiting.push({ due, item: number });
          return;
        }
        const first = Math.min(...waiting.map((one) => one.due));
        expect(heap.firstDue).toBe(first);
        if (waiting.length === 0) return;
        const item = heap.pop();
        const at = waiting.findIndex((one) => one.item === item);
        expect(waiting[at]?.due).toBe(first);
        waiting.splice(at, 1);
      });
    }),
  );
});

const EDGE = { clock: () => 1_000_000, micros: () => 5_000_000 };
/** The wall clock at an instant of the other one. */
const wallMs = (micros: number) => 1_000_000 + (micros - 5_000_000) / 1000;

test('the next update is the first that is expected, then one interval after each that was published', () => {
  const declared = new DeclaredSchedule(2000, EDGE);
  expect(declared.schedule).toEqual({ kind: 'unknown' });
  declared.expect(6_000_000);
  expect(declared.schedule).toEqual({ kind: 'interval', intervalMs: 2000, nextMs: wallMs(6_000_000) });
  declared.published(6_000_000);
  expect(declared.nextMs).toBe(wallMs(8_000_000));
});

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

test('a reader with a MAL asks at its phase after the update that an answer names', () => {
  const answer = header({ cacheControl: 'public, max-age=4', nextUpdate: new Date(105_000).toISOString() });
  const plan = { malMs: 2000, phase: 0.5, askedMs: 100_200, readMs: 50, intervalMs: 5000 };
  const atMs = nextByMalMs(answer, plan);
  expect(atMs).toBeGreaterThan(105_000);
  expect(atMs).toBeLessThanOrEqual(107_000);
  expect(nextByMalMs(answer, { ...plan, phase: 0 })).toBe(105_000);
});
