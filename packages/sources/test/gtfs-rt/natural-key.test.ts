import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { isStreamError } from '@ldes-live/rdf-stream';
import { describe, expect, test } from 'vitest';
import type { TripDescriptor, VehiclePosition } from '../../src/gtfs-rt/feed-entities.ts';
import { createKeyReader, type KeyFields } from '../../src/gtfs-rt/natural-key.ts';
import { unknownText } from '../../src/gtfs-rt/unknown-text.ts';
import { UNKNOWN_FIELDS } from '../../src/gtfs-rt/wire-message.ts';

const tripKey = (trip: TripDescriptor, fields?: KeyFields) =>
  createKeyReader(fields)({ id: 'e', trip_update: { trip } }, 'trip_update');
const positionKey = (vehicle: VehiclePosition, fields?: KeyFields) =>
  createKeyReader(fields)({ id: 'e', vehicle }, 'vehicle');

/** A trip with the extension of New York's subway. */
function subwayTrip(trainId: string): TripDescriptor {
  const bytes = new BinaryWriter().fork().tag(1, 2).string(trainId).tag(2, 0).bool(true).join().finish();
  return { trip_id: '044200_A..N', start_date: '20240208', [UNKNOWN_FIELDS]: [{ number: 1001, wireType: 2, bytes }] };
}

describe('a trip update', () => {
  test('GTFS-8 is keyed by trip, date and time', () => {
    expect(tripKey({ trip_id: 't', start_date: '20240208', start_time: '07:22:00', route_id: 'A' })).toEqual({
      by: 'trips',
      parts: ['t', '20240208', '07:22:00'],
    });
  });

  test('GTFS-13 without a date it is keyed all the same, and that is said', () => {
    expect(tripKey({ trip_id: 't' })).toEqual({
      by: 'trips',
      parts: ['t', undefined, undefined],
      fallback: 'trip-without-start-date',
    });
  });

  test('GTFS-8 without a trip it is keyed by route, direction, date and time', () => {
    expect(tripKey({ trip_id: '', route_id: 'A', direction_id: 0, start_date: '20240208' })).toEqual({
      by: 'routes',
      parts: ['A', '0', '20240208', undefined],
      fallback: 'trip-by-route',
    });
  });

  test('GTFS-13 without trip and route it has no key', () => {
    expect(tripKey({ start_date: '20240208' })).toBeUndefined();
  });

  test('GTFS-10 is keyed by the fields that are configured', () => {
    expect(tripKey({ trip_id: 't', route_id: 'A' }, { trip: ['route_id', 'trip_id'] })).toEqual({
      by: 'trips',
      parts: ['A', 't'],
    });
  });

  test('GTFS-10 is keyed by a path into an extension', () => {
    expect(tripKey(subwayTrip('1A 0725 RPK/207'), { trip: ['1001.1'] })).toEqual({
      by: 'trips',
      parts: ['1A 0725 RPK/207'],
    });
  });

  test('GTFS-13 without the configured fields it is keyed by the default, and that is said', () => {
    expect(tripKey({ trip_id: 't', start_date: '20240208' }, { trip: ['1001.1'] })).toEqual({
      by: 'trips',
      parts: ['t', '20240208', undefined],
      fallback: 'trip-by-default-key',
    });
  });
});

describe('a vehicle position', () => {
  test('GTFS-8 is keyed by vehicle', () => {
    expect(positionKey({ vehicle: { id: '4382' }, trip: { trip_id: 't' } })).toEqual({
      by: 'vehicles',
      parts: ['4382'],
    });
  });

  test.each([undefined, {}, { id: '' }, { label: '12' }])('GTFS-8 with vehicle %j it is keyed by trip', (vehicle) => {
    const trip = { trip_id: 't', start_date: '20240208' };
    expect(positionKey(vehicle === undefined ? { trip } : { trip, vehicle })).toEqual({
      by: 'trips',
      parts: ['t', '20240208', undefined],
      fallback: 'vehicle-by-trip',
    });
  });

  test('GTFS-10 is keyed by the configured fields of the vehicle', () => {
    expect(positionKey({ vehicle: { id: 'x', label: '12' } }, { vehicle: ['label'] })).toEqual({
      by: 'vehicles',
      parts: ['12'],
    });
  });

  test('GTFS-13 without vehicle and trip it has no key', () => {
    expect(positionKey({})).toBeUndefined();
  });
});

test('GTFS-8 other kinds are keyed by their own id', () => {
  const entity = { id: 'e', shape: { shape_id: 's' }, stop: { stop_id: 'p' }, alert: {}, trip_modifications: {} };
  const key = createKeyReader();
  expect(key(entity, 'alert')).toEqual({ by: 'alerts', parts: ['e'] });
  expect(key(entity, 'shape')).toEqual({ by: 'shapes', parts: ['s'] });
  expect(key(entity, 'stop')).toEqual({ by: 'stops', parts: ['p'] });
  expect(key(entity, 'trip_modifications')).toEqual({ by: 'trip-modifications', parts: ['e'] });
  expect(key({ id: '', shape: {}, alert: {} }, 'shape')).toBeUndefined();
  expect(key({ id: '', shape: {}, alert: {} }, 'alert')).toBeUndefined();
});

test.each([
  ['trip', 'tripId'],
  ['trip', 'modified_trip'],
  ['trip', 'license_plate'],
  ['trip', '1001.'],
  ['vehicle', 'trip_id'],
])('GTFS-10 a key of %s by "%s", which is no field of it, is refused', (kind, field) => {
  let code: unknown;
  try {
    createKeyReader({ [kind]: [field] });
  } catch (error) {
    code = isStreamError(error) ? error.code : error;
  }
  expect(code).toBe('ERR_KEY_FIELD');
});

test('GTFS-10 a path that leads nowhere, or through what is no message, is a field that is not set', () => {
  const trip = subwayTrip('x');
  expect(unknownText(trip, [1001, 1])).toBe('x');
  expect(unknownText(trip, [1002])).toBeUndefined();
  expect(unknownText(trip, [1001, 3])).toBeUndefined();
  expect(unknownText(trip, [1001, 2])).toBeUndefined();
  expect(unknownText(trip, [1001, 3, 1])).toBeUndefined();
  expect(unknownText(subwayTrip('\x07\x07'), [1001, 1, 1])).toBeUndefined();
  expect(unknownText({}, [1001, 1])).toBeUndefined();
});
