import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { MIN_POLL_GAP_MS, pollPeriodMs } from '../src/index.ts';

const rooms = fc.record({
  malMs: fc.integer({ min: 1, max: 120_000 }),
  readMs: fc.double({ min: 0, max: 5000, noNaN: true }),
  hiddenAgeMs: fc.double({ min: 0, max: 3000, noNaN: true }),
});

test('MAL-41 the period is what the MAL leaves beside a read, down to a sixteenth of it and never below 100 ms', () => {
  expect(pollPeriodMs({ malMs: 10_000, readMs: 1050 })).toBe(8750);
  expect(pollPeriodMs({ malMs: 10_000, readMs: 1050, hiddenAgeMs: 2000 })).toBe(6875);
  expect(pollPeriodMs({ malMs: 16_000, readMs: 15_500 })).toBe(500);
  expect(pollPeriodMs({ malMs: 1000, readMs: 901 })).toBe(MIN_POLL_GAP_MS);
  expect(pollPeriodMs({ malMs: 1, readMs: 50 })).toBe(MIN_POLL_GAP_MS);
});

test('MAL-41 the period leaves at most a sixteenth of the MAL unused, and keeps it wherever 100 ms are left', () => {
  check(
    fc.property(rooms, (room) => {
      const leftMs = room.malMs - room.readMs - room.hiddenAgeMs;
      fc.pre(leftMs >= MIN_POLL_GAP_MS);
      expect(pollPeriodMs(room)).toBeLessThanOrEqual(leftMs);
      expect(pollPeriodMs(room)).toBeGreaterThanOrEqual(leftMs - room.malMs / 16 - 1e-9);
    }),
  );
});

test('MAL-41 however little the MAL leaves, or less than nothing, the period is no shorter than 100 ms', () => {
  check(
    fc.property(rooms, (room) => {
      fc.pre(room.malMs <= room.readMs + room.hiddenAgeMs + MIN_POLL_GAP_MS);
      expect(pollPeriodMs(room)).toBe(MIN_POLL_GAP_MS);
    }),
  );
});

test('MAL-41 the period stays while reads waver, but where a step begins', () => {
  check(
    fc.property(rooms, fc.double({ min: 0, max: 1, noNaN: true }), (room, share) => {
      const slackMs = room.malMs - room.readMs - room.hiddenAgeMs;
      const stepMs = room.malMs / 16;
      const aboveMs = slackMs - Math.floor(slackMs / stepMs) * stepMs;
      fc.pre(slackMs >= 2 * stepMs && aboveMs > 1e-6);
      const slower = { ...room, readMs: room.readMs + aboveMs * share * 0.999 };
      expect(pollPeriodMs(slower)).toBe(pollPeriodMs(room));
    }),
  );
});

test('MAL-3 a smaller MAL never has a longer period, so never a worse bound', () => {
  check(
    fc.property(rooms, fc.integer({ min: 0, max: 60_000 }), (room, moreMs) => {
      expect(pollPeriodMs(room)).toBeLessThanOrEqual(pollPeriodMs({ ...room, malMs: room.malMs + moreMs }) + 1e-9);
    }),
  );
});
