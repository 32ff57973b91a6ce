import { decodeFeed } from '../../../src/gtfs/decode-feed.ts';
import { encodeFeed } from '../../../src/gtfs/encode-feed.ts';
import type {
  Alert,
  Position,
  StopTimeUpdate,
  TripDescriptor,
  TripUpdate,
  VehiclePosition,
} from '../../../src/gtfs/feed-entities.ts';
import type { FeedEntity, FeedHeader, FeedMessage } from '../../../src/gtfs/feed-message.ts';
import { brokenRules } from '../../../src/gtfs/rules/broken-rules.ts';
import type { PreviousFeed } from '../../../src/gtfs/rules/rule.ts';

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
  return { id, vehicle: defined({ trip: TRIP, position: PLACE, timestamp: STATED, vehicle: { id: 'v1' }, ...more }) };
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

type Before = Partial<PreviousFeed>;

/** How a rule is broken, how often then, and how it is kept; after which feed, where that matters. */
export type RuleCase = readonly [id: string, breaks: FeedMessage, count: number, keeps: FeedMessage, Before?, Before?];

/** In place of a value that is left out. */
export const undone = undefined as never;

/** A feed of these entities. */
export const entities = (...list: readonly FeedEntity[]): FeedMessage => feedOf(list);
/** A feed of one trip update. */
export const updates = (more?: Partial<TripUpdate>): FeedMessage => entities(updateEntity(more));
/** A feed of one vehicle position. */
export const vehicles = (more?: Partial<VehiclePosition>): FeedMessage => entities(vehicleEntity(more));
/** A feed of one vehicle in such a place. */
export const placed = (more: Partial<Position>): FeedMessage => vehicles({ position: { ...PLACE, ...more } });
/** A feed of one alert. */
export const alerts = (more?: Partial<Alert>): FeedMessage => entities(alertEntity(more));
/** A feed of one trip with these stop times. */
export const stops = (...list: readonly Parameters<typeof stop>[]): FeedMessage =>
  updates({ stop_time_update: list.map((one) => stop(...one)) });
/** An arrival at a time. */
export const at = (time: number) => ({ arrival: { time } });

// What is given as undefined is left out: a field that is not set has no property.
function defined<Thing extends object>(thing: Thing): Thing {
  return Object.fromEntries(Object.entries(thing).filter(([, value]) => value !== undefined)) as Thing;
}
