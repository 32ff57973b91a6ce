import { check, fc } from '@ldes-live/test-support/properties';
import { describe, expect, test } from 'vitest';
import { demoDuty, tripDelay } from '../src/demo/demo-trip.ts';
import { wayBetween } from '../src/demo/geography.ts';
import { seededUnit } from '../src/demo/seeded-unit.ts';
import { simulate, TICK_SECONDS, tickAt } from '../src/demo/simulate.ts';
import { roundSeconds, transitNetwork } from '../src/demo/transit-network.ts';

const START = tickAt(Date.UTC(2026, 10, 20, 9));
const network = transitNetwork(7);
const longestRound = Math.max(...network.lines.map(roundSeconds));
const states = Array.from({ length: Math.ceil(longestRound / TICK_SECONDS) + 100 }, (_, index) =>
  simulate(network, START + index),
);

describe('the network', () => {
  test('follows from its seed', () => {
    expect(transitNetwork(7)).toEqual(network);
    expect(transitNetwork(8)).not.toEqual(network);
  });
});

describe('the simulation', () => {
  test('follows from seed and tick alone, in any order', () => {
    expect(simulate(transitNetwork(7), START + 50)).toEqual(states[50]);
    expect(simulate(transitNetwork(8), START + 50)).not.toEqual(states[50]);
  });

  test('moves no vehicle faster than traffic may', () => {
    for (const [index, { vehicles }] of states.entries()) {
      const before = new Map(states[index - 2]?.vehicles.map((state) => [state.vehicle.id, state]));
      for (const state of vehicles) {
        expect(state.speedMetresPerSecond).toBeLessThan(20);
        const earlier = before.get(state.vehicle.id);
        if (earlier) expect(wayBetween(earlier, state).lengthMetres).toBeLessThanOrEqual(2 * TICK_SECONDS * 20);
      }
    }
  });

  test('has speed 0 exactly where a vehicle stands, and a bearing in [0, 360)', () => {
    const all = states.flatMap(({ vehicles }) => vehicles);
    for (const { status, speedMetresPerSecond, bearing } of all) {
      if (status === 'standing') expect(speedMetresPerSecond).toBe(0);
      expect(bearing).toBeGreaterThanOrEqual(0);
      expect(bearing).toBeLessThan(360);
    }
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['standing', 'arriving', 'under-way']));
  });
});

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

test('a number follows from its keys, in [0, 1)', () => {
  check(
    fc.property(fc.integer(), fc.string(), (seed, key) => {
      const unit = seededUnit(seed, key);
      expect(unit).toBeGreaterThanOrEqual(0);
      expect(unit).toBeLessThan(1);
      expect(seededUnit(seed, key)).toBe(unit);
    }),
  );
});
