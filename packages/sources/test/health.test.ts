import { expect, test } from 'vitest';
import { errors } from '../src/errors.ts';
import {
  createHealthLedger,
  createUnmappedWatch,
  LIMIT_HEALTH_NAMES,
  LIMIT_UNMAPPED_TOLD,
  TELL_UNMAPPED_MS,
} from '../src/polling/health.ts';
import {
  DEFAULT_LIMIT_GONE_SHARE,
  SAME_BYTES_CONFIRM_MS,
  type ShrinkPoll,
  type ShrinkSuspicion,
  shrinkGuard,
} from '../src/polling/judge.ts';

const ORIGIN = 'http://feed.example/a';
const NOW = Date.UTC(2024, 1, 8, 13);
const unreachable = errors.ERR_FEED_UNREACHABLE({ url: ORIGIN, reason: 'ECONNREFUSED' });
const cut = errors.ERR_FEED_CUT({ url: ORIGIN, received: 1, reason: 'x' });

test('a new source is starting, also when its first polls fail', () => {
  const ledger = createHealthLedger(ORIGIN);
  const starting = { origin: ORIGIN, state: 'starting', findings: {} };
  expect(ledger.health()).toEqual({ ...starting, polls: { good: 0, bad: 0 }, errors: {} });
  ledger.bad(NOW, unreachable);
  const lastError = { code: 'ERR_FEED_UNREACHABLE', message: unreachable.message, at: '2024-02-08T13:00:00.000Z' };
  const failed = { polls: { good: 0, bad: 1 }, errors: { ERR_FEED_UNREACHABLE: 1 } };
  expect(ledger.health()).toEqual({ ...starting, ...failed, failingSince: lastError.at, lastError });
});

test('the state is that of the last poll, errors are counted, and the last one is kept after recovery', () => {
  const ledger = createHealthLedger(ORIGIN);
  ledger.good(NOW, {});
  ledger.bad(NOW + 1, unreachable);
  ledger.bad(NOW + 2, cut);
  ledger.bad(NOW + 3, cut);
  const failing = { state: 'failing', failingSince: '2024-02-08T13:00:00.001Z' };
  expect(ledger.health()).toMatchObject({ ...failing, lastGoodAt: '2024-02-08T13:00:00.000Z' });
  ledger.good(NOW + 4);
  expect(ledger.health().failingSince).toBeUndefined();
  expect(ledger.health()).toMatchObject({
    state: 'ok',
    lastGoodAt: '2024-02-08T13:00:00.004Z',
    lastError: { code: 'ERR_FEED_CUT', at: '2024-02-08T13:00:00.003Z' },
    polls: { good: 2, bad: 3 },
    errors: { ERR_FEED_UNREACHABLE: 1, ERR_FEED_CUT: 2 },
  });
});

test('a problem beside the polls is counted and leaves the state; a finding may have any name', () => {
  const ledger = createHealthLedger(ORIGIN);
  ledger.good(NOW, Object.fromEntries([['constructor', 1]]));
  ledger.problem(NOW, cut);
  expect(ledger.health()).toMatchObject({ state: 'ok', polls: { good: 1, bad: 0 }, errors: { ERR_FEED_CUT: 1 } });
  expect(ledger.health().findings).toEqual({ constructor: 1 });
});

