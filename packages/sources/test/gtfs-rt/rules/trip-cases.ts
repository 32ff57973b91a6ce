import { alertEntity, feedOf, NOW, stop, TRIP, updateEntity, vehicleEntity } from './judged-feed.ts';
import { at, entities, type RuleCase, stops, undone } from './rule-case.ts';

const { trip_id: _id, ...WITHOUT_ID } = TRIP;
const { schedule_relationship: _relationship, ...WITHOUT_RELATIONSHIP } = TRIP;

/** Rules about trips and their stop times. */
export const tripCases: readonly RuleCase[] = [
  ['E002', 'stops in another order', stops([3, at(NOW)], [1, at(NOW + 9)]), 1, stops([1, at(NOW)], [3, at(NOW + 9)])],
  [
    'E002',
    'a stop after itself without numbers',
    stops([1, { ...at(NOW), stop_sequence: undone }], [1, { ...at(NOW + 9), stop_sequence: undone }]),
    1,
    stops([1, { ...at(NOW), stop_sequence: undone }], [2, { ...at(NOW + 9), stop_sequence: undone }]),
  ],
  [
    'E020',
    'a time without leading zeros',
    entities(updateEntity({ trip: { ...TRIP, start_time: '7:0:0' } })),
    1,
    entities(updateEntity({ trip: { ...TRIP, start_time: '25:10:00' } })),
  ],
  [
    'E020',
    'a time in an alert',
    entities(alertEntity({ informed_entity: [{ trip: { ...TRIP, start_time: '07:60:00' } }] })),
    1,
    entities(alertEntity({ informed_entity: [{ trip: { ...TRIP, start_time: '7:59:59' } }] })),
  ],
  [
    'E021',
    'a date with dashes',
    entities(vehicleEntity({ trip: { ...TRIP, start_date: '2023-11-14' } })),
    1,
    entities(vehicleEntity()),
  ],
  [
    'E021',
    'a month 13',
    entities(vehicleEntity({ trip: { ...TRIP, start_date: '20231314' } })),
    1,
    entities(vehicleEntity({ trip: { ...TRIP, start_date: '20231231' } })),
  ],
  [
    'E022',
    'an arrival at the time of the arrival before',
    stops([1, at(NOW)], [2, at(NOW)]),
    1,
    stops([1, at(NOW)], [2, at(NOW + 1)]),
  ],
  [
    'E022',
    'all times before those of the stop before the last',
    stops(
      [1, { arrival: { time: NOW }, departure: { time: NOW } }],
      [2],
      [3, { arrival: { time: NOW - 5 }, departure: { time: NOW - 4 } }],
    ),
    4,
    stops(
      [1, { arrival: { time: NOW }, departure: { time: NOW } }],
      [2],
      [3, { arrival: { time: NOW + 1 }, departure: { time: NOW + 2 } }],
    ),
  ],
  [
    'E025',
    'a departure before the arrival',
    stops([1, { arrival: { time: NOW }, departure: { time: NOW - 1 } }]),
    1,
    stops([1, { arrival: { time: NOW }, departure: { time: NOW } }]),
  ],
  [
    'E036',
    'a number twice',
    stops([1, at(NOW)], [1, { ...at(NOW + 9), stop_id: 's2' }]),
    1,
    stops([1, at(NOW)], [2, at(NOW + 9)]),
  ],
  [
    'E037',
    'a stop twice in a row',
    stops([1, at(NOW)], [2, { ...at(NOW + 9), stop_id: 's1' }]),
    1,
    stops([1, at(NOW)], [2, at(NOW + 9)], [3, { ...at(NOW + 19), stop_id: 's1' }]),
  ],
  [
    'E040',
    'neither stop nor number',
    stops([1, { ...at(NOW), stop_id: '', stop_sequence: undone }]),
    1,
    stops([0, { ...at(NOW), stop_id: '' }]),
  ],
  [
    'E041',
    'no stop',
    entities(updateEntity({ stop_time_update: [] })),
    1,
    entities(updateEntity({ stop_time_update: [], trip: { ...TRIP, schedule_relationship: 'CANCELED' } })),
  ],
  [
    'E042',
    'no data, with arrival and departure',
    stops([1, { arrival: { delay: 1 }, departure: { delay: 1 }, schedule_relationship: 'NO_DATA' }]),
    2,
    stops([1, { schedule_relationship: 'NO_DATA' }]),
  ],
  ['E043', 'neither arrival nor departure', stops([1]), 1, stops([1, { schedule_relationship: 'SKIPPED' }])],
  [
    'E044',
    'an arrival and a departure without anything',
    stops([1, { arrival: {}, departure: { uncertainty: 1 } }]),
    2,
    stops([1, { arrival: { delay: 0 }, departure: { time: NOW } }]),
  ],
  [
    'W002',
    'no vehicle, and one without an id',
    entities(updateEntity({ vehicle: undone }), vehicleEntity({ vehicle: { label: '7' } })),
    2,
    feedOf(),
  ],
  [
    'W006',
    'no trip id',
    feedOf([updateEntity({ trip: WITHOUT_ID }), vehicleEntity({ trip: { ...TRIP, trip_id: '' } })]),
    2,
    feedOf([updateEntity(), vehicleEntity({ trip: undone })]),
  ],
  [
    'W009',
    'no relationship of trips and stops',
    feedOf([
      updateEntity({
        trip: WITHOUT_RELATIONSHIP,
        stop_time_update: [stop(1, { ...at(NOW), schedule_relationship: undone })],
      }),
      vehicleEntity({ trip: WITHOUT_RELATIONSHIP }),
    ]),
    3,
    feedOf(),
  ],
];
