import { expect, test } from 'vitest';
import { STATED_MARGIN_MS, type StatedTimes, statedIntervalMs, statedPollMs } from '../src/stated-poll.ts';

const START = 1_000_000_000;
const HOUR = 3_600_000;

/** When to poll after the poll, milliseconds from its beginning. */
function waitMs(times: Partial<StatedTimes>): number {
  const usual = { documentMs: START - 10_000, ttlMs: 60_000, startedAtMs: START, nowMs: START + 200 };
  return statedPollMs({ ...usual, leastMs: 5000, mostMs: HOUR, random: 0, ...times }) - START;
}

test('SRC-19 a document is polled a second after its span', () => {
  expect(waitMs({})).toBe(50_000 + STATED_MARGIN_MS);
  expect(waitMs({ documentMs: undefined })).toBe(60_000 + STATED_MARGIN_MS);
});

test('SRC-19 a document of a time to come is taken to be of the present', () => {
  expect(waitMs({ documentMs: START + 3_600_000 })).toBe(60_000 + STATED_MARGIN_MS);
});

test('SRC-19 one whose span has passed is polled a quarter of it after the poll', () => {
  expect(waitMs({ documentMs: START - 61_000 })).toBe(15_000);
  expect(waitMs({ documentMs: START - 60_800 })).toBe(15_000);
  expect(waitMs({ documentMs: START - 60_799, leastMs: 1 })).toBe(201);
  expect(waitMs({ documentMs: START - 54_000 })).toBe(6000 + STATED_MARGIN_MS);
  expect(waitMs({ documentMs: 0 })).toBe(15_000);
});

test('SRC-20 no poll comes sooner than leastMs after the one before, or later than mostMs', () => {
  expect(waitMs({ documentMs: START - 59_000 })).toBe(5000);
  expect(waitMs({ ttlMs: 0 })).toBe(5000);
  expect(waitMs({ ttlMs: 0, nowMs: START + 9000 })).toBe(9000);
  expect(waitMs({ documentMs: undefined, ttlMs: 1e15 })).toBe(HOUR + STATED_MARGIN_MS);
  expect(statedIntervalMs(4999, 5000, HOUR)).toBe(5000);
  expect(statedIntervalMs(5001, 5000, HOUR)).toBe(5001);
  expect(statedIntervalMs(HOUR - 1, 5000, HOUR)).toBe(HOUR - 1);
  expect(statedIntervalMs(HOUR + 1, 5000, HOUR)).toBe(HOUR);
});

test('a poll is put off by a twentieth of the span at most, and a second at most', () => {
  expect(waitMs({ random: 0.999999 }) - waitMs({})).toBe(999);
  const short = { ttlMs: 10_000, documentMs: undefined };
  expect(waitMs({ ...short, random: 0.999999 }) - waitMs(short)).toBe(499);
});
