import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import {
  type CapacityQuestion,
  capacityBreakEven,
  capacityMode,
  capacityNeed,
  DEFAULT_CAPACITY_COSTS,
  modeByBreakEven,
  usersServed,
} from '../src/capacity.ts';
import { DEFAULT_BREAK_EVEN_SECONDS } from '../src/mode.ts';
import { planPoll } from '../src/polling.ts';
import { MICRO_CACHE_SECONDS } from '../src/schedule.ts';
import { predictionOf } from './simulation.ts';

/** The published experiment: an update of 5.2 kB every 5 s, 2,520 requests a second, 25,000 clients pushed to in that time. */
const PUBLISHED: CapacityQuestion = {
  users: 25_000,
  malSeconds: 5,
  intervalSeconds: 5,
  payloadBytes: 5200,
  costs: { ...DEFAULT_CAPACITY_COSTS, requestsPerSecond: 2520, deliveriesPerSecond: 25_000 / 5, utilisation: 1 },
};

const { intervalSeconds: _, ...UNPREDICTED } = PUBLISHED;

test.each([
  [5, 12_600],
  [4, 10_080],
  [10, 25_200],
])('the published interface serves at MAL %d s %d polling users', (malSeconds, users) => {
  expect(usersServed('pull', { ...PUBLISHED, malSeconds })).toBeCloseTo(users, 6);
  expect(capacityNeed('pull', { ...PUBLISHED, malSeconds, users }).cores).toBe(1);
  expect(capacityNeed('pull', { ...PUBLISHED, malSeconds, users: users + 1 }).cores).toBe(2);
});

test('the published figures have their break-even at 10 s', () => {
  expect(usersServed('push', PUBLISHED)).toBeCloseTo(25_000, 6);
  expect(capacityBreakEven(PUBLISHED)).toBeCloseTo(10, 0);
  expect(capacityMode({ ...PUBLISHED, malSeconds: 9 }).mode).toBe('push');
  expect(capacityMode({ ...PUBLISHED, malSeconds: 11 }).mode).toBe('pull');
});

test('where a poll costs less than a delivery, push serves only a MAL that no polling can keep', () => {
  const costs = { ...PUBLISHED.costs, deliveriesPerSecond: 2000 };
  const modeAt = (malSeconds: number) => capacityMode({ ...PUBLISHED, costs, malSeconds });
  expect(capacityBreakEven({ ...PUBLISHED, costs })).toBe(0);
  expect(modeAt(0.5).mode).toBe('pull');
  expect(modeAt(0.05)).toMatchObject({ mode: 'push', breakEvenSeconds: 0 });
});

test('modes within a fifth of each other are close, unless polling cannot keep the MAL', () => {
  const isClose = (malSeconds: number, more: Partial<CapacityQuestion> = {}) =>
    capacityMode({ ...PUBLISHED, malSeconds, ...more }).isClose;
  expect([7.5, 8.5, 9.9, 12, 13].map((malSeconds) => isClose(malSeconds))).toEqual([false, true, true, true, false]);
  const costs = { ...PUBLISHED.costs, requestsPerSecond: 5000 };
  expect([isClose(0.05, { costs }), isClose(0.5, { costs })]).toEqual([false, true]);
  const advertised = capacityMode({ ...UNPREDICTED, malSeconds: 15, costs }, 20);
  expect(advertised).toMatchObject({ mode: 'push', breakEvenSeconds: 20, isComputed: false, isClose: false });
});

test('MAL-5 MAL-37 the mode by a break-even that is advertised', () => {
  expect(modeByBreakEven(9, 10).mode).toBe('push');
  expect(modeByBreakEven(10, 10)).toMatchObject({ mode: 'pull', reason: expect.stringContaining('10 s') });
  expect(modeByBreakEven(0.05, 0).mode).toBe('push');
});

test('with a CDN polling needs one core whatever the users, and push as many as without', () => {
  const many = { users: 1_000_000, cdnPops: 100 };
  const million = { ...PUBLISHED, ...many };
  expect(capacityNeed('pull', million)).toMatchObject({ peakPerSecond: 20, meanPerSecond: 20, cores: 1 });
  expect(capacityNeed('push', million).cores).toBe(40);
  expect(capacityBreakEven(million)).toBe(0);
  // What cannot be predicted is kept for a second.
  expect(capacityNeed('pull', { ...UNPREDICTED, ...many })).toMatchObject({ peakPerSecond: 100, meanPerSecond: 100 });
});

