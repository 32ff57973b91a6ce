import { type DemoAlert, demoAlerts } from './demo-alerts.ts';
import { type DemoTrip, demoDuty, tripDelay } from './demo-trip.ts';
import type { Place } from './geography.ts';
import { placeAt } from './geography.ts';
import { seededUnit } from './seeded-unit.ts';
import type { DemoRoute, DemoVehicle, TransitNetwork } from './transit-network.ts';

/** Where a vehicle is, as it last reported. */
export interface VehicleState extends Place {
  readonly vehicle: DemoVehicle;
  readonly trip: DemoTrip;
  /** When it reported, in epoch seconds. */
  readonly reportedSeconds: number;
  /** Whole degrees clockwise from north, 0 to 359. */
  readonly bearing: number;
  readonly speedMetresPerSecond: number;
  /** Index in the route of the stop it stands at or comes to next. */
  readonly stopIndex: number;
  readonly status: 'standing' | 'arriving' | 'under-way';
  /** How full it is, in whole per cent of its capacity. */
  readonly occupancyPercentage: number;
}

/** How a trip under way keeps its timetable. */
export interface TripState {
  readonly vehicle: DemoVehicle;
  readonly trip: DemoTrip;
  /** Behind the timetable, in whole seconds; negative when early. */
  readonly delaySeconds: number;
  /** Index in the route of the first stop that has not been left. */
  readonly nextStopIndex: number;
}

/** Everything the network would tell at one moment. */
export interface DemoState {
  /** The moment, in epoch seconds. */
  readonly timeSeconds: number;
  readonly vehicles: readonly VehicleState[];
  readonly trips: readonly TripState[];
  readonly alerts: readonly DemoAlert[];
}

/** The time between two ticks, in seconds: the demonstration changes on ticks only. */
export const TICK_SECONDS = 5;
/** A vehicle reports its position once in so many ticks, and not all of them at the same ones. */
const TICKS_PER_REPORT = 2;
/** Predictions are made in steps, as dispatch systems do, so that not every trip changes at every tick. */
const DELAY_STEP_SECONDS = 15;
/** Past this share of the way to a stop, a vehicle says that it is arriving. */
const ARRIVING = 0.85;

/** The tick that a moment belongs to. */
export function tickAt(timeMs: number): number {
  return Math.floor(timeMs / (1000 * TICK_SECONDS));
}

/**
 * The state of a network at a tick. Pure: it follows from the network's seed and the tick alone, so that a
 * demonstration that is started again goes on where it would have been.
 *
 * @param tick - ticks since the epoch, as {@link tickAt} counts them
 */
export function simulate(network: TransitNetwork, tick: number): DemoState {
  const timeSeconds = tick * TICK_SECONDS;
  return {
    timeSeconds,
    vehicles: network.vehicles.flatMap((vehicle, index) => {
      const reportTick = tick - ((tick + index) % TICKS_PER_REPORT);
      return vehicleState(network.seed, vehicle, reportTick * TICK_SECONDS);
    }),
    trips: network.vehicles.flatMap((vehicle) => tripState(network.seed, vehicle, timeSeconds)),
    alerts: demoAlerts(network, timeSeconds),
  };
}

function vehicleState(seed: number, vehicle: DemoVehicle, reportedSeconds: number): VehicleState[] {
  const trip = demoDuty(vehicle, reportedSeconds);
  if (!trip) return [];
  const { scheduledSeconds, pace } = tripDelay(seed, trip, reportedSeconds);
  const motion = motionAt(trip.route, scheduledSeconds);
  return [
    {
      vehicle,
      trip,
      reportedSeconds,
      ...motion,
      speedMetresPerSecond: Math.round(10 * motion.speedMetresPerSecond * pace) / 10,
      occupancyPercentage: occupancy(seed, trip, motion.stopIndex),
    },
  ];
}

function tripState(seed: number, vehicle: DemoVehicle, timeSeconds: number): TripState[] {
  const trip = demoDuty(vehicle, timeSeconds);
  if (!trip) return [];
  const { scheduledSeconds, delaySeconds } = tripDelay(seed, trip, timeSeconds);
  return [
    {
      vehicle,
      trip,
      // Added to 0, since rounding a small negative number gives -0.
      delaySeconds: 0 + DELAY_STEP_SECONDS * Math.round(delaySeconds / DELAY_STEP_SECONDS),
      nextStopIndex: trip.route.departureSeconds.findIndex((departure) => scheduledSeconds <= departure),
    },
  ];
}

type Motion = Omit<VehicleState, 'vehicle' | 'trip' | 'reportedSeconds' | 'occupancyPercentage'>;

/** Where the timetable has a vehicle, `scheduledSeconds` into a trip: smoothly off from one stop and into the next. */
function motionAt(route: DemoRoute, scheduledSeconds: number): Motion {
  const { stops, segments, arrivalSeconds, departureSeconds } = route;
  const stopIndex = departureSeconds.findIndex((departure) => scheduledSeconds <= departure);
  const stop = stops[stopIndex] as Place;
  const arrival = arrivalSeconds[stopIndex] as number;
  if (scheduledSeconds >= arrival) {
    const { bearing } = segments[Math.min(stopIndex, segments.length - 1)] as DemoRoute['segments'][number];
    return {
      ...place(stop),
      bearing: Math.round(bearing) % 360,
      speedMetresPerSecond: 0,
      stopIndex,
      status: 'standing',
    };
  }
  const { bearing, lengthMetres } = segments[stopIndex - 1] as DemoRoute['segments'][number];
  const departure = departureSeconds[stopIndex - 1] as number;
  const travelSeconds = arrival - departure;
  const share = (scheduledSeconds - departure) / travelSeconds;
  const travelled = share * share * (3 - 2 * share);
  return {
    ...place(placeAt(stops[stopIndex - 1] as Place, bearing, travelled * lengthMetres)),
    bearing: Math.round(bearing) % 360,
    speedMetresPerSecond: (6 * share * (1 - share) * lengthMetres) / travelSeconds,
    stopIndex,
    status: travelled > ARRIVING ? 'arriving' : 'under-way',
  };
}

function place({ latitude, longitude }: Place): Place {
  return { latitude, longitude };
}

/** Fullest in the middle of a trip, some trips fuller than others; changes at stops only; a multiple of 5. */
function occupancy(seed: number, trip: DemoTrip, stopIndex: number): number {
  const along = Math.sin((Math.PI * stopIndex) / (trip.route.stops.length - 1));
  const demand = 0.3 + 0.7 * seededUnit(seed, 'demand', trip.id);
  const luck = 0.2 * seededUnit(seed, 'luck', trip.id, stopIndex);
  return 5 * Math.round(20 * (0.8 * along * demand + luck));
}
