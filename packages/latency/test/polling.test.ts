import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { MIN_POLL_GAP_MS, type PollOptions, planPoll, pollPeriodMs, pullLagBound } from '../src/polling.ts';
import { phases, ROUNDING_MS, START_MS } from './simulation.ts';

const rooms = fc.record({
  malMs: fc.integer({ min: 1, max: 120_000 }),
  readMs: fc.double({ min: 0, max: 5000, noNaN: true }),
  hiddenAgeMs: fc.double({ min: 0, max: 3000, noNaN: true }),
});

test('the period is what the MAL leaves beside a read, down to a sixteenth of it and never below 100 ms', () => {
  expect(pollPeriodMs({ malMs: 10_000, readMs: 1050 })).toBe(8750);
  expect(pollPeriodMs({ malMs: 10_000, readMs: 1050, hiddenAgeMs: 2000 })).toBe(6875);
  expect(pollPeriodMs({ malMs: 16_000, readMs: 15_500 })).toBe(500);
  expect(pollPeriodMs({ malMs: 1000, readMs: 901 })).toBe(MIN_POLL_GAP_MS);
  expect(pollPeriodMs({ malMs: 1, readMs: 50 })).toBe(MIN_POLL_GAP_MS);
});

test('the period leaves at most a sixteenth of the MAL unused, and is no shorter than 100 ms whatever is left', () => {
  const met = new Floors({ room: 20, 'no room': 5 });
  check(
    fc.property(rooms, (room) => {
      const leftMs = room.malMs - room.readMs - room.hiddenAgeMs;
      const periodMs = pollPeriodMs(room);
      met.count(leftMs > MIN_POLL_GAP_MS ? 'room' : 'no room');
      expect(periodMs).toBeLessThanOrEqual(Math.max(MIN_POLL_GAP_MS, leftMs));
      expect(periodMs).toBeGreaterThanOrEqual(Math.max(MIN_POLL_GAP_MS, leftMs - room.malMs / 16 - 1e-9));
    }),
    { met },
  );
});

test('the period stays while reads waver, but where a step begins', () => {
  check(
    fc.property(rooms, fc.double({ min: 0, max: 1, noNaN: true }), (room, share) => {
      const slackMs = room.malMs - room.readMs - room.hiddenAgeMs;
      const stepMs = room.malMs / 16;
      const aboveMs = slackMs - Math.floor(slackMs / stepMs) * stepMs;
      fc.pre(slackMs >= 2 * stepMs && aboveMs > 1e-6);
      const slower = { ...room, readMs: room.readMs + aboveMs * share * 0.999 };
      expect(pollPeriodMs(slower)).toBe(pollPeriodMs(room));
    }),
  );
});

const options: fc.Arbitrary<PollOptions> = fc
  .record(
    {
      readAtMs: fc.integer({ min: START_MS, max: START_MS + 1e8 }),
      malMs: fc.integer({ min: 1, max: 120_000 }),
      readMs: fc.integer({ min: 0, max: 2000 }),
      hiddenAgeMs: fc.integer({ min: 0, max: 2000 }),
      intervalMs: fc.integer({ min: 500, max: 120_000 }),
      aheadMs: fc.integer({ min: -5000, max: 120_000 }),
      phase: phases,
    },
    { requiredKeys: ['readAtMs', 'malMs', 'readMs', 'phase'] },
  )
  .map(({ aheadMs: ms, ...rest }) => ({ ...rest, ...(ms !== undefined && { nextUpdateMs: rest.readAtMs + ms }) }));

test('MAL-3 MAL-8 a request is neither too soon nor too late for the MAL, wherever a read and what a copy hides leave room', () => {
  check(
    fc.property(options, (read) => {
      const { malMs, readMs, readAtMs, nextUpdateMs = readAtMs } = read;
      const { atMs, lagBoundMs } = planPoll(read);
      expect(atMs).toBeGreaterThanOrEqual(nextUpdateMs);
      expect(atMs - readAtMs).toBeGreaterThanOrEqual(MIN_POLL_GAP_MS);
      const minBoundMs = pullLagBound({ ...read, ...(read.nextUpdateMs !== undefined && { hiddenAgeMs: 0 }) });
      // What was due before the last request, and not in it, has had that time already.
      const passedMs = Math.max(0, readAtMs - nextUpdateMs);
      expect(lagBoundMs).toBeLessThanOrEqual(Math.max(malMs, minBoundMs + passedMs) + ROUNDING_MS);
      expect(lagBoundMs).toBeGreaterThanOrEqual(readMs);
    }),
  );
});

test('the bound counts from the prediction, or else from the last request and what a copy may hide', () => {
  const read = { readAtMs: 100_000, malMs: 4000, readMs: 400, hiddenAgeMs: 1000, phase: 0.5 };
  expect(planPoll({ ...read, nextUpdateMs: 103_000, intervalMs: 5000 })).toEqual({ atMs: 104_750, lagBoundMs: 2150 });
  // 10 sixteenths of 4 s: the instants are 1250, 3750, 6250 ...
  expect(planPoll(read)).toEqual({ atMs: 101_250, lagBoundMs: 1250 + 1000 + 400 });
  // A prediction that has passed: one period of 14 sixteenths after it, before the instant 103 250 of its own.
  expect(planPoll({ ...read, nextUpdateMs: 99_500 })).toEqual({ atMs: 103_000, lagBoundMs: 3900 });
});

