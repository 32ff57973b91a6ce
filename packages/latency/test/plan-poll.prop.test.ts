import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MIN_POLL_GAP_MS, planPoll } from '../src/index.ts';

const circumstances = fc.record({
  malMs: fc.integer({ min: 200, max: 120_000 }),
  readMs: fc.integer({ min: 0, max: 100 }),
  intervalMs: fc.integer({ min: 500, max: 120_000 }),
  phase: fc.double({ min: 0, max: 0.999, noNaN: true }),
  aheadMs: fc.integer({ min: 1, max: 120_000 }),
});

test('MAL-8 no request is planned before the predicted update', () => {
  fc.assert(
    fc.property(circumstances, ({ aheadMs, ...rest }) => {
      expect(planPoll({ ...rest, readAtMs: 0, nextUpdateMs: aheadMs }).atMs).toBeGreaterThanOrEqual(aheadMs);
    }),
  );
});

test('MAL-3 the planned lag bound is within the MAL wherever the MAL leaves room for a read', () => {
  fc.assert(
    fc.property(circumstances, ({ aheadMs, ...rest }) => {
      fc.pre(rest.malMs >= rest.readMs + MIN_POLL_GAP_MS);
      expect(planPoll({ ...rest, readAtMs: 0, nextUpdateMs: aheadMs }).lagBoundMs).toBeLessThanOrEqual(rest.malMs);
      expect(planPoll({ ...rest, readAtMs: 0 }).lagBoundMs).toBeLessThanOrEqual(rest.malMs);
    }),
  );
});

test('MAL-3 a smaller MAL never has a worse bound', () => {
  fc.assert(
    fc.property(circumstances, fc.integer({ min: 0, max: 60_000 }), ({ aheadMs, ...rest }, moreMs) => {
      const read = { ...rest, readAtMs: 0, nextUpdateMs: aheadMs };
      const loose = planPoll({ ...read, malMs: rest.malMs + moreMs });
      expect(planPoll(read).lagBoundMs).toBeLessThanOrEqual(loose.lagBoundMs + 1e-6);
    }),
  );
});

test('MAL-8 on a regular stream there is at most one request per update, and each keeps the MAL', () => {
  fc.assert(
    fc.property(circumstances, ({ aheadMs: _, malMs, readMs, intervalMs, phase }) => {
      fc.pre(malMs >= readMs + MIN_POLL_GAP_MS && intervalMs > readMs + MIN_POLL_GAP_MS);
      let nowMs = 0;
      let requests = 0;
      let readUpdates = 0;
      while (readUpdates < 50) {
        const nextUpdateMs = (readUpdates + 1) * intervalMs;
        nowMs = planPoll({ readAtMs: nowMs, nextUpdateMs, intervalMs, malMs, readMs, phase }).atMs;
        requests += 1;
        expect(nowMs + readMs - nextUpdateMs).toBeLessThanOrEqual(malMs + 1e-6);
        readUpdates = Math.floor(nowMs / intervalMs + 1e-9);
      }
      expect(requests).toBeLessThanOrEqual(readUpdates);
    }),
  );
});

test('MAL-8 clients of all phases spread evenly over the last interval of their slack', () => {
  const at = (phase: number) =>
    planPoll({ readAtMs: 0, nextUpdateMs: 5000, intervalMs: 5000, malMs: 30_100, readMs: 100, phase }).atMs;
  expect(at(0)).toBe(30_000);
  expect(at(0.5)).toBe(32_500);
  const tight = planPoll({
    readAtMs: 0,
    nextUpdateMs: 20_000,
    intervalMs: 20_000,
    malMs: 2100,
    readMs: 100,
    phase: 0.5,
  });
  expect(tight.atMs).toBe(21_000);
});

test('MAL-8 a MAL that leaves no slack asks at once, but never in a hot loop', () => {
  const plan = planPoll({ readAtMs: 1000, malMs: 1, readMs: 50, phase: 0 });
  expect(plan).toEqual({ atMs: 1000 + MIN_POLL_GAP_MS, lagBoundMs: MIN_POLL_GAP_MS + 50 });
});
