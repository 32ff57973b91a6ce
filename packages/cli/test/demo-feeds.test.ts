import { decodeFeed, encodeFeed, type FeedMessage } from '@ldes-live/sources';
import { expect, test } from 'vitest';
import { ALERT_ON_SECONDS } from '../src/demo/demo-alerts.ts';
import { demoFeeds } from '../src/demo/demo-feeds.ts';
import { simulate, TICK_SECONDS, tickAt } from '../src/demo/simulate.ts';
import { transitNetwork } from '../src/demo/transit-network.ts';

const network = transitNetwork(7);
const START = tickAt(Date.UTC(2026, 10, 20, 9));
const feeds = demoFeeds(simulate(network, START));
const entities = ({ entity = [] }: FeedMessage) => entity;

test.each(['vehiclePositions', 'tripUpdates', 'alerts'] as const)('%s survive the wire, unknown to nobody', (name) => {
  const { feed, unknownFields, skippedEntities } = decodeFeed(encodeFeed(feeds[name]));
  expect(unknownFields).toEqual({});
  expect(skippedEntities).toEqual([]);
  expect(feed.header).toMatchObject({ gtfs_realtime_version: '2.0', timestamp: START * TICK_SECONDS });
  expect(entities(feed).map(({ id }) => id)).toEqual(entities(feeds[name]).map(({ id }) => id));
});

test('every vehicle that is on a trip has a trip update of the same trip', () => {
  const trips = new Set(entities(feeds.tripUpdates).map(({ trip_update }) => trip_update?.trip.trip_id));
  const vehicles = entities(feeds.vehiclePositions);
  expect(vehicles.length).toBeGreaterThan(10);
  for (const { vehicle } of vehicles) expect(trips).toContain(vehicle?.trip?.trip_id);
});

test('a standing vehicle has an explicit speed of 0', () => {
  const all = Array.from({ length: 20 }, (_, index) => demoFeeds(simulate(network, START + index)));
  const standing = all
    .flatMap(({ vehiclePositions }) => entities(vehiclePositions))
    .filter(({ vehicle }) => vehicle?.current_status === 'STOPPED_AT');
  expect(standing.length).toBeGreaterThan(0);
  for (const { vehicle } of standing) {
    expect(vehicle?.position && Object.hasOwn(vehicle.position, 'speed')).toBe(true);
    expect(vehicle?.position?.speed).toBe(0);
  }
});

test('a trip update predicts the stops ahead in order, the last by its arrival only', () => {
  for (const { trip_update } of entities(feeds.tripUpdates)) {
    const stops = trip_update?.stop_time_update ?? [];
    const times = stops.flatMap(({ arrival, departure }) => [arrival?.time, departure?.time]).filter(Number.isFinite);
    expect(times).toEqual([...times].sort((left, right) => (left as number) - (right as number)));
    expect(stops.at(-1)).toMatchObject({ stop_sequence: 10, arrival: { delay: expect.any(Number) } });
    expect(stops.at(-1)).not.toHaveProperty('departure');
    expect(stops.find(({ stop_sequence }) => stop_sequence === 1) ?? {}).not.toHaveProperty('arrival');
  }
});

test('the passing alert has a beginning, and both have their texts in two languages', () => {
  const ticks = Array.from({ length: ALERT_ON_SECONDS }, (_, index) => START + index);
  const both = ticks
    .map((tick) => entities(demoFeeds(simulate(network, tick)).alerts))
    .find(({ length }) => length === 2);
  const [staying, passing] = both?.map(({ alert }) => alert) ?? [];
  expect(staying).not.toHaveProperty('active_period');
  expect(staying?.informed_entity).toEqual([{ stop_id: expect.any(String) }]);
  expect(passing?.active_period).toEqual([{ start: expect.any(Number) }]);
  expect(passing?.informed_entity).toEqual([{ route_id: expect.any(String) }]);
  for (const alert of [staying, passing]) {
    expect(alert?.header_text?.translation?.map(({ language }) => language)).toEqual(['en', 'nl']);
  }
});

test('how full a vehicle is fits its percentage', () => {
  const statuses = new Map<string | undefined, number[]>();
  for (let tick = START; tick < START + 400; tick += 10) {
    for (const { vehicle } of entities(demoFeeds(simulate(network, tick)).vehiclePositions)) {
      const percentages = statuses.get(vehicle?.occupancy_status) ?? [];
      statuses.set(vehicle?.occupancy_status, [...percentages, vehicle?.occupancy_percentage as number]);
    }
  }
  const order = ['EMPTY', 'MANY_SEATS_AVAILABLE', 'FEW_SEATS_AVAILABLE', 'STANDING_ROOM_ONLY', 'FULL'];
  const seen = order.filter((status) => statuses.has(status));
  expect(seen.length).toBeGreaterThanOrEqual(4);
  for (const [index, status] of seen.slice(1).entries()) {
    const fullest = Math.max(...(statuses.get(seen[index]) as number[]));
    expect(fullest).toBeLessThan(Math.min(...(statuses.get(status) as number[])));
  }
});
