import { seededUnit } from './seeded-unit.ts';
import { type DemoRoute, type DemoVehicle, roundSeconds, TURN_SECONDS } from './transit-network.ts';

/** One run of a vehicle from end to end. */
export interface DemoTrip {
  readonly id: string;
  readonly route: DemoRoute;
  /** When the timetable has it start, in epoch seconds. */
  readonly startSeconds: number;
}

/** How far a trip is behind its timetable. */
export interface TripDelay {
  /** Behind the timetable, in seconds; negative when early. */
  readonly delaySeconds: number;
  /** How far into the timetable the trip is, in seconds: between 0 and the duration of the route. */
  readonly scheduledSeconds: number;
  /** Seconds of the timetable made good in a second: below 1 while the delay grows, above 1 while it shrinks. */
  readonly pace: number;
}

/** A vehicle stands at its first stop for so long before a round, in seconds. */
const BOARDING_SECONDS = 30;
/** The largest delay as a share of the duration of the trip; small enough that a late vehicle never runs backwards. */
const MAX_DELAY_SHARE = 0.1;
/** The same for being early. */
const MAX_EARLY_SHARE = 0.02;

/**
 * The trip that a vehicle is on at a moment, or stands ready for; `undefined` while it rests.
 *
 * @param timeSeconds - epoch seconds
 */
export function demoDuty(vehicle: DemoVehicle, timeSeconds: number): DemoTrip | undefined {
  const [out, back] = vehicle.line.routes;
  const round = roundSeconds(vehicle.line);
  // Boarding for a round belongs to it, though the one before has not ended yet.
  const sinceOffset = timeSeconds + BOARDING_SECONDS - vehicle.offsetSeconds;
  const outStart = Math.floor(sinceOffset / round) * round + vehicle.offsetSeconds;
  if (timeSeconds < outStart + out.durationSeconds) return tripOf(out, outStart);
  const backStart = outStart + out.durationSeconds + TURN_SECONDS;
  if (timeSeconds < backStart + back.durationSeconds) return tripOf(back, backStart);
  return undefined;
}

/**
 * How late a trip is at a moment: each trip by its own measure, nothing at its ends and most in the middle.
 *
 * @param timeSeconds - epoch seconds
 */
export function tripDelay(seed: number, trip: DemoTrip, timeSeconds: number): TripDelay {
  const duration = trip.route.durationSeconds;
  const elapsed = Math.max(0, timeSeconds - trip.startSeconds);
  const share = seededUnit(seed, 'delay', trip.id) * (MAX_DELAY_SHARE + MAX_EARLY_SHARE) - MAX_EARLY_SHARE;
  const delayAt = (scheduled: number) => share * duration * Math.sin((Math.PI * scheduled) / duration) ** 2;
  // elapsed = scheduled + delay(scheduled). The delay's slope is below 1/3, so each round gains half a digit.
  let scheduled = Math.min(elapsed, duration);
  for (let round = 0; round < 20; round++) scheduled = Math.min(duration, Math.max(0, elapsed - delayAt(scheduled)));
  const slope = share * Math.PI * Math.sin((2 * Math.PI * scheduled) / duration);
  return { delaySeconds: delayAt(scheduled), scheduledSeconds: scheduled, pace: 1 / (1 + slope) };
}

function tripOf(route: DemoRoute, startSeconds: number): DemoTrip {
  // No two vehicles of a line start in the same minute, so this names one trip of a day.
  const clock = new Date(1000 * startSeconds).toISOString().slice(11, 16).replace(':', '');
  return { id: `${route.line}-${route.directionId === 0 ? 'out' : 'back'}-${clock}`, route, startSeconds };
}
