import { decodeFeed } from '../../../src/gtfs-rt/decode-feed.ts';
import { encodeFeed } from '../../../src/gtfs-rt/encode-feed.ts';
import type {
  Alert,
  Position,
  StopTimeUpdate,
  TripDescriptor,
  TripUpdate,
  VehiclePosition,
} from '../../../src/gtfs-rt/feed-entities.ts';
import type { FeedEntity, FeedHeader, FeedMessage } from '../../../src/gtfs-rt/feed-message.ts';
import { brokenRules } from '../../../src/gtfs-rt/rules/broken-rules.ts';
import type { PreviousFeed } from '../../../src/gtfs-rt/rules/rule.ts';

/** The present of these tests, POSIX seconds. */
export const NOW = 1_700_000_000;

/** The time that feeds and entities of these tests state. */
export const STATED = NOW - 10;

const HEADER: FeedHeader = { gtfs_realtime_version: '2.0', incrementality: 'FULL_DATASET', timestamp: STATED };

/** A trip that keeps every rule. */
export const TRIP: TripDescriptor = {
  trip_id: 't1',
  start_time: '07:00:00',
  start_date: '20231114',
  schedule_relationship: 'SCHEDULED',
  route_id: 'r1',
};

/** Stop times that keep every rule. */
export const STOPS: readonly StopTimeUpdate[] = [
  stop(1, { arrival: { time: NOW }, departure: { time: NOW + 20 } }),
  stop(2, { arrival: { time: NOW + 60 }, departure: { time: NOW + 60 } }),
  stop(4, { arrival: { delay: 30 } }),
];

const PLACE: Position = { latitude: 51.05, longitude: 3.72, bearing: 90, speed: 8 };

/** A stop time that keeps every rule by itself, but for what is given. */
export function stop(sequence: number, more: Partial<StopTimeUpdate> = {}): StopTimeUpdate {
  return { stop_sequence: sequence, stop_id: `s${sequence}`, schedule_relationship: 'SCHEDULED', ...more };
}

/** An entity with a trip update that keeps every rule, but for what is given. */
export function updateEntity(more: Partial<TripUpdate> = {}, id = 'u1'): FeedEntity {
  const kept = { trip: TRIP, stop_time_update: STOPS, vehicle: { id: 'v1' }, timestamp: STATED };
  return { id, trip_update: defined({ ...kept, ...more }) };
}

/** An entity with a vehicle position that keeps every rule, but for what is given. */
export function vehicleEntity(more: Partial<VehiclePosition> = {}, id = 'p1'): FeedEntity {
  return {
    id,
    vehicle: defined({ trip: TRIP, position: PLACE, timestamp: STATED, vehicle: { id: 'v1' }, ...more }),
  };
}

/** The same with the vehicle in such a place. */
export function placedEntity(more: Partial<Position>): FeedEntity {
  return vehicleEntity({ position: { ...PLACE, ...more } });
}

/** An entity with an alert that keeps every rule, but for what is given. */
export function alertEntity(more: Partial<Alert> = {}): FeedEntity {
  return { id: 'a1', alert: defined({ informed_entity: [{ route_id: 'r1' }], ...more }) };
}

/** A feed of these entities, by default one of each kind, that keeps every rule by itself. */
export function feedOf(
  entity: readonly FeedEntity[] = [updateEntity(), vehicleEntity(), alertEntity()],
  header: Partial<FeedHeader> = {},
): FeedMessage {
  return { header: defined({ ...HEADER, ...header }), entity };
}

/** What a feed breaks once it was written and read: as it comes from a producer. */
export function brokenBy(feed: FeedMessage, previous?: Partial<PreviousFeed>): Record<string, number> {
  const { feed: read } = decodeFeed(encodeFeed(feed));
  const before = previous && { seenSeconds: NOW - 20, isSame: false, ...previous };
  return brokenRules(read, { nowSeconds: NOW, ...(before ? { previous: before } : {}) });
}

// What is given as undefined is left out: a field that is not set has no property.
function defined<Thing extends object>(thing: Thing): Thing {
  return Object.fromEntries(Object.entries(thing).filter(([, value]) => value !== undefined)) as Thing;
}
