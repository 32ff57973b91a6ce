import { expect, test } from 'vitest';
import {
  DEFAULT_LIMIT_GONE_SHARE,
  SAME_BYTES_CONFIRM_MS,
  type ShrinkPoll,
  type ShrinkSuspicion,
  shrinkGuard,
} from '../src/shrink-guard.ts';

function counted(polls: readonly (Partial<ShrinkPoll> & { gone: number })[], share = DEFAULT_LIMIT_GONE_SHARE) {
  let suspicion: ShrinkSuspicion | undefined;
  return polls.map((poll) => {
    const verdict = shrinkGuard(suspicion, { living: 100, bodyHash: 'a', isEmpty: false, nowMs: 1000, ...poll }, share);
    suspicion = verdict.counts ? undefined : verdict.suspicion;
    return verdict.counts;
  });
}

test('GTFS-39 half of the entities may go at once, and one more may not', () => {
  expect(counted([{ gone: 50 }])).toEqual([true]);
  expect(counted([{ gone: 51 }])).toEqual([false]);
  expect(counted([{ gone: 1, living: 1 }])).toEqual([false]);
});

test('GTFS-39 the share is configurable', () => {
  expect(counted([{ gone: 10 }], 0.1)).toEqual([true]);
  expect(counted([{ gone: 11 }], 0.1)).toEqual([false]);
  expect(counted([{ gone: 1 }], 0)).toEqual([false]);
  expect(counted([{ gone: 100 }], 1)).toEqual([true]);
});

test('GTFS-39 where nothing lives, every poll counts', () => {
  expect(counted([{ gone: 0, living: 0 }])).toEqual([true]);
  expect(counted([{ gone: 0, living: 0 }], 0)).toEqual([true]);
});

test('GTFS-39 other bytes of a later time confirm, the same bytes and the same or an earlier time do not', () => {
  expect(
    counted([
      { gone: 90, bodyHash: 'a', headerTimeMs: 10 },
      { gone: 90, bodyHash: 'a', headerTimeMs: 10 },
      { gone: 90, bodyHash: 'b', headerTimeMs: 10 },
      { gone: 90, bodyHash: 'c', headerTimeMs: 9 },
      { gone: 90, bodyHash: 'd', headerTimeMs: 11 },
    ]),
  ).toEqual([false, false, false, false, true]);
});

test('GTFS-39 other bytes confirm where one of the two states no time', () => {
  expect(counted([{ gone: 90 }, { gone: 90, bodyHash: 'b', headerTimeMs: 1 }])).toEqual([false, true]);
  expect(
    counted([
      { gone: 90, headerTimeMs: 1 },
      { gone: 90, bodyHash: 'b' },
    ]),
  ).toEqual([false, true]);
  expect(counted([{ gone: 90 }, { gone: 90 }])).toEqual([false, false]);
});

test('GTFS-39 the same bytes confirm once they have stood for ten minutes', () => {
  const at = (nowMs: number) => ({ gone: 1, living: 1, nowMs, headerTimeMs: 10 });
  const sinceMs = 5000;
  expect(counted([at(sinceMs), at(sinceMs + SAME_BYTES_CONFIRM_MS - 1), at(sinceMs + SAME_BYTES_CONFIRM_MS)])).toEqual([
    false,
    false,
    true,
  ]);
});

test('GTFS-39 other bytes that do not confirm have to stand for themselves', () => {
  const at = (nowMs: number, bodyHash: string) => ({ gone: 90, bodyHash, nowMs, headerTimeMs: 10 });
  const otherMs = SAME_BYTES_CONFIRM_MS - 1;
  expect(
    counted([
      at(0, 'a'),
      at(otherMs, 'b'),
      at(otherMs + SAME_BYTES_CONFIRM_MS - 1, 'b'),
      at(otherMs + SAME_BYTES_CONFIRM_MS, 'b'),
    ]),
  ).toEqual([false, false, false, true]);
  expect(counted([at(0, 'a'), at(1, 'b'), at(SAME_BYTES_CONFIRM_MS, 'a')])).toEqual([false, false, false]);
});

test('GTFS-39 a clock that was set back begins the ten minutes anew', () => {
  const at = (nowMs: number) => ({ gone: 90, nowMs });
  expect(counted([at(1e12), at(1000), at(999 + SAME_BYTES_CONFIRM_MS), at(1000 + SAME_BYTES_CONFIRM_MS)])).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

test('GTFS-39 other bytes that describe nothing either confirm once this has been so for ten minutes', () => {
  const nothing = (nowMs: number, more: Partial<ShrinkPoll> = {}) => {
    return { gone: 100, isEmpty: true, bodyHash: `at ${nowMs}`, nowMs, ...more };
  };
  const dueMs = SAME_BYTES_CONFIRM_MS;
  expect(counted([nothing(0), nothing(1000), nothing(dueMs - 1), nothing(dueMs)])).toEqual([false, false, false, true]);
  expect(counted([nothing(0, { gone: 90, isEmpty: false }), nothing(1000), nothing(dueMs)])).toEqual([
    false,
    false,
    false,
  ]);
  expect(counted([nothing(0), nothing(1000, { gone: 90, isEmpty: false })])).toEqual([false, true]);
});

test('GTFS-39 nothing at a later stated time is confirmed by that, and at the same time by nothing', () => {
  const nothing = (nowMs: number, headerTimeMs: number) => {
    return { gone: 100, isEmpty: true, bodyHash: `at ${nowMs}`, nowMs, headerTimeMs };
  };
  const lateMs = SAME_BYTES_CONFIRM_MS;
  expect(counted([nothing(0, 10), nothing(1000, 10), nothing(lateMs, 10), nothing(lateMs + 1, 11)])).toEqual([
    false,
    false,
    false,
    true,
  ]);
});