test('findings are those of the poll taken last', () => {
  const ledger = createHealthLedger(ORIGIN);
  ledger.good(NOW, { collision: 2, unknown: 1 });
  ledger.good(NOW, { collision: 3 });
  ledger.good(NOW);
  ledger.bad(NOW, cut);
  expect(ledger.health().findings).toEqual({ collision: 3 });
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

test('SRC-23 the next poll and the next update are told while they are planned', () => {
  const ledger = createHealthLedger(ORIGIN);
  ledger.planned(NOW, NOW + 500);
  const told = { nextPollAt: '2024-02-08T13:00:00.000Z', nextUpdateAt: '2024-02-08T13:00:00.500Z' };
  expect(ledger.health()).toMatchObject(told);
  ledger.planned(undefined);
  for (const name of Object.keys(told)) expect(ledger.health()).not.toHaveProperty(name);
});

test('as many names as the limit are told apart, and what is beyond is counted together', () => {
  const ledger = createHealthLedger(ORIGIN);
  const names = Array.from({ length: LIMIT_HEALTH_NAMES }, (_, index) => [`name${index}`, 1]);
  ledger.good(NOW, Object.fromEntries(names));
  expect(ledger.health().findings).toEqual(Object.fromEntries(names));
  ledger.good(NOW, Object.fromEntries([...names, ['one', 2], ['two', 3]]));
  expect(ledger.health().findings).toEqual({ ...Object.fromEntries(names), other: 5 });
});

function counted(polls: readonly (Partial<ShrinkPoll> & { gone: number })[], share = DEFAULT_LIMIT_GONE_SHARE) {
  let suspicion: ShrinkSuspicion | undefined;
  return polls.map((poll) => {
    const verdict = shrinkGuard(suspicion, { living: 100, bodyHash: 'a', isEmpty: false, nowMs: 1000, ...poll }, share);
    suspicion = verdict.counts ? undefined : verdict.suspicion;
    return verdict.counts;
  });
}

const CONFIRM = SAME_BYTES_CONFIRM_MS;
/** Polls of which many entities are gone: at a time, with other bytes, of a time that the header states. */
const gone = (nowMs: number, bodyHash = 'a', headerMs?: number) => {
  return { gone: 90, nowMs, bodyHash, ...(headerMs === undefined ? {} : { headerMs }) };
};
const stated = (bodyHash: string, headerMs: number) => gone(1000, bodyHash, headerMs);
/** Polls that describe nothing, each with bytes of its own. */
const nothing = (nowMs: number, more: Partial<ShrinkPoll> = {}) => {
  return { gone: 100, isEmpty: true, bodyHash: `at ${nowMs}`, nowMs, ...more };
};
const few = { gone: 90, isEmpty: false };

/** Which of successive polls count: + or -; and the share that may go, where it is not the usual one. */
test.each<[what: string, counts: string, polls: Parameters<typeof counted>[0], share?: number]>([
  ['half may go', '+', [{ gone: 50 }]],
  ['more than half may not', '-', [{ gone: 51 }]],
  ['the only one may not', '-', [{ gone: 1, living: 1 }]],
  ['a tenth may go', '+', [{ gone: 10 }], 0.1],
  ['more than a tenth may not', '-', [{ gone: 11 }], 0.1],
  ['none may go', '-', [{ gone: 1 }], 0],
  ['all may go', '+', [{ gone: 100 }], 1],
  ['nothing lives', '+', [{ gone: 0, living: 0 }]],
  ['nothing lives and none may go', '+', [{ gone: 0, living: 0 }], 0],
  ['other bytes of a later time', '--+', [stated('a', 10), stated('a', 10), stated('d', 11)]],
  [
    'the same or an earlier time',
    '----+',
    [stated('a', 10), stated('b', 10), stated('c', 9), stated('c', 9), stated('d', 11)],
  ],
  ['other bytes after no time', '-+', [gone(1000), stated('b', 1)]],
  ['other bytes without a time', '-+', [stated('a', 1), gone(1000, 'b')]],
  ['the same bytes', '--', [gone(1000), gone(1000)]],
  ['the same bytes for ten minutes', '--+', [5000, 4999 + CONFIRM, 5000 + CONFIRM].map((at) => gone(at, 'a', 10))],
  [
    'other bytes anew',
    '---+',
    [gone(0, 'a', 10), gone(9, 'b', 10), gone(8 + CONFIRM, 'b', 10), gone(9 + CONFIRM, 'b', 10)],
  ],
  ['the first bytes again', '---', [gone(0, 'a', 10), gone(1, 'b', 10), gone(CONFIRM, 'a', 10)]],
  ['a clock set back', '---+', [1e12, 1000, 999 + CONFIRM, 1000 + CONFIRM].map((nowMs) => gone(nowMs))],
  ['nothing for ten minutes', '---+', [0, 1000, CONFIRM - 1, CONFIRM].map((nowMs) => nothing(nowMs))],
  ['nothing after few', '---', [nothing(0, few), nothing(1000), nothing(CONFIRM)]],
  ['few after nothing', '-+', [nothing(0), nothing(1000, few)]],
  ['nothing at the same time', '---', [0, 1000, CONFIRM].map((nowMs) => nothing(nowMs, { headerMs: 10 }))],
  ['nothing at a later time', '-+', [nothing(0, { headerMs: 10 }), nothing(CONFIRM + 1, { headerMs: 11 })]],
])('GTFS-39 where %s, polls count %s', (_, counts, polls, share) => {
  expect(
    counted(polls, share)
      .map((one) => (one ? '+' : '-'))
      .join(''),
  ).toBe(counts);
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
