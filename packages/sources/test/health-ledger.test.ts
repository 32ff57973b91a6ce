import { expect, test } from 'vitest';
import { errors } from '../src/errors.ts';
import { createHealthLedger, LIMIT_HEALTH_NAMES } from '../src/health-ledger.ts';

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
