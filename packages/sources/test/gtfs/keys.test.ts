import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { TripDescriptor, VehiclePosition } from '../../src/gtfs/generated/gtfs-realtime.ts';
import { createEntityIris, createKeyReader, type KeyFields, type NaturalKey } from '../../src/gtfs/keys.ts';
import { UNKNOWN_FIELDS } from '../../src/gtfs/messages.ts';

/** A trip with the extension of New York's subway. */
function subwayTrip(trainId: string): TripDescriptor {
  const bytes = new BinaryWriter().fork().tag(1, 2).string(trainId).tag(2, 0).bool(true).join().finish();
  return { trip_id: '044200_A..N', start_date: '20240208', [UNKNOWN_FIELDS]: [{ number: 1001, wireType: 2, bytes }] };
}

const [t, on] = ['t', '20240208'];

const key = (by: NaturalKey['by'], parts: (string | undefined)[], fallback?: string): NaturalKey =>
  fallback === undefined ? { by, parts } : { by, parts, fallback };
const whole = { trip_id: t, start_date: on };
const routed = { trip_id: '', route_id: 'A', direction_id: 0, start_date: on };

test.each<[id: string, trip: TripDescriptor, fields: KeyFields['trip'], key: NaturalKey | undefined]>([
  ['GTFS-8', { ...whole, start_time: '7', route_id: 'A' }, undefined, key('trips', [t, on, '7'])],
  ['GTFS-8', { trip_id: t }, undefined, key('trips', [t, undefined, undefined], 'trip-without-start-date')],
  ['GTFS-8', routed, undefined, key('routes', ['A', '0', on, undefined], 'trip-by-route')],
  ['GTFS-8', { start_date: on }, undefined, undefined],
  ['GTFS-10', { trip_id: t, route_id: 'A' }, ['route_id', 'trip_id'], key('trips', ['A', t])],
  ['GTFS-10', subwayTrip('1A 0725 RPK/207'), ['1001.1'], key('trips', ['1A 0725 RPK/207'])],
  ['GTFS-8', whole, ['1001.1'], key('trips', [t, on, undefined], 'trip-by-default-key')],
])('%s the trip update of %j, keyed by %j, has the key %j', (_, trip, fields, key) => {
  expect(createKeyReader(fields && { trip: fields })({ id: 'e', trip_update: { trip } }, 'trip_update')).toEqual(key);
});

const byTrip = key('trips', [t, on, undefined], 'vehicle-by-trip');

test.each<[id: string, vehicle: VehiclePosition, fields: KeyFields | undefined, key: NaturalKey | undefined]>([
  ['GTFS-8', { vehicle: { id: '4382' }, trip: { trip_id: t } }, undefined, key('vehicles', ['4382'])],
  ['GTFS-8', { trip: whole }, undefined, byTrip],
  ['GTFS-8', { trip: whole, vehicle: {} }, undefined, byTrip],
  ['GTFS-8', { trip: whole, vehicle: { id: '' } }, undefined, byTrip],
  ['GTFS-8', { trip: whole, vehicle: { label: '12' } }, undefined, byTrip],
  ['GTFS-10', { vehicle: { id: 'x', label: '12' } }, { vehicle: ['label'] }, key('vehicles', ['12'])],
  ['GTFS-8', {}, undefined, undefined],
])('%s the vehicle position %j, keyed by %j, has the key %j', (_, vehicle, fields, key) => {
  expect(createKeyReader(fields)({ id: 'e', vehicle }, 'vehicle')).toEqual(key);
});

test('GTFS-8 other kinds are keyed by their own id', () => {
  const read = createKeyReader();
  // Their keys in RDF are tested with their quads.
  for (const kind of ['shape', 'alert'] as const) expect(read({ id: '', shape: {}, alert: {} }, kind)).toBeUndefined();
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
  const partAt = (path: string, trip: TripDescriptor) =>
    createKeyReader({ trip: [path] })({ id: 'e', trip_update: { trip } }, 'trip_update')?.parts[0];
  const { trip_id, ...unnamed } = subwayTrip('x');
  expect(partAt('1001.1', unnamed)).toBe('x');
  for (const path of ['1002', '1001.3', '1001.2', '1001.3.1']) expect(partAt(path, unnamed)).toBeUndefined();
  expect(partAt('1001.1.1', { ...subwayTrip('\x07\x07'), trip_id: '' })).toBeUndefined();
  expect(partAt('1001.1', {})).toBeUndefined();
});

