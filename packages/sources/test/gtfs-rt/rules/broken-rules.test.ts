import { expect, test } from 'vitest';
import { brokenRules } from '../../../src/gtfs-rt/rules/broken-rules.ts';
import { rules } from '../../../src/gtfs-rt/rules/rules.ts';
import {
  brokenBy,
  feedOf,
  NOW,
  STATED,
  STOPS,
  stops,
  TRIP,
  undone,
  updateEntity,
  vehicleEntity,
} from './judged-feed.ts';
import { ruleCases } from './rule-cases.ts';

test.each(ruleCases)('GTFS-51 %s is found, as often as it is broken, and not where it is kept', (...one) => {
  const [id, breaks, count, keeps, breaksAfter, keepsAfter] = one;
  expect(brokenBy(breaks, breaksAfter)[id]).toBe(count);
  expect(brokenBy(keeps, keepsAfter)).not.toHaveProperty(id);
});

test('GTFS-51 each rule has a feed that breaks it and one that keeps it', () => {
  expect([...new Set(ruleCases.map(([id]) => id))].sort()).toEqual(rules.map(({ id }) => id).sort());
});

test('GTFS-50 a feed that keeps every rule has no findings, with and without a feed before it', () => {
  expect(brokenBy(feedOf())).toEqual({});
  expect(brokenBy(feedOf(), { timestamp: STATED - 20 })).toEqual({});
  expect(brokenBy(feedOf([]))).toEqual({});
});

test('GTFS-50 each rule has an id of its own, the ids of the public validator among them', () => {
  const ids = rules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const errors = '01 02 12 17 18 20 21 22 25 26 27 31 32 33 36 37 38 39 40 41 42 43 44 47 48 49 50 52';
  const warnings = '1 2 3 4 6 7 8 9';
  for (const number of errors.split(' ')) expect(ids).toContain(`E0${number}`);
  for (const number of warnings.split(' ')) expect(ids).toContain(`W00${number}`);
  for (const { id, severity } of rules) {
    if (/^E\d/.test(id)) expect(severity).toBe('error');
    if (/^W\d/.test(id)) expect(severity).toBe('warning');
  }
});

test('GTFS-50 the rules tell the present only by what they are given, and change nothing', () => {
  const feed = feedOf([updateEntity({ stop_time_update: [...STOPS].reverse() }), vehicleEntity()]);
  const before = structuredClone(feed);
  expect(brokenRules(feed, { nowSeconds: NOW })).toEqual(brokenRules(feed, { nowSeconds: NOW }));
  expect(brokenRules(feed, { nowSeconds: NOW + 3600 })).toMatchObject({ W008: 1 });
  expect(feed).toEqual(before);
});

// What the validator reports of feeds with these defects.
test('GTFS-52 sixty vehicles on fifteen trips, named otherwise in the two kinds, count as the public validator counts', () => {
  const trip = (number: number) => ({ ...TRIP, trip_id: `t${number % 15}` });
  const numbers = Array.from({ length: 60 }, (_, number) => number);
  const feed = feedOf([
    ...numbers.map((number) => updateEntity({ trip: trip(number), vehicle: { id: `u${number}` } }, `u${number}`)),
    ...numbers.map((number) => vehicleEntity({ trip: trip(number + 7), vehicle: { id: `v${number}` } }, `v${number}`)),
  ]);
  expect(brokenBy(feed)).toEqual({ E047: 15, W003: 75 });
});

test('GTFS-52 times that go back, and stop times that say nothing, count as the public validator counts', () => {
  const back = stops(
    [1, { arrival: { time: NOW + 400 }, departure: { time: NOW + 300 } }],
    [2, { arrival: { time: NOW + 200 }, departure: { time: NOW + 600 } }],
  );
  expect(brokenBy(back)).toEqual({ E022: 2, E025: 1 });
  const empty = stops(
    [1, { arrival: { delay: 60 } }],
    [2],
    [3, { arrival: {} }],
    [4, { arrival: { delay: 60 }, departure: {} }],
    [5, { arrival: { delay: 60 }, schedule_relationship: 'NO_DATA' }],
    [6, { arrival: { delay: 60 }, stop_id: undone, stop_sequence: undone }],
  );
  expect(brokenBy(empty)).toEqual({ E040: 1, E042: 1, E043: 1, E044: 2 });
  expect(() => brokenBy(feedOf([], { gtfs_realtime_version: '3.0' }))).toThrow(/version "3\.0"/);
});
