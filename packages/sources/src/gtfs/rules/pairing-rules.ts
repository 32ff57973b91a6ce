import type { FeedMessage } from '../feed-message.ts';
import type { Rule } from './rule.ts';

/** Which vehicle is on which trip, as the two kinds of content say it; '' for a vehicle or trip that is not named. */
interface Pairs {
  /** The vehicle of each trip by its update; of several the last. */
  readonly vehicleByTrip: ReadonlyMap<string, string>;
  /** The trip of each vehicle by its position, and the other way round; of several the last. */
  readonly tripByVehicle: ReadonlyMap<string, string>;
  readonly seenByTrip: ReadonlyMap<string, string>;
}

function pairsOf(feed: FeedMessage): Pairs | undefined {
  const vehicleByTrip = new Map<string, string>();
  const tripByVehicle = new Map<string, string>();
  const seenByTrip = new Map<string, string>();
  let updates = 0;
  let positions = 0;
  for (const { trip_update: update, vehicle: position } of feed.entity ?? []) {
    if (update) {
      updates += 1;
      if (update.trip.trip_id) vehicleByTrip.set(update.trip.trip_id, update.vehicle?.id ?? '');
    }
    if (position) {
      positions += 1;
      const trip = position.trip?.trip_id ?? '';
      const vehicle = position.vehicle?.id ?? '';
      if (vehicle && trip) tripByVehicle.set(vehicle, trip);
      if (trip) seenByTrip.set(trip, vehicle);
    }
  }
  // A feed of one kind has nothing to compare: what another feed says is judged where both are one.
  return updates > 0 && positions > 0 ? { vehicleByTrip, tripByVehicle, seenByTrip } : undefined;
}

const mismatched = (feed: FeedMessage): number => {
  const pairs = pairsOf(feed);
  if (!pairs) return 0;
  let count = 0;
  for (const [trip, vehicle] of pairs.vehicleByTrip) {
    const seen = pairs.seenByTrip.get(trip);
    if (vehicle && seen && seen !== vehicle) count += 1;
  }
  return count;
};

const inOneOnly = (feed: FeedMessage): number => {
  const pairs = pairsOf(feed);
  if (!pairs) return 0;
  const { vehicleByTrip, tripByVehicle, seenByTrip } = pairs;
  const updated = new Set(vehicleByTrip.values());
  let count = 0;
  for (const vehicle of updated) if (vehicle && !tripByVehicle.has(vehicle)) count += 1;
  for (const vehicle of tripByVehicle.keys()) if (!updated.has(vehicle)) count += 1;
  // A trip that is predicted need not be under way; one that is under way should be predicted.
  for (const trip of seenByTrip.keys()) if (!vehicleByTrip.has(trip)) count += 1;
  return count;
};

/** Rules about what trip updates and vehicle positions say of each other. */
export const pairingRules: readonly Rule[] = [
  {
    id: 'E047',
    title: 'a trip has another vehicle in its update than in its position',
    severity: 'error',
    checks: { feed: mismatched },
  },
  {
    id: 'W003',
    title: 'a vehicle or trip is in the trip updates or the vehicle positions only',
    severity: 'warning',
    checks: { feed: inOneOnly },
  },
];
