import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import {
  type CapacityQuestion,
  capacityBreakEven,
  capacityMode,
  capacityNeed,
  capacityRates,
  DEFAULT_BREAK_EVEN_SECONDS,
  DEFAULT_CAPACITY_COSTS,
  MICRO_CACHE_SECONDS,
  planPoll,
  usersServed,
} from '../src/index.ts';

const above = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const MODES = ['pull', 'push'] as const;

const questions: fc.Arbitrary<CapacityQuestion> = fc
  .record(
    {
      users: fc.integer({ min: 1, max: 5_000_000 }),
      malSeconds: above(0.2, 4000),
      intervalSeconds: above(0.1, 90_000),
      payloadBytes: fc.integer({ min: 0, max: 10_000_000 }),
      cdnPops: fc.integer({ min: 1, max: 500 }),
      requestsPerSecond: above(10, 200_000),
      deliveriesPerSecond: above(10, 500_000),
    },
    { requiredKeys: ['users', 'malSeconds', 'payloadBytes', 'requestsPerSecond', 'deliveriesPerSecond'] },
  )
  .map(({ requestsPerSecond, deliveriesPerSecond, ...rest }) => ({
    ...rest,
    costs: { ...DEFAULT_CAPACITY_COSTS, requestsPerSecond, deliveriesPerSecond },
  }));

const cores = (mode: 'pull' | 'push', question: CapacityQuestion) => capacityNeed(mode, question).busyCores;

