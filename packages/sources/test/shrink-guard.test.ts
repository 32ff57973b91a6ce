import { expect, test } from 'vitest';
import { DEFAULT_LIMIT_GONE_SHARE, type ShrinkPoll, type ShrinkSuspicion, shrinkGuard } from '../src/shrink-guard.ts';

function counted(polls: readonly (Partial<ShrinkPoll> & { gone: number })[], share = DEFAULT_LIMIT_GONE_SHARE) {
  let suspicion: ShrinkSuspicion | undefined;
  return polls.map((poll) => {
    const verdict = shrinkGuard(suspicion, { living: 100, bodyHash: 'a', ...poll }, share);
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
