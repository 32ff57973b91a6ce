import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { demoDuty, tripDelay } from '../src/demo/demo-trip.ts';
import { transitNetwork } from '../src/demo/transit-network.ts';

const seeds = fc.integer({ min: 0, max: 1000 });
const times = fc.integer({ min: 0, max: 4_000_000_000 });

test('whatever the seed and the time, a trip moves forwards through its timetable', () => {
  check(
    fc.property(seeds, times, (seed, timeSeconds) => {
      for (const vehicle of transitNetwork(seed).vehicles.slice(0, 6)) {
        const trip = demoDuty(vehicle, timeSeconds);
        if (!trip) continue;
        const now = tripDelay(seed, trip, timeSeconds);
        const next = tripDelay(seed, trip, timeSeconds + 1);
        expect(now.scheduledSeconds).toBeGreaterThanOrEqual(0);
        expect(now.scheduledSeconds).toBeLessThanOrEqual(trip.route.durationSeconds);
        expect(next.scheduledSeconds).toBeGreaterThanOrEqual(now.scheduledSeconds);
        expect(now.pace).toBeGreaterThan(0.5);
        expect(now.pace).toBeLessThan(2);
      }
    }),
    { numRuns: 50 },
  );
});

test('whatever the seed and the time, no two vehicles are on trips of one id', () => {
  check(
    fc.property(seeds, times, (seed, timeSeconds) => {
      const trips = transitNetwork(seed).vehicles.flatMap((vehicle) => demoDuty(vehicle, timeSeconds) ?? []);
      expect(new Set(trips.map(({ id }) => id)).size).toBe(trips.length);
    }),
    { numRuns: 50 },
  );
});