test('CAP-1 polls at their peak are users / MAL, and in the long run one an update at most', () => {
  check(
    fc.property(questions, ({ cdnPops: _, ...question }) => {
      const { users, malSeconds, intervalSeconds = 0 } = question;
      const { peakPerSecond, meanPerSecond } = capacityRates('pull', question);
      expect(peakPerSecond).toBeCloseTo(users / malSeconds, 6);
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
])('CAP-1 clients with MAL %d s ask as often as reckoned for an update every %d s', (malSeconds, intervalSeconds) => {
  const intervalMs = (intervalSeconds ?? 0) * 1000;
  const untilMs = 12_000_000;
  let requests = 0;
  for (const phase of [0.05, 0.35, 0.65, 0.95]) {
    let readAtMs = 0;
    while (readAtMs < untilMs) {
      const predicted = intervalSeconds && {
        intervalMs,
        nextUpdateMs: (Math.floor(readAtMs / intervalMs) + 1) * intervalMs,
      };
      readAtMs = planPoll({ readAtMs, malMs: malSeconds * 1000, readMs: 0, phase, ...predicted }).atMs;
      requests += 1;
    }
  }
  const asked = { users: 4, malSeconds, ...(intervalSeconds && { intervalSeconds }) };
  const reckoned = capacityRates('pull', asked).meanPerSecond as number;
  expect(requests / (untilMs / 1000) / reckoned).toBeCloseTo(1, 1);
});

test('CAP-2 deliveries are done within the MAL, and before the next update', () => {
  check(
    fc.property(questions, (question) => {
      const { users, malSeconds, intervalSeconds } = question;
      const { peakPerSecond, meanPerSecond } = capacityRates('push', question);
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

test('CAP-3 cores are whole, enough, and one too many for less', () => {
  check(
    fc.property(questions, fc.constantFrom(...MODES), (question, mode) => {
      const { busyCores, cores } = capacityNeed(mode, question);
      const { utilisation } = question.costs;
      expect(Number.isInteger(cores)).toBe(true);
      expect(busyCores).toBeLessThanOrEqual(cores * utilisation * (1 + 1e-9));
      if (cores > 1) expect(busyCores).toBeGreaterThan((cores - 1) * utilisation * (1 - 1e-9));
    }),
  );
});

test('CAP-3 what is needed grows with the users, and never with the MAL', () => {
  check(
    fc.property(questions, fc.constantFrom(...MODES), above(1, 10), (question, mode, factor) => {
      const need = capacityNeed(mode, question);
      const more = capacityNeed(mode, { ...question, users: Math.ceil(question.users * factor) });
      const later = capacityNeed(mode, { ...question, malSeconds: question.malSeconds * factor });
      for (const name of ['busyCores', 'cores', 'connections', 'memoryBytes', 'peakBytesPerSecond'] as const) {
        expect(more[name]).toBeGreaterThanOrEqual(need[name] * (1 - 1e-9));
        expect(later[name]).toBeLessThanOrEqual(need[name] * (1 + 1e-9));
      }
    }),
  );
});

test('CAP-3 without a CDN polling takes the inverse of the MAL', () => {
  check(
    fc.property(questions, above(1, 10), ({ cdnPops: _, ...question }, factor) => {
      const later = { ...question, malSeconds: question.malSeconds * factor };
      expect((cores('pull', question) / cores('pull', later)) * (1 / factor)).toBeCloseTo(1, 9);
    }),
  );
});

test('CAP-3 as many users as are served by so many cores need no more than these', () => {
  check(
    fc.property(
      questions,
      fc.constantFrom(...MODES),
      fc.integer({ min: 1, max: 64 }),
      ({ cdnPops: _, ...question }, mode, most) => {
        const users = usersServed(mode, question, most);
        expect(cores(mode, { ...question, users }) / most).toBeCloseTo(question.costs.utilisation, 9);
      },
    ),
  );
});

test('CAP-4 at the break-even both need as many cores; push needs fewer below, polling above', () => {
  check(
    fc.property(questions, above(1.01, 5), (question, factor) => {
      const at = capacityBreakEven(question);
      if (question.intervalSeconds === undefined) expect(at).toBeUndefined();
      if (at === undefined) return;
      const both = (malSeconds: number) => MODES.map((mode) => cores(mode, { ...question, malSeconds }));
      if (at > 0) {
        const [pull, push] = both(at) as [number, number];
        expect(pull / push).toBeCloseTo(1, 9);
        const [pullBelow, pushBelow] = both(at / factor) as [number, number];
        expect(pushBelow).toBeLessThanOrEqual(pullBelow * (1 + 1e-9));
      }
      const [pullAbove, pushAbove] = both(Math.max(at, 0.2) * factor) as [number, number];
      expect(pullAbove).toBeLessThanOrEqual(pushAbove * (1 + 1e-9));
    }),
  );
});

test('CAP-5 the mode is push below the break-even and polling from it on', () => {
  check(
    fc.property(questions, (question) => {
      const { mode, breakEvenSeconds, isReckoned } = capacityMode(question);
      expect(isReckoned).toBe(question.intervalSeconds !== undefined);
      if (!isReckoned) expect(breakEvenSeconds).toBe(DEFAULT_BREAK_EVEN_SECONDS);
      expect(mode).toBe(question.malSeconds < breakEvenSeconds ? 'push' : 'pull');
    }),
  );
});

test('CAP-6 a CDN asks once an update and place at most, and leaves push as it is', () => {
  check(
    fc.property(questions, fc.integer({ min: 1, max: 500 }), ({ cdnPops: _, ...straight }, cdnPops) => {
      const withCdn = { ...straight, cdnPops };
      const { peakPerSecond, meanPerSecond = 0 } = capacityRates('pull', withCdn);
      const alone = capacityRates('pull', straight);
      expect(peakPerSecond).toBeLessThanOrEqual(alone.peakPerSecond);
      expect(meanPerSecond).toBeLessThanOrEqual(alone.meanPerSecond as number);
      const shortest = straight.intervalSeconds ?? MICRO_CACHE_SECONDS;
      expect(meanPerSecond).toBeLessThanOrEqual((cdnPops / shortest) * (1 + 1e-9));
      expect(capacityNeed('push', withCdn)).toEqual(capacityNeed('push', straight));
    }),
  );
});
