import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { createEntityIris } from '../../src/gtfs-rt/entity-iris.ts';
import type { TripDescriptor, VehiclePosition } from '../../src/gtfs-rt/feed-entities.ts';
import { createKeyReader, type KeyFields, type NaturalKey } from '../../src/gtfs-rt/natural-key.ts';
import { unknownText } from '../../src/gtfs-rt/unknown-text.ts';
import { UNKNOWN_FIELDS } from '../../src/gtfs-rt/wire-message.ts';

/** A trip with the extension of New York's subway. */
function subwayTrip(trainId: string): TripDescriptor {
  const bytes = new BinaryWriter().fork().tag(1, 2).string(trainId).tag(2, 0).bool(true).join().finish();
  return { trip_id: '044200_A..N', start_date: '20240208', [UNKNOWN_FIELDS]: [{ number: 1001, wireType: 2, bytes }] };
}

const [t, on] = ['t', '20240208'];

test.each<[id: string, trip: TripDescriptor, fields: KeyFields | undefined, key: NaturalKey | undefined]>([
  [
    'GTFS-8',
    { trip_id: t, start_date: on, start_time: '7', route_id: 'A' },
    undefined,
    { by: 'trips', parts: [t, on, '7'] },
  ],
  [
    'GTFS-13',
    { trip_id: t },
    undefined,
    { by: 'trips', parts: [t, undefined, undefined], fallback: 'trip-without-start-date' },
  ],
  [
    'GTFS-8',
    { trip_id: '', route_id: 'A', direction_id: 0, start_date: on },
    undefined,
    { by: 'routes', parts: ['A', '0', on, undefined], fallback: 'trip-by-route' },
  ],
  ['GTFS-13', { start_date: on }, undefined, undefined],
  ['GTFS-10', { trip_id: t, route_id: 'A' }, { trip: ['route_id', 'trip_id'] }, { by: 'trips', parts: ['A', t] }],
  ['GTFS-10', subwayTrip('1A 0725 RPK/207'), { trip: ['1001.1'] }, { by: 'trips', parts: ['1A 0725 RPK/207'] }],
  [
    'GTFS-13',
    { trip_id: t, start_date: on },
    { trip: ['1001.1'] },
    { by: 'trips', parts: [t, on, undefined], fallback: 'trip-by-default-key' },
  ],
])('%s the trip update of %j, keyed by %j, has the key %j', (_, trip, fields, key) => {
  expect(createKeyReader(fields)({ id: 'e', trip_update: { trip } }, 'trip_update')).toEqual(key);
});

const byTrip = { by: 'trips', parts: [t, on, undefined], fallback: 'vehicle-by-trip' } as const;

