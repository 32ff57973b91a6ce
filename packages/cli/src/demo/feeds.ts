/*
 * What the simulated city says at a moment, as GTFS-Realtime.
 *
 * moment -> `tickAt` -> `demoFeeds` (where each vehicle is, how late each trip, which alerts). Nothing changes between
 * ticks, and each is made of the network and the number of the tick alone.
 *
 *     { "id": "vehicle-101", "vehicle": { "trip": { "trip_id": "1-out-0859" }, "position": { "latitude": 51.021,
 *       "longitude": 3.4493, "bearing": 97, "speed": 8.2 }, "current_status": "IN_TRANSIT_TO", "occupancy_percentage": 45 } }
 */
import type { Alert, FeedEntity, FeedHeader, FeedMessage, TripDescriptor, VehiclePosition } from '@ldes-live/sources';
import {
  type DemoRoute,
  type DemoTrip,
  type DemoVehicle,
  demoDuty,
  type Place,
  placeAt,
  seededUnit,
  type TransitNetwork,
  tripDelay,
} from './network.ts';

export interface DemoFeeds {
  readonly vehiclePositions: FeedMessage;
  readonly tripUpdates: FeedMessage;
  readonly alerts: FeedMessage;
}

/** The time between two ticks, in seconds: the demonstration changes on ticks only. */
export const TICK_SECONDS = 5;
/** A vehicle reports its position once in so many ticks, and not all of them at the same ones. */
const TICKS_PER_REPORT = 2;
/** Predictions are made in steps, as dispatch systems do, so that not every trip changes at every tick. */
const DELAY_STEP_SECONDS = 15;
/** Past this share of the way to a stop, a vehicle says that it is arriving. */
const ARRIVING = 0.85;
/** How long the alert that comes and goes is there, and how long it is gone. */
const [ALERT_ON_SECONDS, ALERT_OFF_SECONDS] = [90, 60];

export function tickAt(timeMs: number): number {
  return Math.floor(timeMs / (1000 * TICK_SECONDS));
}

/** What a network tells at a tick, as {@link tickAt} counts them. */
export function demoFeeds(network: TransitNetwork, tick: number): DemoFeeds {
  const { seed, vehicles } = network;
  const timeSeconds = tick * TICK_SECONDS;
  const header: FeedHeader = { gtfs_realtime_version: '2.0', incrementality: 'FULL_DATASET', timestamp: timeSeconds };
  const positions = vehicles.flatMap((vehicle, index) => {
    const reportTick = tick - ((tick + index) % TICKS_PER_REPORT);
    return vehiclePosition(seed, vehicle, reportTick * TICK_SECONDS) ?? [];
  });
  const updates = vehicles.flatMap((vehicle) => tripUpdate(seed, vehicle, timeSeconds) ?? []);
  return {
    vehiclePositions: { header, entity: positions },
    tripUpdates: { header, entity: updates },
    alerts: { header, entity: alerts(network, timeSeconds) },
  };
}

function vehiclePosition(seed: number, vehicle: DemoVehicle, reportedSeconds: number): FeedEntity | undefined {
  const trip = demoDuty(vehicle, reportedSeconds);
  if (!trip) return undefined;
  const { scheduledSeconds, pace } = tripDelay(seed, trip, reportedSeconds);
  const motion = motionAt(trip.route, scheduledSeconds);
  const { latitude, longitude, bearing, stopIndex, status } = motion;
  const occupancyPercentage = occupancy(seed, trip, stopIndex);
  return {
    id: `vehicle-${vehicle.id}`,
    vehicle: {
      trip: tripDescriptor(trip),
      position: { latitude, longitude, bearing, speed: Math.round(10 * motion.speedMetresPerSecond * pace) / 10 },
      current_stop_sequence: stopIndex + 1,
      current_status: status,
      timestamp: reportedSeconds,
      stop_id: (trip.route.stops[stopIndex] as DemoRoute['stops'][number]).id,
      vehicle: { id: vehicle.id, label: vehicle.label },
      occupancy_status: occupancyStatus(occupancyPercentage),
      occupancy_percentage: occupancyPercentage,
    },
  };
}