test('MAL-81 a prediction that passed before the copy can have been made counts as none, however long ago', () => {
  const read = { readAtMs: START_MS, malMs: 4000, readMs: 400, hiddenAgeMs: 1000, phase: 0.5 };
  for (const agoMs of [1000, 1001, 60_000, START_MS, 2 * START_MS]) {
    expect(planPoll({ ...read, nextUpdateMs: START_MS - agoMs })).toEqual(planPoll(read));
  }
  expect(planPoll({ ...read, nextUpdateMs: START_MS - 999 })).not.toEqual(planPoll(read));
});

test('MAL-81 whenever an update was predicted, the bound is no nonsense and no client asks all the time', () => {
  const anyTime = fc.integer({ min: -8e15, max: 8e15 });
  check(
    fc.property(options, anyTime, ({ hiddenAgeMs = 0, ...read }, nextUpdateMs) => {
      const { atMs, lagBoundMs } = planPoll({ ...read, hiddenAgeMs, nextUpdateMs });
      const { malMs, readMs, readAtMs } = read;
      expect(atMs - Math.max(readAtMs, nextUpdateMs)).toBeLessThanOrEqual(Math.max(malMs, MIN_POLL_GAP_MS) + 10);
      expect(atMs - readAtMs).toBeGreaterThanOrEqual(MIN_POLL_GAP_MS);
      expect(lagBoundMs).toBeGreaterThanOrEqual(readMs);
      expect(lagBoundMs).toBeLessThanOrEqual(Math.max(malMs, MIN_POLL_GAP_MS + readMs + hiddenAgeMs) + 10);
    }),
  );
});

test('MAL-3 a smaller MAL never has a worse bound: over all phases, and at any where each update is asked for once', () => {
  const worst = (read: PollOptions) => pollPeriodMs(read) + (read.hiddenAgeMs ?? 0) + read.readMs;
  check(
    fc.property(options, fc.integer({ min: 0, max: 60_000 }), ({ intervalMs: _, ...read }, moreMs) => {
      const malMs = read.malMs + moreMs;
      expect(worst(read)).toBeLessThanOrEqual(worst({ ...read, malMs }) + ROUNDING_MS);
      const { nextUpdateMs: __, ...unpredicted } = read;
      expect(planPoll(unpredicted).lagBoundMs).toBeLessThanOrEqual(worst(read) + ROUNDING_MS);
      const predicted = { ...read, nextUpdateMs: read.readAtMs + 5000 };
      const { lagBoundMs } = planPoll({ ...predicted, malMs });
      expect(planPoll(predicted).lagBoundMs).toBeLessThanOrEqual(lagBoundMs + ROUNDING_MS);
    }),
  );
});

test('without a prediction, or with a MAL longer than the interval, a client asks at instants of its own', () => {
  const periodMs = 8750;
  const own = { malMs: 10_000, readMs: 1050, phase: 0.25 };
  check(
    fc.property(fc.integer({ min: 0, max: 1e8 }), fc.option(fc.integer({ min: 1, max: 5000 })), (sinceMs, aheadMs) => {
      const readAtMs = START_MS + sinceMs;
      const next = aheadMs === null ? {} : { nextUpdateMs: readAtMs + aheadMs, intervalMs: 5000 };
      const { atMs } = planPoll({ ...own, ...next, readAtMs });
      const turns = atMs / periodMs - own.phase;
      const offMs = Math.abs(turns - Math.round(turns)) * periodMs;
      // The one exception: an instant within 100 ms of the last request is passed over, and the next comes too late.
      const isPassedOver = atMs - Math.max(readAtMs, next.nextUpdateMs ?? 0) >= periodMs - ROUNDING_MS;
      if (!isPassedOver) expect(offMs).toBeLessThan(1);
      else expect(Math.min(offMs, periodMs - offMs)).toBeLessThanOrEqual(MIN_POLL_GAP_MS);
    }),
  );
});

test('MAL-8 a MAL that leaves no slack asks at once, but never in a hot loop', () => {
  const plan = planPoll({ readAtMs: 1000, malMs: 1, readMs: 50, phase: 0 });
  expect(plan).toEqual({ atMs: 1000 + MIN_POLL_GAP_MS, lagBoundMs: MIN_POLL_GAP_MS + 50 });
});

test('MAL-37 the least bound of pull is the shortest gap, a read, and what a copy hides; a smaller MAL is not kept', () => {
  const room = { readMs: 50, hiddenAgeMs: 1000 };
  expect([pullLagBound({ readMs: 50 }), pullLagBound(room)]).toEqual([150, 1150]);
  const boundMs = (malMs: number) => planPoll({ ...room, malMs, readAtMs: 0, phase: 0.5 }).lagBoundMs;
  expect([boundMs(1150), boundMs(1149)]).toEqual([1150, 1150]);
});
