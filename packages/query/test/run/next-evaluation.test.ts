import { expect, test } from 'vitest';
import {
  type EvaluationCircumstances,
  evaluationIntervalMs,
  isWorthTakingMore,
  MOST_EVENTS_TAKEN,
  nextEvaluationMs,
  type SourceCircumstances,
} from '../../src/run/next-evaluation.ts';

const live: SourceCircumstances = { readSinceMs: 0, firstAtMs: 10, hasEnded: false, lagMs: 0 };
const silent: SourceCircumstances = { ...live, firstAtMs: undefined };
const ended: SourceCircumstances = { ...silent, hasEnded: true };

function next(given: Partial<EvaluationCircumstances>): number | undefined {
  const usual = { nowMs: 5000, malMs: 1000, lastStartMs: 4800, isChanged: true, isVolatile: false, sources: [live] };
  return nextEvaluationMs({ ...usual, ...given });
}

test('QUERY-60 the first is due when all sources have begun or ended, or a MAL after the reading began', () => {
  const first = { lastStartMs: undefined, isChanged: false, nowMs: 300 };
  expect(next({ ...first, sources: [live, live] })).toBe(300);
  expect(next({ ...first, sources: [live, ended] })).toBe(300);
  expect(next({ ...first, sources: [ended] })).toBe(300);
  expect(next({ ...first, sources: [live, silent] })).toBe(1000);
  expect(next({ ...first, nowMs: 1200, sources: [live, silent] })).toBe(1200);
  expect(next({ ...first, sources: [silent, ended] })).toBe(undefined);
});

test('QUERY-61 the next is due after the interval if there is a need', () => {
  expect(next({})).toBe(5800);
  expect(next({ lastStartMs: 3000 })).toBe(5000);
  expect(next({ isChanged: false })).toBe(undefined);
  expect(next({ sources: [{ ...live, lagMs: 200 }] })).toBe(5600);
});

test('QUERY-61 a clock that was set back puts nothing off', () => {
  expect(next({ nowMs: 1000, lastStartMs: 4_000_000 })).toBe(1000);
});

test('QUERY-63 one that changes with time is due without a change', () => {
  expect(next({ isChanged: false, isVolatile: true })).toBe(5800);
});

test('QUERY-69 the last is due at once', () => {
  expect(next({ sources: [ended] })).toBe(5000);
  expect(next({ sources: [ended], isChanged: false, isVolatile: true })).toBe(undefined);
  expect(next({ sources: [ended, live] })).toBe(5800);
});

test('QUERY-61 the interval is what the lag leaves of the MAL, and half of it at least', () => {
  const interval = (...lagsMs: readonly number[]) =>
    evaluationIntervalMs(
      1000,
      lagsMs.map((lagMs) => ({ lagMs })),
    );
  expect([interval(), interval(0), interval(1), interval(499), interval(500), interval(501)]).toEqual([
    1000, 1000, 999, 501, 500, 500,
  ]);
  expect(interval(100, 300)).toBe(700);
});

test('QUERY-62 one that is due is put off for so many events, or for so long', () => {
  expect(isWorthTakingMore(0, MOST_EVENTS_TAKEN - 1, 249, 1000)).toBe(true);
  expect(isWorthTakingMore(0, MOST_EVENTS_TAKEN, 249, 1000)).toBe(false);
  expect(isWorthTakingMore(0, MOST_EVENTS_TAKEN - 1, 250, 1000)).toBe(false);
});
