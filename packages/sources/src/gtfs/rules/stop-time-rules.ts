import type { StopTimeEvent, StopTimeUpdate, TripUpdate } from '../feed-entities.ts';
import { once, type Rule, type RuleChecks } from './rule.ts';

type Stops = readonly StopTimeUpdate[];

const NONE: Stops = [];

/** A check of the stop times of a trip update, all of them. */
const ofStops = (check: (stops: Stops) => number): RuleChecks => ({
  tripUpdate: ({ stop_time_update: stops = NONE }: TripUpdate) => check(stops),
});

/** A check of each stop time. */
const ofEachStop = (check: (stop: StopTimeUpdate) => number): RuleChecks =>
  ofStops((stops) => {
    let count = 0;
    for (const stop of stops) count += check(stop);
    return count;
  });

/** A check of each stop time after the first, and the one before it. */
const ofEachPair = (check: (stop: StopTimeUpdate, before: StopTimeUpdate) => number): RuleChecks =>
  ofStops((stops) => {
    let count = 0;
    for (let index = 1; index < stops.length; index += 1) {
      count += check(stops[index] as StopTimeUpdate, stops[index - 1] as StopTimeUpdate);
    }
    return count;
  });

const isUnsorted = (stops: Stops): number => {
  let last = -1;
  let before: StopTimeUpdate | undefined;
  for (const stop of stops) {
    const { stop_sequence: sequence } = stop;
    if (sequence !== undefined) {
      if (sequence <= last) return 1;
      last = sequence;
      // Without numbers, that a stop comes after itself is all that can be told without a timetable.
    } else if (before && before.stop_sequence === undefined && stop.stop_id && stop.stop_id === before.stop_id) {
      return 1;
    }
    before = stop;
  }
  return 0;
};

/** How many of the times of a stop do not come after a time of the stops before it. */
const notIncreasing = (stops: Stops): number => {
  let arrived = Number.NEGATIVE_INFINITY;
  let departed = Number.NEGATIVE_INFINITY;
  let count = 0;
  for (const { arrival, departure } of stops) {
    const arrives = arrival?.time;
    const departs = departure?.time;
    if (arrives !== undefined) count += once(arrives <= arrived) + once(arrives <= departed);
    if (departs !== undefined) count += once(departs <= arrived) + once(departs <= departed);
    arrived = arrives ?? arrived;
    departed = departs ?? departed;
  }
  return count;
};

const departsBeforeArrival = ({ arrival, departure }: StopTimeUpdate): number =>
  once(arrival?.time !== undefined && departure?.time !== undefined && departure.time < arrival.time);

const untimedWithoutReason = ({ arrival, departure, schedule_relationship: relationship }: StopTimeUpdate): number =>
  once(!arrival && !departure && relationship !== 'SKIPPED' && relationship !== 'NO_DATA');

const saysNothing = (event: StopTimeEvent | undefined): number =>
  once(event !== undefined && event.delay === undefined && event.time === undefined);

const error = (id: string, title: string, checks: RuleChecks): Rule => ({ id, title, severity: 'error', checks });

/** Rules about the stop times of trip updates. */
export const stopTimeRules: readonly Rule[] = [
  error('E002', 'the stop times of a trip are not in the order of stop_sequence', ofStops(isUnsorted)),
  error('E022', 'the times of a trip do not increase from stop to stop', ofStops(notIncreasing)),
  error('E025', 'a departure is before the arrival at the same stop', ofEachStop(departsBeforeArrival)),
  error(
    'E036',
    'two stop times in a row have the same stop_sequence',
    ofEachPair(({ stop_sequence: sequence }, before) =>
      once(sequence !== undefined && sequence === before.stop_sequence),
    ),
  ),
  error(
    'E037',
    'two stop times in a row have the same stop_id',
    ofEachPair(({ stop_id: id }, before) => once(Boolean(id) && id === before.stop_id)),
  ),
  error(
    'E040',
    'a stop time has neither stop_id nor stop_sequence',
    ofEachStop(({ stop_id: id, stop_sequence: sequence }) => once(!id && sequence === undefined)),
  ),
  error(
    'E042',
    'a stop time says NO_DATA, and has an arrival or a departure',
    ofEachStop(({ arrival, departure, schedule_relationship: relationship }) =>
      relationship === 'NO_DATA' ? once(arrival !== undefined) + once(departure !== undefined) : 0,
    ),
  ),
  error('E043', 'a stop time has neither arrival nor departure', ofEachStop(untimedWithoutReason)),
  error(
    'E044',
    'an arrival or departure has neither delay nor time',
    ofEachStop(({ arrival, departure }) => saysNothing(arrival) + saysNothing(departure)),
  ),
];
