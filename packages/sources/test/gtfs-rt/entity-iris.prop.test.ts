import { isStreamError } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { createEntityIris } from '../../src/gtfs-rt/entity-iris.ts';
import type { NaturalKey } from '../../src/gtfs-rt/natural-key.ts';

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
    let code: unknown;
    try {
      createEntityIris(urls, { stop });
    } catch (error) {
      code = isStreamError(error) ? error.code : error;
    }
    expect(code).toBe('ERR_IRI_TEMPLATE');
  },
);

test('GTFS-11 an IRI is the same however many others came in between', () => {
  const first = iris.reference('stop', 'first');
  for (let id = 0; id <= 50_000; id += 1) iris.reference('stop', String(id));
  expect(iris.reference('stop', 'first')).toBe(first);
});
