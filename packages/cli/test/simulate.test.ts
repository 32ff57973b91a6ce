import { describe, expect, test } from 'vitest';
import { ALERT_OFF_SECONDS, ALERT_ON_SECONDS } from '../src/demo/demo-alerts.ts';
import { MAX_DELAY_SHARE, MAX_EARLY_SHARE } from '../src/demo/demo-trip.ts';
import { wayBetween } from '../src/demo/geography.ts';
import { type DemoState, simulate, TICK_SECONDS, tickAt, type VehicleState } from '../src/demo/simulate.ts';
import { REST_SECONDS, roundSeconds, transitNetwork } from '../src/demo/transit-network.ts';

const START = tickAt(Date.UTC(2026, 10, 20, 9));
const network = transitNetwork(7);
const longestRound = Math.max(...network.lines.map(roundSeconds));
const states = Array.from({ length: Math.ceil(longestRound / TICK_SECONDS) + 100 }, (_, index) =>
  simulate(network, START + index),
);
const ids = (state: DemoState) => new Set(state.vehicles.map(({ vehicle }) => vehicle.id));

describe('the network', () => {
  test('follows from its seed', () => {
    expect(transitNetwork(7)).toEqual(network);
    expect(transitNetwork(8)).not.toEqual(network);
  });

  test('has six lines of ten stops through one hub, and 24 vehicles', () => {
    expect(network.lines).toHaveLength(6);
    expect(network.vehicles).toHaveLength(24);
    for (const { routes } of network.lines) {
      expect(routes[0].stops).toHaveLength(10);
      expect(routes[0].stops.map(({ name }) => name)).toContain('Central Station');
      expect(routes[1].stops).toEqual(routes[0].stops.toReversed());
    }
  });

  test('gives no two stops one id or one name', () => {
    const stops = network.lines.flatMap(({ routes }) => routes[0].stops.filter(({ id }) => id !== 'S100'));
    expect(new Set(stops.map(({ id }) => id)).size).toBe(54);
    expect(new Set(stops.map(({ name }) => name)).size).toBe(54);
  });

  test('lies within 6 km of its centre, with stops 400 m to 950 m apart', () => {
    for (const { routes } of network.lines) {
      const hub = routes[0].stops[4] as (typeof routes)[0]['stops'][number];
      for (const stop of routes[0].stops) expect(wayBetween(hub, stop).lengthMetres).toBeLessThan(6000);
      for (const { lengthMetres } of routes[0].segments) {
        expect(lengthMetres).toBeGreaterThan(400);
        expect(lengthMetres).toBeLessThan(950);
      }
    }
  });
});