function tripUpdate(seed: number, vehicle: DemoVehicle, timeSeconds: number): FeedEntity | undefined {
  const trip = demoDuty(vehicle, timeSeconds);
  if (!trip) return undefined;
  const { scheduledSeconds, delaySeconds } = tripDelay(seed, trip, timeSeconds);
  const { stops, arrivalSeconds, departureSeconds } = trip.route;
  // Added to 0, since rounding a small negative number gives -0.
  const delay = 0 + DELAY_STEP_SECONDS * Math.round(delaySeconds / DELAY_STEP_SECONDS);
  const event = (seconds = 0) => ({ delay, time: trip.startSeconds + seconds + delay });
  const stopTimes = stops.map((stop, index) => ({
    stop_sequence: index + 1,
    stop_id: stop.id,
    ...(index > 0 && { arrival: event(arrivalSeconds[index]) }),
    ...(index < stops.length - 1 && { departure: event(departureSeconds[index]) }),
  }));
  return {
    id: `trip-${trip.id}`,
    trip_update: {
      trip: tripDescriptor(trip),
      stop_time_update: stopTimes.slice(departureSeconds.findIndex((departure) => scheduledSeconds <= departure)),
      vehicle: { id: vehicle.id, label: vehicle.label },
      timestamp: timeSeconds,
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

function occupancyStatus(percentage: number): NonNullable<VehiclePosition['occupancy_status']> {
  if (percentage === 0) return 'EMPTY';
  if (percentage < 40) return 'MANY_SEATS_AVAILABLE';
  if (percentage < 65) return 'FEW_SEATS_AVAILABLE';
  return percentage < 95 ? 'STANDING_ROOM_ONLY' : 'FULL';
}

/** Where the timetable has a vehicle, `scheduledSeconds` into a trip: smoothly off from one stop and into the next. */
function motionAt(route: DemoRoute, scheduledSeconds: number) {
  const { stops, segments, arrivalSeconds, departureSeconds } = route;
  const stopIndex = departureSeconds.findIndex((departure) => scheduledSeconds <= departure);
  const { latitude, longitude } = stops[stopIndex] as Place;
  const arrival = arrivalSeconds[stopIndex] as number;
  const isStanding = scheduledSeconds >= arrival;
  const segment = Math.min(isStanding ? stopIndex : stopIndex - 1, segments.length - 1);
  const { bearing: exactBearing, lengthMetres } = segments[segment] as DemoRoute['segments'][number];
  const bearing = Math.round(exactBearing) % 360;
  if (isStanding)
    return { latitude, longitude, bearing, speedMetresPerSecond: 0, stopIndex, status: 'STOPPED_AT' } as const;
  const departure = departureSeconds[stopIndex - 1] as number;
  const travelSeconds = arrival - departure;
  const share = (scheduledSeconds - departure) / travelSeconds;
  const travelled = share * share * (3 - 2 * share);
  return {
    ...placeAt(stops[stopIndex - 1] as Place, exactBearing, travelled * lengthMetres),
    bearing,
    speedMetresPerSecond: (6 * share * (1 - share) * lengthMetres) / travelSeconds,
    stopIndex,
    status: travelled > ARRIVING ? 'INCOMING_AT' : 'IN_TRANSIT_TO',
  } as const;
}

/** Fullest in the middle of a trip, some trips fuller than others; changes at stops only; a multiple of 5. */
function occupancy(seed: number, trip: DemoTrip, stopIndex: number): number {
  const along = Math.sin((Math.PI * stopIndex) / (trip.route.stops.length - 1));
  const demand = 0.3 + 0.7 * seededUnit(seed, 'demand', trip.id);
  const luck = 0.2 * seededUnit(seed, 'luck', trip.id, stopIndex);
  return 5 * Math.round(20 * (0.8 * along * demand + luck));
}

/** An alert that stays, and one that comes and goes, each time for the next line. */
function alerts({ lines }: TransitNetwork, timeSeconds: number): FeedEntity[] {
  const period = ALERT_ON_SECONDS + ALERT_OFF_SECONDS;
  const occurrence = Math.floor(timeSeconds / period);
  const startSeconds = occurrence * period;
  const line = lines[occurrence % lines.length];
  const stop = lines[0]?.routes[0].stops[1];
  if (!line || !stop) return [];
  const works: Alert = {
    informed_entity: [{ stop_id: stop.id }],
    cause: 'CONSTRUCTION',
    effect: 'STOP_MOVED',
    header_text: translated(`${stop.name}: stop moved`, `${stop.name}: halte verplaatst`),
    description_text: translated(
      'Board 80 m further on while the tracks are renewed.',
      'Stap 80 m verderop in zolang de sporen vernieuwd worden.',
    ),
  };
  const fault: Alert = {
    active_period: [{ start: startSeconds }],
    informed_entity: [{ route_id: line.id }],
    cause: 'TECHNICAL_PROBLEM',
    effect: 'SIGNIFICANT_DELAYS',
    header_text: translated(`${line.name}: signal fault`, `${line.name}: seinstoring`),
    description_text: translated('Expect delays of a few minutes.', 'Reken op enkele minuten vertraging.'),
  };
  const isThere = timeSeconds - startSeconds < ALERT_ON_SECONDS;
  return [{ id: 'works', alert: works }, ...(isThere ? [{ id: 'signal-fault', alert: fault }] : [])];
}

function translated(en: string, nl: string): NonNullable<Alert['header_text']> {
  return { translation: Object.entries({ en, nl }).map(([language, text]) => ({ text, language })) };
}
