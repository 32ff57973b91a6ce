import { expect, test } from 'vitest';
import {
  type CapacityQuestion,
  capacityBreakEven,
  capacityMode,
  capacityNeed,
  DEFAULT_CAPACITY_COSTS,
  modeByBreakEven,
  usersServed,
} from '../src/index.ts';

/** The published experiment: an update of 5.2 kB every 5 s, 2,520 requests a second, 25,000 clients pushed to in that time. */
const PUBLISHED: CapacityQuestion = {
  users: 25_000,
  malSeconds: 5,
  intervalSeconds: 5,
  payloadBytes: 5200,
  costs: { ...DEFAULT_CAPACITY_COSTS, requestsPerSecond: 2520, deliveriesPerSecond: 25_000 / 5, utilisation: 1 },
};

test.each([
  [5, 12_600],
  [4, 10_080],
  [10, 25_200],
])('CAP-1 the published interface serves at MAL %d s %d polling users', (malSeconds, users) => {
  expect(usersServed('pull', { ...PUBLISHED, malSeconds })).toBeCloseTo(users, 6);
  expect(capacityNeed('pull', { ...PUBLISHED, malSeconds, users }).cores).toBe(1);
  expect(capacityNeed('pull', { ...PUBLISHED, malSeconds, users: users + 1 }).cores).toBe(2);
});

test('CAP-4 the published figures have their break-even at 10 s', () => {
  expect(usersServed('push', PUBLISHED)).toBeCloseTo(25_000, 6);
  expect(capacityBreakEven(PUBLISHED)).toBeCloseTo(10, 0);
  expect(capacityMode({ ...PUBLISHED, malSeconds: 9 }).mode).toBe('push');
  expect(capacityMode({ ...PUBLISHED, malSeconds: 11 }).mode).toBe('pull');
});

test('CAP-4 where a poll costs less than a delivery there is no break-even', () => {
  const costs = { ...PUBLISHED.costs, deliveriesPerSecond: 2000 };
  expect(capacityBreakEven({ ...PUBLISHED, costs })).toBe(0);
  expect(capacityMode({ ...PUBLISHED, costs, malSeconds: 0.5 }).mode).toBe('pull');
});

test('CAP-5 a MAL that no polling can keep is served by push whatever that costs', () => {
  const costs = { ...PUBLISHED.costs, deliveriesPerSecond: 2000 };
  expect(capacityMode({ ...PUBLISHED, costs, malSeconds: 0.05 })).toMatchObject({ mode: 'push', breakEvenSeconds: 0 });
});

test('CAP-14 modes within a fifth of each other are close, unless polling cannot keep the MAL', () => {
  const isClose = (malSeconds: number, more: Partial<CapacityQuestion> = {}) =>
    capacityMode({ ...PUBLISHED, malSeconds, ...more }).isClose;
  expect([7.5, 8.5, 9.9, 12, 13].map((malSeconds) => isClose(malSeconds))).toEqual([false, true, true, true, false]);
  const costs = { ...PUBLISHED.costs, requestsPerSecond: 5000 };
  expect([isClose(0.05, { costs }), isClose(0.5, { costs })]).toEqual([false, true]);
  const { intervalSeconds: _, ...unpredicted } = PUBLISHED;
  expect(capacityMode({ ...unpredicted, malSeconds: 15, costs }, 20)).toMatchObject({
    mode: 'push',
    breakEvenSeconds: 20,
    isReckoned: false,
    isClose: false,
  });
});

test('MAL-5 MAL-37 the mode by a break-even that is advertised', () => {
  expect(modeByBreakEven(9, 10).mode).toBe('push');
  expect(modeByBreakEven(10, 10)).toMatchObject({ mode: 'pull', reason: expect.stringContaining('10 s') });
  expect(modeByBreakEven(0.05, 0).mode).toBe('push');
});

test('CAP-6 with a CDN polling needs one core whatever the users, and push as many as without', () => {
  const million = { ...PUBLISHED, users: 1_000_000, cdnPops: 100 };
  expect(capacityNeed('pull', million)).toMatchObject({ peakPerSecond: 20, meanPerSecond: 20, cores: 1 });
  expect(capacityNeed('push', million).cores).toBe(40);
  expect(capacityBreakEven(million)).toBe(0);
  // What cannot be predicted is kept for a second.
  const { intervalSeconds: _, ...unpredicted } = million;
  expect(capacityNeed('pull', unpredicted)).toMatchObject({ peakPerSecond: 100, meanPerSecond: 100 });
});

test('CAP-7 memory is that of processes and of the connections that are open', () => {
  const costs = {
    ...PUBLISHED.costs,
    bytesPerStream: 1000,
    bytesPerPoller: 100,
    bytesPerProcess: 7,
    keepAliveSeconds: 60,
  };
  const question = { ...PUBLISHED, users: 10_000, costs };
  expect(capacityNeed('push', question)).toMatchObject({ connections: 10_000, memoryBytes: 10_000_007 });
  expect(capacityNeed('pull', question)).toMatchObject({ connections: 10_000, memoryBytes: 1_000_007 });
  // Half of them have asked within the last minute.
  expect(capacityNeed('pull', { ...question, malSeconds: 120 }).connections).toBe(5000);
  expect(capacityNeed('pull', { ...question, cdnPops: 100 }).connections).toBe(100);
});

test('CAP-8 bytes are those of what is sent, with its fields, compressed and not', () => {
  const costs = {
    ...PUBLISHED.costs,
    pollOverheadBytes: 1000,
    eventOverheadBytes: 100,
    pollCompression: 5,
    pushCompression: 20,
  };
  const question = { users: 1000, malSeconds: 2, intervalSeconds: 20, payloadBytes: 5000, costs };
  expect(capacityNeed('pull', question)).toMatchObject({
    bytesPerSecond: 50 * 6000,
    peakBytesPerSecond: 500 * 6000,
    compressedBytesPerSecond: 50 * 2000,
    compressedPeakBytesPerSecond: 500 * 2000,
  });
  expect(capacityNeed('push', question)).toMatchObject({
    bytesPerSecond: 50 * 5100,
    peakBytesPerSecond: 500 * 5100,
    compressedBytesPerSecond: 50 * 255,
    compressedPeakBytesPerSecond: 500 * 255,
  });
  const { intervalSeconds: _, ...unpredicted } = question;
  expect(capacityNeed('push', unpredicted)).not.toHaveProperty('bytesPerSecond');
});