test('memory is that of processes and of the connections that are open', () => {
  const sizes = { bytesPerStream: 1000, bytesPerPoller: 100, bytesPerProcess: 7, keepAliveSeconds: 60 };
  const question = { ...PUBLISHED, users: 10_000, costs: { ...PUBLISHED.costs, ...sizes } };
  expect(capacityNeed('push', question)).toMatchObject({ connections: 10_000, memoryBytes: 10_000_007 });
  expect(capacityNeed('pull', question)).toMatchObject({ connections: 10_000, memoryBytes: 1_000_007 });
  // Half of them have asked within the last minute.
  expect(capacityNeed('pull', { ...question, malSeconds: 120 }).connections).toBe(5000);
  expect(capacityNeed('pull', { ...question, cdnPops: 100 }).connections).toBe(100);
});

test('bytes are those of what is sent, with its fields, compressed and not', () => {
  const sizes = { pollOverheadBytes: 1000, eventOverheadBytes: 100, pollCompression: 5, pushCompression: 20 };
  const costs = { ...PUBLISHED.costs, ...sizes };
  const question = { users: 1000, malSeconds: 2, intervalSeconds: 20, payloadBytes: 5000, costs };
  const bytes = (plain: number, compressed: number) => ({
    bytesPerSecond: 50 * plain,
    peakBytesPerSecond: 500 * plain,
    compressedBytesPerSecond: 50 * compressed,
    compressedPeakBytesPerSecond: 500 * compressed,
  });
  expect(capacityNeed('pull', question)).toMatchObject(bytes(6000, 2000));
  expect(capacityNeed('push', question)).toMatchObject(bytes(5100, 255));
  expect(capacityNeed('push', UNPREDICTED)).not.toHaveProperty('bytesPerSecond');
});

const above = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const MODES = ['pull', 'push'] as const;
const modes = fc.constantFrom(...MODES);

const rates = fc.record({ requestsPerSecond: above(10, 200_000), deliveriesPerSecond: above(10, 500_000) });
const questions: fc.Arbitrary<CapacityQuestion> = fc.record(
  {
    users: fc.integer({ min: 1, max: 5_000_000 }),
    malSeconds: above(0.2, 4000),
    intervalSeconds: above(0.1, 90_000),
    payloadBytes: fc.integer({ min: 0, max: 10_000_000 }),
    cdnPops: fc.integer({ min: 1, max: 500 }),
    costs: rates.map((found) => ({ ...DEFAULT_CAPACITY_COSTS, ...found })),
  },
  { requiredKeys: ['users', 'malSeconds', 'payloadBytes', 'costs'] },
);

test('polls at their peak are users / MAL, as are the cores they take, and in the long run one an update at most', () => {
  check(
    fc.property(questions, ({ cdnPops: _, ...question }) => {
      const { users, malSeconds, intervalSeconds = 0, costs } = question;
      const { peakPerSecond, meanPerSecond, busyCores } = capacityNeed('pull', question);
      expect(peakPerSecond).toBeCloseTo(users / malSeconds, 6);
      expect((busyCores * costs.requestsPerSecond) / peakPerSecond).toBeCloseTo(1, 9);
      expect(meanPerSecond).toBeCloseTo(users / Math.max(malSeconds, intervalSeconds), 6);
    }),
  );
});

test.each([
  [2, 20],
  [16, 20],
  [40, 20],
  [60, 20],
  [10, undefined],
])('clients with MAL %d s ask as often as computed for an update every %d s', (malSeconds, intervalSeconds) => {
  const intervalMs = (intervalSeconds ?? 0) * 1000;
  const untilMs = 12_000_000;
  let requests = 0;
  for (const phase of [0.05, 0.35, 0.65, 0.95]) {
    let readAtMs = 0;
    while (readAtMs < untilMs) {
      const next = intervalSeconds && predictionOf(intervalMs, readAtMs);
      readAtMs = planPoll({ readAtMs, malMs: malSeconds * 1000, readMs: 0, phase, ...next }).atMs;
      requests += 1;
    }
  }
  const asked = { ...UNPREDICTED, users: 4, malSeconds, ...(intervalSeconds && { intervalSeconds }) };
  expect(requests / (untilMs / 1000) / (capacityNeed('pull', asked).meanPerSecond as number)).toBeCloseTo(1, 1);
});

