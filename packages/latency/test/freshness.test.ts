import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { freshness, MICRO_CACHE_SECONDS, nextUpdate } from '../src/schedule.ts';

test('DOC-8 max-age is the whole seconds to the next update, rounded down', () => {
  expect(freshness({ state: 'predicted', atMs: 12_999 }, 10_000)).toEqual({
    maxAgeSeconds: 2,
    expiresMs: 12_999,
    nextUpdateMs: 12_999,
  });
  expect(freshness({ state: 'predicted', atMs: 10_999 }, 10_000).maxAgeSeconds).toBe(0);
});

test('DOC-9 an unknown or overdue update is cached for a second and predicts nothing', () => {
  for (const state of ['unknown', 'overdue'] as const) {
    expect(freshness({ state }, 10_000)).toEqual({ maxAgeSeconds: MICRO_CACHE_SECONDS, expiresMs: 11_000 });
  }
});

test('DOC-8 no header reaches past the next update, and none lies in the past', () => {
  check(
    fc.property(fc.integer({ min: 0, max: 1e13 }), fc.integer({ min: 1, max: 1e9 }), (nowMs, aheadMs) => {
      const fresh = freshness({ state: 'predicted', atMs: nowMs + aheadMs }, nowMs);
      expect(nowMs + fresh.maxAgeSeconds * 1000).toBeLessThanOrEqual(nowMs + aheadMs);
      expect(fresh.expiresMs).toBeLessThanOrEqual(nowMs + aheadMs);
      expect(fresh.expiresMs).toBeGreaterThanOrEqual(nowMs);
    }),
  );
});

test('MAL-1 an interval predicts its next instant, and is overdue once that has passed', () => {
  const schedule = { kind: 'interval', intervalMs: 5000, nextMs: 10_000 } as const;
  expect(nextUpdate(schedule, 9999)).toEqual({ state: 'predicted', atMs: 10_000 });
  expect(nextUpdate(schedule, 10_000)).toEqual({ state: 'overdue' });
  expect(nextUpdate(schedule, 60_000)).toEqual({ state: 'overdue' });
});

test('MAL-1 an unknown schedule predicts nothing', () => {
  expect(nextUpdate({ kind: 'unknown' }, 0)).toEqual({ state: 'unknown' });
});