describe('the simulation', () => {
  test('follows from seed and tick alone, in any order', () => {
    expect(simulate(transitNetwork(7), START + 50)).toEqual(states[50]);
    expect(simulate(transitNetwork(8), START + 50)).not.toEqual(states[50]);
  });

  test('counts ticks of five seconds since the epoch', () => {
    expect(tickAt(0)).toBe(0);
    expect(tickAt(4_999)).toBe(0);
    expect(tickAt(5_000)).toBe(1);
    expect(states[0]?.timeSeconds).toBe(START * 5);
  });

  test('keeps most vehicles in service', () => {
    for (const { vehicles } of states) expect(vehicles.length).toBeGreaterThan(10);
  });

  test('keeps every vehicle on its line', () => {
    for (const { vehicles } of states) for (const state of vehicles) expect(metresOffLine(state)).toBeLessThan(1);
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

  test('has half of the vehicles report at a tick', () => {
    const [, before, after] = states as [DemoState, DemoState, DemoState];
    const reported = after.vehicles.filter(({ reportedSeconds }) => reportedSeconds === after.timeSeconds);
    expect(reported.length).toBeGreaterThan(5);
    expect(reported.length).toBeLessThan(after.vehicles.length - 5);
    const silent = after.vehicles.filter((state) => !reported.includes(state));
    for (const state of silent) expect(before.vehicles).toContainEqual(state);
  });

  test('keeps occupancy within 0 and 100 per cent, changing at stops only', () => {
    for (const { vehicles } of states) {
      for (const { occupancyPercentage } of vehicles) {
        expect(occupancyPercentage).toBeGreaterThanOrEqual(0);
        expect(occupancyPercentage).toBeLessThanOrEqual(100);
      }
    }
    const perStop = new Map<string, Set<number>>();
    for (const state of states.flatMap(({ vehicles }) => vehicles)) {
      const key = `${state.trip.id} ${state.stopIndex}`;
      perStop.set(key, (perStop.get(key) ?? new Set()).add(state.occupancyPercentage));
    }
    for (const values of perStop.values()) expect(values.size).toBe(1);
  });

  test('lets vehicles go out of service and come back', () => {
    const gone = new Set<string>();
    const back = new Set<string>();
    let restTicks = 0;
    for (const [index, state] of states.slice(1).entries()) {
      const [before, now] = [ids(states[index] as DemoState), ids(state)];
      for (const id of before) if (!now.has(id)) gone.add(id);
      for (const id of now) if (!before.has(id) && gone.has(id)) back.add(id);
      if (!now.has('101')) restTicks++;
    }
    expect(gone.size).toBe(24);
    expect(back.size).toBeGreaterThan(20);
    expect(restTicks * TICK_SECONDS).toBeGreaterThan(REST_SECONDS / 2);
  });
});

describe('delays', () => {
  test('are bounded, and grow and shrink', () => {
    const perTrip = new Map<string, number[]>();
    for (const { trip, delaySeconds } of states.flatMap(({ trips }) => trips)) {
      expect(delaySeconds).toBeLessThanOrEqual(MAX_DELAY_SHARE * trip.route.durationSeconds + 15);
      expect(delaySeconds).toBeGreaterThanOrEqual(-MAX_EARLY_SHARE * trip.route.durationSeconds - 15);
      expect(Math.abs(delaySeconds) % 15).toBe(0);
      perTrip.set(trip.id, [...(perTrip.get(trip.id) ?? []), delaySeconds]);
    }
    const late = [...perTrip.values()].filter((delays) => delays[0] === 0 && Math.max(...delays) >= 45);
    expect(late.length).toBeGreaterThan(5);
    expect(late.some((delays) => delays.at(-1) === 0)).toBe(true);
  });

  test('change for some trips at a tick, not for all', () => {
    for (const [index, state] of states.slice(1).entries()) {
      const before = new Map(states[index]?.trips.map((trip) => [trip.trip.id, trip]));
      const changed = state.trips.filter((trip) => trip.delaySeconds !== before.get(trip.trip.id)?.delaySeconds);
      expect(changed.length).toBeLessThan(state.trips.length / 2);
    }
  });

  test('leave the trip short of the stops that it has passed, never of the last', () => {
    let last = new Map<string, number>();
    for (const { trips } of states) {
      for (const { trip, nextStopIndex } of trips) {
        expect(nextStopIndex).toBeGreaterThanOrEqual(last.get(trip.id) ?? 0);
        expect(nextStopIndex).toBeLessThanOrEqual(9);
      }
      last = new Map(trips.map(({ trip, nextStopIndex }) => [trip.id, nextStopIndex]));
    }
  });
});

test('one alert stays while another comes and goes, each time for the next line', () => {
  const period = (ALERT_ON_SECONDS + ALERT_OFF_SECONDS) / TICK_SECONDS;
  const shown = states.slice(0, 3 * period).map(({ alerts }) => alerts.map(({ id }) => id).join(' '));
  expect(new Set(shown)).toEqual(new Set(['works signal-fault', 'works']));
  const changes = shown.filter((ids, index) => index > 0 && ids !== shown[index - 1]);
  expect(changes.length).toBeGreaterThanOrEqual(5);
  const lines = states.slice(0, 3 * period).flatMap(({ alerts }) => alerts.flatMap((alert) => alert.lines));
  expect(new Set(lines).size).toBeGreaterThanOrEqual(3);
});

/** How far a vehicle is from the nearest point of the straight ways between the stops of its line. */
function metresOffLine({ latitude, longitude, trip }: VehicleState): number {
  const { stops, segments } = trip.route;
  return Math.min(
    ...segments.map(({ lengthMetres, bearing }, index) => {
      const way = wayBetween(stops[index] as (typeof stops)[number], { latitude, longitude });
      const angle = ((way.bearing - bearing) * Math.PI) / 180;
      const along = Math.min(lengthMetres, Math.max(0, way.lengthMetres * Math.cos(angle)));
      return Math.hypot(way.lengthMetres * Math.cos(angle) - along, way.lengthMetres * Math.sin(angle));
    }),
  );
}
