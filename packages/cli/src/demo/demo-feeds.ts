import type { Alert, FeedEntity, FeedHeader, FeedMessage, TripDescriptor, VehiclePosition } from '@ldes-live/sources';
import type { DemoAlert } from './demo-alerts.ts';
import type { DemoTrip } from './demo-trip.ts';
import type { DemoState, TripState, VehicleState } from './simulate.ts';

/** The feeds of the demonstration, as a transit agency would publish them. */
export interface DemoFeeds {
  readonly vehiclePositions: FeedMessage;
  readonly tripUpdates: FeedMessage;
  readonly alerts: FeedMessage;
}

/** Tells the state of the network as GTFS-Realtime. */
export function demoFeeds(state: DemoState): DemoFeeds {
  const header: FeedHeader = {
    gtfs_realtime_version: '2.0',
    incrementality: 'FULL_DATASET',
    timestamp: state.timeSeconds,
  };
  return {
    vehiclePositions: { header, entity: state.vehicles.map(vehiclePosition) },
    tripUpdates: { header, entity: state.trips.map((trip) => tripUpdate(trip, state.timeSeconds)) },
    alerts: { header, entity: state.alerts.map(alert) },
  };
}

const STATUS = {
  standing: 'STOPPED_AT',
  arriving: 'INCOMING_AT',
  'under-way': 'IN_TRANSIT_TO',
} as const satisfies Record<VehicleState['status'], VehiclePosition['current_status']>;
const CAUSE = {
  construction: 'CONSTRUCTION',
  'technical-problem': 'TECHNICAL_PROBLEM',
} as const satisfies Record<DemoAlert['cause'], Alert['cause']>;
const EFFECT = {
  'stop-moved': 'STOP_MOVED',
  'significant-delays': 'SIGNIFICANT_DELAYS',
} as const satisfies Record<DemoAlert['effect'], Alert['effect']>;

function vehiclePosition(state: VehicleState): FeedEntity {
  const { vehicle, trip, latitude, longitude, bearing, speedMetresPerSecond, stopIndex, status } = state;
  return {
    id: `vehicle-${vehicle.id}`,
    vehicle: {
      trip: tripDescriptor(trip),
      position: { latitude, longitude, bearing, speed: speedMetresPerSecond },
      current_stop_sequence: stopIndex + 1,
      current_status: STATUS[status],
      timestamp: state.reportedSeconds,
      stop_id: stopId(trip, stopIndex),
      vehicle: { id: vehicle.id, label: vehicle.label },
      occupancy_status: occupancyStatus(state.occupancyPercentage),
      occupancy_percentage: state.occupancyPercentage,
    },
  };
}

function tripUpdate({ vehicle, trip, delaySeconds, nextStopIndex }: TripState, timeSeconds: number): FeedEntity {
  const { stops, arrivalSeconds, departureSeconds } = trip.route;
  const event = (scheduledSeconds: number) => ({
    delay: delaySeconds,
    time: trip.startSeconds + scheduledSeconds + delaySeconds,
  });
  const stopTimes = stops.map((stop, index) => ({
    stop_sequence: index + 1,
    stop_id: stop.id,
    ...(index > 0 && { arrival: event(arrivalSeconds[index] as number) }),
    ...(index < stops.length - 1 && { departure: event(departureSeconds[index] as number) }),
  }));
  return {
    id: `trip-${trip.id}`,
    trip_update: {
      trip: tripDescriptor(trip),
      stop_time_update: stopTimes.slice(nextStopIndex),
      vehicle: { id: vehicle.id, label: vehicle.label },
      timestamp: timeSeconds,
    },
  };
}

function alert({ id, lines, stops, cause, effect, header, description, startSeconds }: DemoAlert): FeedEntity {
  return {
    id,
    alert: {
      ...(startSeconds !== undefined && { active_period: [{ start: startSeconds }] }),
      informed_entity: [...lines.map((route_id) => ({ route_id })), ...stops.map((stop_id) => ({ stop_id }))],
      cause: CAUSE[cause],
      effect: EFFECT[effect],
      header_text: translated(header),
      description_text: translated(description),
    },
  };
}

function tripDescriptor({ id, route, startSeconds }: DemoTrip): TripDescriptor {
  const clock = new Date(1000 * startSeconds).toISOString();
  return {
    trip_id: id,
    start_time: clock.slice(11, 19),
    start_date: clock.slice(0, 10).replaceAll('-', ''),
    schedule_relationship: 'SCHEDULED',
    route_id: route.line,
    direction_id: route.directionId,
  };
}

function stopId(trip: DemoTrip, index: number): string {
  return (trip.route.stops[index] as DemoTrip['route']['stops'][number]).id;
}

function occupancyStatus(percentage: number): NonNullable<VehiclePosition['occupancy_status']> {
  if (percentage === 0) return 'EMPTY';
  if (percentage < 40) return 'MANY_SEATS_AVAILABLE';
  if (percentage < 65) return 'FEW_SEATS_AVAILABLE';
  return percentage < 95 ? 'STANDING_ROOM_ONLY' : 'FULL';
}

function translated(texts: Readonly<Record<string, string>>): NonNullable<Alert['header_text']> {
  return { translation: Object.entries(texts).map(([language, text]) => ({ text, language })) };
}
