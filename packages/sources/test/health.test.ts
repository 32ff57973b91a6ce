import { expect, test } from 'vitest';
import { errors } from '../src/errors.ts';
import { createHealthLedger, LIMIT_HEALTH_NAMES } from '../src/health-ledger.ts';
import {
  DEFAULT_LIMIT_GONE_SHARE,
  SAME_BYTES_CONFIRM_MS,
  type ShrinkPoll,
  type ShrinkSuspicion,
  shrinkGuard,
} from '../src/shrink-guard.ts';
import { createUnmappedWatch, LIMIT_UNMAPPED_TOLD, TELL_UNMAPPED_MS } from '../src/unmapped-watch.ts';

const ORIGIN = 'http://feed.example/a';
const NOW = Date.UTC(2024, 1, 8, 13);
const unreachable = errors.ERR_FEED_UNREACHABLE({ url: ORIGIN, reason: 'ECONNREFUSED' });
const cut = errors.ERR_FEED_CUT({ url: ORIGIN, received: 1, reason: 'x' });

test('a new source is starting, also when its first polls fail', () => {
  const ledger = createHealthLedger(ORIGIN);
  expect(ledger.health()).toEqual({
    origin: ORIGIN,
    state: 'starting',
    polls: { good: 0, bad: 0 },
    errors: {},
    findings: {},
  });
  ledger.bad(NOW, unreachable);
  expect(ledger.health()).toEqual({
    origin: ORIGIN,
    state: 'starting',
    lastError: { code: 'ERR_FEED_UNREACHABLE', message: unreachable.message, at: '2024-02-08T13:00:00.000Z' },
    polls: { good: 0, bad: 1 },
    errors: { ERR_FEED_UNREACHABLE: 1 },
    findings: {},
  });
});

test('the state is that of the last poll, errors are counted, and the last one is kept after recovery', () => {
  const ledger = createHealthLedger(ORIGIN);
  ledger.good(NOW, {});
  ledger.bad(NOW + 1, unreachable);
  ledger.bad(NOW + 2, cut);
  ledger.bad(NOW + 3, cut);
  expect(ledger.health()).toMatchObject({ state: 'failing', lastGoodAt: '2024-02-08T13:00:00.000Z' });
  ledger.good(NOW + 4);
  expect(ledger.health()).toMatchObject({
    state: 'ok',
    lastGoodAt: '2024-02-08T13:00:00.004Z',
    lastError: { code: 'ERR_FEED_CUT', at: '2024-02-08T13:00:00.003Z' },
    polls: { good: 2, bad: 3 },
    errors: { ERR_FEED_UNREACHABLE: 1, ERR_FEED_CUT: 2 },
  });
});

test('a problem beside the polls is counted and leaves the state', () => {
  const ledger = createHealthLedger(ORIGIN);
  ledger.good(NOW);
  ledger.problem(NOW, cut);
  expect(ledger.health()).toMatchObject({ state: 'ok', polls: { good: 1, bad: 0 }, errors: { ERR_FEED_CUT: 1 } });
});

test('findings are those of the poll taken last', () => {
  const ledger = createHealthLedger(ORIGIN);
  ledger.good(NOW, { collision: 2, unknown: 1 });
  ledger.good(NOW, { collision: 3 });
  ledger.good(NOW);
  ledger.bad(NOW, cut);
  expect(ledger.health().findings).toEqual({ collision: 3 });
});

test('the next poll is told while one is planned', () => {
  const ledger = createHealthLedger(ORIGIN);
  ledger.planned(NOW);
  expect(ledger.health().nextPollAt).toBe('2024-02-08T13:00:00.000Z');
  ledger.planned(undefined);
  expect(ledger.health()).not.toHaveProperty('nextPollAt');
});

test('SRC-22 the time of the data is that of the last good poll that stated one', () => {
  const ledger = createHealthLedger(ORIGIN);
  ledger.good(NOW);
  expect(ledger.health()).not.toHaveProperty('dataAt');
  ledger.good(NOW, {}, NOW - 1000);
  ledger.good(NOW + 1000);
  ledger.bad(NOW + 2000, cut);
  expect(ledger.health().dataAt).toBe('2024-02-08T12:59:59.000Z');
});

test('SRC-23 the next update is told while a poll is planned', () => {
  const ledger = createHealthLedger(ORIGIN);
  ledger.planned(NOW, NOW + 500);
  expect(ledger.health()).toMatchObject({ nextUpdateAt: '2024-02-08T13:00:00.500Z' });
  ledger.planned(undefined);
  expect(ledger.health()).not.toHaveProperty('nextUpdateAt');
});

test('as many names as the limit are told apart, and what is beyond is counted together', () => {
  const ledger = createHealthLedger(ORIGIN);
  const names = Array.from({ length: LIMIT_HEALTH_NAMES }, (_, index) => [`name${index}`, 1]);
  ledger.good(NOW, Object.fromEntries(names));
  expect(ledger.health().findings).toEqual(Object.fromEntries(names));
  ledger.good(NOW, Object.fromEntries([...names, ['one', 2], ['two', 3]]));
  expect(ledger.health().findings).toEqual({ ...Object.fromEntries(names), other: 5 });
});

test('a finding may have any name', () => {
  const ledger = createHealthLedger(ORIGIN);
  ledger.good(NOW, Object.fromEntries([['constructor', 1]]));
  expect(ledger.health().findings).toEqual({ constructor: 1 });
});

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

test('SRC-27 each field is told once, those that come soon after others together', () => {
  const watch = createUnmappedWatch({ looks: 1, everyMs: 1 });
  expect(watch.tell(0)).toBeUndefined();
  expect(watch.note(['a', 'b'])).toBe(2);
  const told = watch.tell(1000);
  expect(told).toMatchObject({ code: 'ERR_MAPPING_UNMAPPED', details: { paths: ['a', 'b'] } });
  expect(told?.message).toContain('2 fields of the source, which are not published: a, b.');
  expect(watch.note(['a', 'c'])).toBe(1);
  expect(watch.tell(1000 + TELL_UNMAPPED_MS - 1)).toBeUndefined();
  expect(watch.note(['d'])).toBe(1);
  expect(watch.tell(1000 + TELL_UNMAPPED_MS)?.details).toEqual({ paths: ['c', 'd'] });
  expect(watch.tell(10 * TELL_UNMAPPED_MS)).toBeUndefined();
});

test('SRC-27 so many documents are looked at in a time, whichever way the clock is set', () => {
  const watch = createUnmappedWatch({ looks: 2, everyMs: 1000 });
  expect([5000, 5000, 5999].map((nowMs) => watch.mayLook(nowMs))).toEqual([true, true, false]);
  expect([6000, 6001, 6999].map((nowMs) => watch.mayLook(nowMs))).toEqual([true, true, false]);
  expect([0, 1, 2].map((nowMs) => watch.mayLook(nowMs))).toEqual([true, true, false]);
});

test('SRC-27 a source tells a thousand fields and no more, and shows the first of many', () => {
  const watch = createUnmappedWatch({ looks: 1, everyMs: 1 });
  const paths = Array.from({ length: LIMIT_UNMAPPED_TOLD - 1 }, (_, index) => `field${index}`);
  expect(watch.note(paths)).toBe(LIMIT_UNMAPPED_TOLD - 1);
  expect(watch.tell(0)?.message).toMatch(/field49 and 949 more\. Map them/);
  expect(watch.note(['last', 'beyond'])).toBe(1);
  expect(watch.note(['beyond'])).toBe(0);
  expect(watch.tell(TELL_UNMAPPED_MS)?.message).toContain('a field of the source, which is not published: last.');
});
