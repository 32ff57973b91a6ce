import { expect, test } from 'vitest';
import { errors } from '../src/errors.ts';
import {
  HealthTracker,
  LIMIT_HEALTH_NAMES,
  LIMIT_UNMAPPED_TOLD,
  TELL_UNMAPPED_MS,
  UnmappedWatch,
} from '../src/polling/health.ts';

const ORIGIN = 'http://feed.example/a';
const NOW = Date.UTC(2024, 1, 8, 13);
const unreachable = errors.ERR_FEED_UNREACHABLE({ url: ORIGIN, reason: 'ECONNREFUSED' });
const cut = errors.ERR_FEED_CUT({ url: ORIGIN, received: 1, reason: 'x' });

test('a new source is starting, also when its first polls fail', () => {
  const tracker = new HealthTracker(ORIGIN);
  const starting = { origin: ORIGIN, state: 'starting', findings: {} };
  expect(tracker.health()).toEqual({ ...starting, polls: { good: 0, bad: 0 }, errors: {} });
  tracker.bad(NOW, unreachable);
  const lastError = { code: 'ERR_FEED_UNREACHABLE', message: unreachable.message, at: '2024-02-08T13:00:00.000Z' };
  const failed = { polls: { good: 0, bad: 1 }, errors: { ERR_FEED_UNREACHABLE: 1 } };
  expect(tracker.health()).toEqual({ ...starting, ...failed, failingSince: lastError.at, lastError });
});

test('the state is that of the last poll, errors are counted, and the last one is kept after recovery', () => {
  const tracker = new HealthTracker(ORIGIN);
  tracker.good(NOW - 1, { collision: 2, unknown: 1 });
  tracker.good(NOW, { collision: 3 });
  tracker.bad(NOW + 1, unreachable);
  tracker.bad(NOW + 2, cut);
  tracker.bad(NOW + 3, cut);
  const failing = { state: 'failing', failingSince: '2024-02-08T13:00:00.001Z' };
  expect(tracker.health()).toMatchObject({ ...failing, lastGoodAt: '2024-02-08T13:00:00.000Z' });
  tracker.good(NOW + 4);
  expect(tracker.health().failingSince).toBeUndefined();
  expect(tracker.health()).toMatchObject({
    state: 'ok',
    lastGoodAt: '2024-02-08T13:00:00.004Z',
    lastError: { code: 'ERR_FEED_CUT', at: '2024-02-08T13:00:00.003Z' },
    polls: { good: 3, bad: 3 },
    errors: { ERR_FEED_UNREACHABLE: 1, ERR_FEED_CUT: 2 },
  });
  // Those of the last poll that was read.
  expect(tracker.health().findings).toEqual({ collision: 3 });
});

test('a problem beside the polls is counted and leaves the state; a finding may have any name', () => {
  const tracker = new HealthTracker(ORIGIN);
  tracker.good(NOW, Object.fromEntries([['constructor', 1]]));
  tracker.problem(NOW, cut);
  expect(tracker.health()).toMatchObject({ state: 'ok', polls: { good: 1, bad: 0 }, errors: { ERR_FEED_CUT: 1 } });
  expect(tracker.health().findings).toEqual({ constructor: 1 });
});

test('SRC-22 the time of the data is that of the last good poll that stated one', () => {
  const tracker = new HealthTracker(ORIGIN);
  tracker.good(NOW);
  expect(tracker.health().dataAt).toBeUndefined();
  tracker.good(NOW, {}, NOW - 1000);
  tracker.good(NOW + 1000);
  tracker.bad(NOW + 2000, cut);
  expect(tracker.health().dataAt).toBe('2024-02-08T12:59:59.000Z');
});

test('SRC-22 the next poll and the next update are told while they are planned', () => {
  const tracker = new HealthTracker(ORIGIN);
  tracker.planned(NOW, NOW + 500);
  const told = { nextPollAt: '2024-02-08T13:00:00.000Z', nextUpdateAt: '2024-02-08T13:00:00.500Z' };
  expect(tracker.health()).toMatchObject(told);
  tracker.planned(undefined);
  expect(tracker.health()).toMatchObject({ nextPollAt: undefined, nextUpdateAt: undefined });
});

test('what findings mean is told, with or without details after a colon', () => {
  const tracker = new HealthTracker(ORIGIN);
  tracker.good(NOW, { 'unknown-field:TripDescriptor.1001': 1, toString: 1 });
  const meanings = { 'unknown-field:TripDescriptor.1001': { severity: 'warning' } };
  expect(tracker.health().meanings).toMatchObject(meanings);
  expect(Object.keys(tracker.health().meanings ?? {})).toHaveLength(1);
  tracker.good(NOW, {});
  expect(tracker.health().meanings).toBeUndefined();
});

test('as many names as the limit are told apart, and what is beyond is counted together', () => {
  const tracker = new HealthTracker(ORIGIN);
  const names = Array.from({ length: LIMIT_HEALTH_NAMES }, (_, index) => [`name${index}`, 1]);
  tracker.good(NOW, Object.fromEntries(names));
  expect(tracker.health().findings).toEqual(Object.fromEntries(names));
  tracker.good(NOW, Object.fromEntries([...names, ['one', 2], ['two', 3]]));
  expect(tracker.health().findings).toEqual({ ...Object.fromEntries(names), other: 5 });
});

test('each field is told once, those that come soon after others together', () => {
  const watch = new UnmappedWatch({ looks: 1, everyMs: 1 });
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

test('so many documents are looked at in a time, whichever way the clock is set', () => {
  const watch = new UnmappedWatch({ looks: 2, everyMs: 1000 });
  expect([5000, 5000, 5999].map((nowMs) => watch.mayLook(nowMs))).toEqual([true, true, false]);
  expect([6000, 6001, 6999].map((nowMs) => watch.mayLook(nowMs))).toEqual([true, true, false]);
  expect([0, 1, 2].map((nowMs) => watch.mayLook(nowMs))).toEqual([true, true, false]);
});

test('a source tells a thousand fields and no more, and shows the first of many', () => {
  const watch = new UnmappedWatch({ looks: 1, everyMs: 1 });
  const paths = Array.from({ length: LIMIT_UNMAPPED_TOLD - 1 }, (_, index) => `field${index}`);
  expect(watch.note(paths)).toBe(LIMIT_UNMAPPED_TOLD - 1);
  expect(watch.tell(0)?.message).toMatch(/field49 and 949 more\. Map them/);
  expect(watch.note(['last', 'beyond'])).toBe(1);
  expect(watch.note(['beyond'])).toBe(0);
  expect(watch.tell(TELL_UNMAPPED_MS)?.message).toContain('a field of the source, which is not published: last.');
});