const base = 'https://live.example.org/transit/';
const urls = { base, stream: `${base}vehicles` };
const iris = createEntityIris(urls);

const part = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
  fc.constantFrom('.', '..', '-', '~', '~2', '~~2', '~-', '~.', '%2E', 'a/b', 'position', '...', 'a', 'b'),
);
const anyKey = fc.record({
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
    fc.property(anyKey, anyKey, (left, right) => {
      const same =
        iris.entity('trip_update', left, left.occurrence) === iris.entity('trip_update', right, right.occurrence);
      expect(same).toBe(canonical(left) === canonical(right));
    }),
    { numRuns: 2000 },
  );
});

test('GTFS-12 every IRI is absolute, in ASCII, and URL parsers leave it as it is', () => {
  check(
    fc.property(anyKey, part, (one, id) => {
      const all = [
        iris.entity('vehicle', one, one.occurrence),
        iris.reference('stop', id),
        iris.tripInstance(id, one.parts[0] as string, one.parts[1]),
      ];
      for (const iri of all) {
        expect(iri).toMatch(/^https:\/\/live\.example\.org\/transit\/[A-Za-z0-9%/._~#-]+$/);
        expect(iri).not.toMatch(step);
        expect(new URL(iri).href).toBe(iri);
      }
    }),
    { numRuns: 500 },
  );
});

test.each(
  Object.entries({
    ...{ '051050_E..S': '051050_E..S', '1.2024|3': '1.2024%7C3', 'de:vvs:1': 'de%3Avvs%3A1', 'a b/c': 'a%20b%2Fc' },
    ...{ 土日: '%E5%9C%9F%E6%97%A5', '..': '~..', '.': '~.', '-': '~-', '~a': '~~a' },
  }),
)('GTFS-12 trip "%s" is <#trips/%s>', (id, path) => {
  expect(iris.reference('trip', id)).toBe(`${base}#trips/${path}`);
});

test.each<[kind: Parameters<typeof iris.entity>[0], key: NaturalKey, occurrence: number, path: string]>([
  ['vehicle', key('trips', ['a', undefined, '07:22:00']), 1, 'trips/a/-/07%3A22%3A00/vehicle'],
  ['trip_update', key('trips', ['124', '20231107', undefined]), 1, 'trips/124/20231107/update'],
  ['trip_update', key('trips', ['124', '20231107']), 2, 'trips/124/20231107/~2/update'],
  ['trip_update', key('routes', ['L1', '0']), 1, 'routes/L1/0/update'],
  ['vehicle', key('trips', ['124', '20231107']), 2, 'trips/124/20231107/~2/vehicle'],
])('GTFS-11 the IRI of the entity of %s by %j (%s) is %s', (kind, key, occurrence, path) => {
  expect(iris.entity(kind, key, occurrence)).toBe(`${base}vehicles/entities/${path}`);
});

test('GTFS-11 templates are configurable', () => {
  const own = createEntityIris(urls, { stop: 'https://data.example/stops/{id}', alert: '{+base}alerts{/key*}' });
  expect(own.reference('stop', 'a|b')).toBe('https://data.example/stops/a%7Cb');
  expect(own.entity('alert', { by: 'alerts', parts: ['x'] }, 1)).toBe(`${base}alerts/x`);
  expect(own.reference('route', '1')).toBe(`${base}#routes/1`);
  const short = createEntityIris(urls, { stop: 'https://data.example/stops/{id:3}' });
  expect(short.reference('stop', 'ab\u{1f68b}c')).toBe('https://data.example/stops/ab%F0%9F%9A%8B');
  expect(iris.tripInstance('49195152', '20210902', undefined)).toBe(`${base}#trips/49195152/20210902`);
});

test.each(['{+base}stops', 'stops/{id}', '{id}', '{+base}stops/{stop}', '{+base}{id}/{stop}', '{+base}{id'])(
  'GTFS-11 the template %s, which makes no absolute IRI per id, is refused',
  (stop) => {
    expect(() => createEntityIris(urls, { stop })).toThrow(expect.objectContaining({ code: 'ERR_IRI_TEMPLATE' }));
  },
);