test.each<[id: string, vehicle: VehiclePosition, fields: KeyFields | undefined, key: NaturalKey | undefined]>([
  ['GTFS-8', { vehicle: { id: '4382' }, trip: { trip_id: t } }, undefined, { by: 'vehicles', parts: ['4382'] }],
  ...[{}, { vehicle: {} }, { vehicle: { id: '' } }, { vehicle: { label: '12' } }].map(
    (vehicle): [string, VehiclePosition, undefined, NaturalKey] => [
      'GTFS-8',
      { trip: { trip_id: t, start_date: on }, ...vehicle },
      undefined,
      byTrip,
    ],
  ),
  ['GTFS-10', { vehicle: { id: 'x', label: '12' } }, { vehicle: ['label'] }, { by: 'vehicles', parts: ['12'] }],
  ['GTFS-13', {}, undefined, undefined],
])('%s the vehicle position %j, keyed by %j, has the key %j', (_, vehicle, fields, key) => {
  expect(createKeyReader(fields)({ id: 'e', vehicle }, 'vehicle')).toEqual(key);
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
  expect(() => createKeyReader({ [kind]: [field] })).toThrow(expect.objectContaining({ code: 'ERR_KEY_FIELD' }));
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

const base = 'https://live.example.org/transit/';
const urls = { base, stream: `${base}vehicles` };
const iris = createEntityIris(urls);

const part = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
  fc.constantFrom('.', '..', '-', '~', '~2', '~~2', '~-', '~.', '%2E', 'a/b', 'position', '...', 'a', 'b'),
);
const key = fc.record({
  by: fc.constantFrom<NaturalKey['by']>('vehicles', 'trips', 'routes'),
  parts: fc
    .tuple(part, fc.array(fc.option(part, { nil: undefined }), { maxLength: 3 }))
    .map(([first, rest]) => [first, ...rest]),
  occurrence: fc.constantFrom(1, 2, 3),
});

// What is not set at the end of a key is nothing.
const canonical = ({ by, parts, occurrence }: { by: string; parts: (string | undefined)[]; occurrence: number }) =>
  JSON.stringify([by, parts.slice(0, parts.findLastIndex((value) => value !== undefined) + 1), occurrence]);

const step = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

test('GTFS-11 two keys have one IRI only if they are one key', () => {
  check(
    fc.property(key, key, (left, right) => {
      const same =
        iris.entity('trip_update', left, left.occurrence) === iris.entity('trip_update', right, right.occurrence);
      expect(same).toBe(canonical(left) === canonical(right));
    }),
    { numRuns: 2000 },
  );
});

test('GTFS-12 every IRI is absolute, in ASCII, and URL parsers leave it as it is', () => {
  check(
    fc.property(key, part, (one, id) => {
      const all = [
        iris.entity('vehicle', one, one.occurrence),
        iris.reference('stop', id),
        iris.tripInstance(id, one.parts[0] as string, one.parts[1]),
      ];
      for (const iri of all) {
        expect(iri).toMatch(/^https:\/\/live\.example\.org\/transit\/[A-Za-z0-9%/._~-]+$/);
        expect(iri).not.toMatch(step);
        expect(new URL(iri).href).toBe(iri);
      }
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['051050_E..S', 'id/trips/051050_E..S'],
  ['1.2024|3', 'id/trips/1.2024%7C3'],
  ['de:vvs:1', 'id/trips/de%3Avvs%3A1'],
  ['a b/c', 'id/trips/a%20b%2Fc'],
  ['土日', 'id/trips/%E5%9C%9F%E6%97%A5'],
  ['..', 'id/trips/~..'],
  ['.', 'id/trips/~.'],
  ['-', 'id/trips/~-'],
  ['~a', 'id/trips/~~a'],
])('GTFS-12 trip "%s" is <%s>', (id, path) => {
  expect(iris.reference('trip', id)).toBe(base + path);
});

test('GTFS-11 the IRIs of the entities say what their keys name', () => {
  expect(iris.entity('vehicle', { by: 'vehicles', parts: ['4382'] }, 1)).toBe(
    `${base}vehicles/entities/vehicles/4382/position`,
  );
  expect(iris.entity('vehicle', { by: 'trips', parts: ['a', undefined, '07:22:00'] }, 1)).toBe(
    `${base}vehicles/entities/trips/a/-/07%3A22%3A00/position`,
  );
  expect(iris.entity('trip_update', { by: 'trips', parts: ['124', '20231107', undefined] }, 1)).toBe(
    `${base}vehicles/entities/trips/124/20231107/update`,
  );
  expect(iris.entity('trip_update', { by: 'trips', parts: ['124', '20231107'] }, 2)).toBe(
    `${base}vehicles/entities/trips/124/20231107/~2/update`,
  );
  expect(iris.entity('trip_update', { by: 'routes', parts: ['L1', '0'] }, 1)).toBe(
    `${base}vehicles/entities/routes/L1/0/update`,
  );
  expect(iris.entity('alert', { by: 'alerts', parts: ['x'] }, 1)).toBe(`${base}vehicles/entities/alerts/x`);
  expect(iris.tripInstance('49195152', '20210902', undefined)).toBe(`${base}id/trips/49195152/20210902`);
});

test('GTFS-11 templates are configurable', () => {
  const own = createEntityIris(urls, { stop: 'https://data.example/stops/{id}', alert: '{+base}alerts{/key*}' });
  expect(own.reference('stop', 'a|b')).toBe('https://data.example/stops/a%7Cb');
  expect(own.entity('alert', { by: 'alerts', parts: ['x'] }, 1)).toBe(`${base}alerts/x`);
  expect(own.reference('route', '1')).toBe(`${base}id/routes/1`);
});

test.each(['{+base}stops', 'stops/{id}', '{id}', '{+base}stops/{stop}'])(
  'GTFS-11 the template %s, which makes no absolute IRI per id, is refused',
  (stop) => {
    expect(() => createEntityIris(urls, { stop })).toThrow(expect.objectContaining({ code: 'ERR_IRI_TEMPLATE' }));
  },
);

test('GTFS-11 an IRI is the same however many others came in between', () => {
  const first = iris.reference('stop', 'first');
  for (let id = 0; id <= 50_000; id += 1) iris.reference('stop', String(id));
  expect(iris.reference('stop', 'first')).toBe(first);
});
