import type { Alert, TripDescriptor, TripUpdate, VehicleDescriptor } from '../feed-entities.ts';
import { once, type Rule, type RuleChecks } from './rule.ts';

const TIME_OF_TRIP = /^\d{1,2}:[0-5]\d:[0-5]\d$/;
const DATE_OF_TRIP = /^\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/;

/** The relationships of trips that need no stop times. */
const WITHOUT_STOPS: ReadonlySet<TripDescriptor['schedule_relationship']> = new Set([
  'CANCELED',
  'DELETED',
  'DUPLICATED',
]);

const inSelectors = (alert: Alert, check: (trip: TripDescriptor) => number): number => {
  let count = 0;
  for (const { trip } of alert.informed_entity ?? []) if (trip) count += check(trip);
  return count;
};

/** A check of each trip that is named, in alerts too. */
const ofTrips = (check: (trip: TripDescriptor) => number): RuleChecks => ({
  ...ofRunningTrips(check),
  alert: (alert) => inSelectors(alert, check),
});

/** A check of the trips that are updated, or that a vehicle is on. */
function ofRunningTrips(check: (trip: TripDescriptor) => number): RuleChecks {
  return { tripUpdate: ({ trip }) => check(trip), vehicle: ({ trip }) => (trip ? check(trip) : 0) };
}

const withoutVehicle = ({ vehicle }: { readonly vehicle?: VehicleDescriptor }): number => once(!vehicle?.id);

const unrelated = ({ schedule_relationship: relationship }: { readonly schedule_relationship?: string }): number =>
  once(relationship === undefined);

const unrelatedInUpdate = ({ trip, stop_time_update: stops = [] }: TripUpdate): number => {
  let count = unrelated(trip);
  for (const stop of stops) count += unrelated(stop);
  return count;
};

/** Rules about the trips that are named, and the vehicles on them. */
export const tripRules: readonly Rule[] = [
  {
    id: 'E020',
    title: 'a start_time is not written as HH:MM:SS',
    severity: 'error',
    checks: ofTrips(({ start_time: time }) => once(time !== undefined && !TIME_OF_TRIP.test(time))),
  },
  {
    id: 'E021',
    title: 'a start_date is not written as YYYYMMDD',
    severity: 'error',
    checks: ofTrips(({ start_date: date }) => once(date !== undefined && !DATE_OF_TRIP.test(date))),
  },
  {
    id: 'E041',
    title: 'a trip update has no stop times, and its trip is not canceled',
    severity: 'error',
    checks: {
      tripUpdate: ({ trip, stop_time_update: stops = [] }) =>
        once(stops.length === 0 && !WITHOUT_STOPS.has(trip.schedule_relationship)),
    },
  },
  {
    id: 'W002',
    title: 'a trip update or vehicle position names no vehicle',
    severity: 'warning',
    checks: { tripUpdate: withoutVehicle, vehicle: withoutVehicle },
  },
  {
    id: 'W006',
    title: 'a trip has no trip_id',
    severity: 'warning',
    checks: ofRunningTrips(({ trip_id: id }) => once(!id)),
  },
  {
    id: 'W009',
    title: 'a schedule_relationship is missing',
    severity: 'warning',
    checks: { ...ofRunningTrips(unrelated), tripUpdate: unrelatedInUpdate },
  },
];