test('deliveries are done within the MAL, and before the next update', () => {
  check(
    fc.property(questions, (question) => {
      const { users, malSeconds, intervalSeconds } = question;
      const { peakPerSecond, meanPerSecond } = capacityNeed('push', question);
      expect(users / peakPerSecond).toBeLessThanOrEqual(malSeconds * (1 + 1e-9));
      if (intervalSeconds === undefined) expect(meanPerSecond).toBeUndefined();
      else {
        expect(users / peakPerSecond).toBeLessThanOrEqual(intervalSeconds * (1 + 1e-9));
        expect(meanPerSecond).toBeCloseTo(users / intervalSeconds, 6);
        expect(meanPerSecond).toBeLessThanOrEqual(peakPerSecond * (1 + 1e-9));
      }
    }),
  );
});

test('cores are whole and just enough, grow with the users, and never with the MAL', () => {
  check(
    fc.property(questions, modes, above(1, 10), (question, mode, factor) => {
      const need = capacityNeed(mode, question);
      const { utilisation } = question.costs;
      expect(Number.isInteger(need.cores)).toBe(true);
      expect(need.busyCores).toBeLessThanOrEqual(need.cores * utilisation * (1 + 1e-9));
      if (need.cores > 1) expect(need.busyCores).toBeGreaterThan((need.cores - 1) * utilisation * (1 - 1e-9));
      const more = capacityNeed(mode, { ...question, users: Math.ceil(question.users * factor) });
      const later = capacityNeed(mode, { ...question, malSeconds: question.malSeconds * factor });
      for (const name of ['busyCores', 'cores', 'connections', 'memoryBytes', 'peakBytesPerSecond'] as const) {
        expect(more[name]).toBeGreaterThanOrEqual(need[name] * (1 - 1e-9));
        expect(later[name]).toBeLessThanOrEqual(need[name] * (1 + 1e-9));
      }
    }),
  );
});

test('as many users as are served by so many cores need no more than these', () => {
  check(
    fc.property(questions, modes, fc.integer({ min: 1, max: 64 }), (question, mode, max) => {
      const { cdnPops: _, ...straight } = question;
      const { busyCores } = capacityNeed(mode, { ...straight, users: usersServed(mode, question, max) });
      expect(busyCores / max).toBeCloseTo(question.costs.utilisation, 9);
    }),
  );
});

test('at the break-even both need as many cores; push needs fewer below, polling above', () => {
  check(
    fc.property(questions, above(1.01, 5), (question, factor) => {
      const at = capacityBreakEven(question);
      if (question.intervalSeconds === undefined) expect(at).toBeUndefined();
      if (at === undefined) return;
      const pullShare = (malSeconds: number) => {
        const [pull = 0, push = 0] = MODES.map((mode) => capacityNeed(mode, { ...question, malSeconds }).busyCores);
        return pull / push;
      };
      if (at > 0) expect(pullShare(at)).toBeCloseTo(1, 9);
      if (at > 0) expect(pullShare(at / factor)).toBeGreaterThanOrEqual(1 - 1e-9);
      expect(pullShare(Math.max(at, 0.2) * factor)).toBeLessThanOrEqual(1 + 1e-9);
    }),
  );
});

test('the mode is push below the break-even and polling from it on', () => {
  check(
    fc.property(questions, (question) => {
      const { mode, breakEvenSeconds, isComputed } = capacityMode(question);
      expect(isComputed).toBe(question.intervalSeconds !== undefined);
      if (!isComputed) expect(breakEvenSeconds).toBe(DEFAULT_BREAK_EVEN_SECONDS);
      expect(mode).toBe(question.malSeconds < breakEvenSeconds ? 'push' : 'pull');
    }),
  );
});

test('a CDN asks once an update and place at most, and leaves push as it is', () => {
  check(
    fc.property(questions, fc.integer({ min: 1, max: 500 }), ({ cdnPops: _, ...straight }, cdnPops) => {
      const withCdn = { ...straight, cdnPops };
      const { peakPerSecond, meanPerSecond = 0 } = capacityNeed('pull', withCdn);
      const alone = capacityNeed('pull', straight);
      expect(peakPerSecond).toBeLessThanOrEqual(alone.peakPerSecond);
      expect(meanPerSecond).toBeLessThanOrEqual(alone.meanPerSecond as number);
      const shortest = straight.intervalSeconds ?? MICRO_CACHE_SECONDS;
      expect(meanPerSecond).toBeLessThanOrEqual((cdnPops / shortest) * (1 + 1e-9));
      expect(capacityNeed('push', withCdn)).toEqual(capacityNeed('push', straight));
    }),
  );
});
