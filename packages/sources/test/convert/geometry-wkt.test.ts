import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { geometryWkt, LIMIT_GEOMETRY_DEPTH } from '../../src/convert/geometry-wkt.ts';
import { positionText } from '../../src/convert/position.ts';

const wkt = (geometry: unknown) => geometryWkt(geometry, positionText);
const ring = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
];

test.each<[type: string, coordinates: unknown, text: string]>([
  ['Point', [8.19944747, 48.86051666], 'POINT (8.19944747 48.86051666)'],
  [
    'LineString',
    [
      [0, 0],
      [1.5, 2, 99],
    ],
    'LINESTRING (0 0, 1.5 2)',
  ],
  ['Polygon', [ring], 'POLYGON ((0 0, 1 0, 1 1, 0 0))'],
  [
    'MultiPoint',
    [
      [0, 0],
      [1, 1],
    ],
    'MULTIPOINT ((0 0), (1 1))',
  ],
  [
    'MultiLineString',
    [
      [
        [0, 0],
        [1, 1],
      ],
    ],
    'MULTILINESTRING ((0 0, 1 1))',
  ],
  ['MultiPolygon', [[ring, ring]], 'MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0), (0 0, 1 0, 1 1, 0 0)))'],
])('MAP-67 %s of %j', (type, coordinates, text) => {
  expect(wkt({ type, coordinates })).toBe(text);
});

test('MAP-67 a collection has those of its geometries that have coordinates', () => {
  const point = { type: 'Point', coordinates: [1, 2] };
  const geometries = [point, { type: 'Point', coordinates: [] }, { type: 'GeometryCollection', geometries: [point] }];
  expect(wkt({ type: 'GeometryCollection', geometries })).toBe(
    'GEOMETRYCOLLECTION (POINT (1 2), GEOMETRYCOLLECTION (POINT (1 2)))',
  );
});

test.each([
  { type: 'Point', coordinates: [] },
  { type: 'MultiPolygon', coordinates: [] },
  { type: 'GeometryCollection', geometries: [] },
])('MAP-67 %j is absent', (geometry) => {
  expect(wkt(geometry)).toBeUndefined();
});

test.each([
  null,
  'POINT (1 2)',
  [1, 2],
  {},
  { type: 'Circle', coordinates: [1, 2] },
  { type: 'constructor', coordinates: [1, 2] },
  { type: 'Point' },
  { type: 'Point', coordinates: [1] },
  { type: 'Point', coordinates: [1, 'north'] },
  { type: 'Point', coordinates: [1, 90.5] },
  { type: 'LineString', coordinates: [[0, 0]] },
  {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [1, 0],
        [0, 0],
      ],
    ],
  },
  {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ],
    ],
  },
  { type: 'MultiPoint', coordinates: [1, 2] },
  { type: 'GeometryCollection' },
  { type: 'GeometryCollection', geometries: [1] },
])('MAP-67 %j is no geometry', (geometry) => {
  expect(() => wkt(geometry)).toThrow(/expected/);
});

test('MAP-81 collections of geometries nest as deep as their limit', () => {
  const nested = (depth: number): unknown =>
    depth === 1
      ? { type: 'Point', coordinates: [1, 2] }
      : { type: 'GeometryCollection', geometries: [nested(depth - 1)] };
  expect(wkt(nested(LIMIT_GEOMETRY_DEPTH))).toContain('POINT (1 2)');
  expect(() => wkt(nested(LIMIT_GEOMETRY_DEPTH + 1))).toThrow('fewer nested collections');
});

test('MAP-67 every number of the text is a finite decimal in range, as in the geometry', () => {
  const position = fc.tuple(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.double({ min: -90, max: 90, noNaN: true }),
  );
  const line = fc.array(position, { minLength: 2, maxLength: 20 });
  check(
    fc.property(line, (coordinates) => {
      const text = wkt({ type: 'LineString', coordinates }) as string;
      const [, inner = ''] = /^LINESTRING \((.*)\)$/.exec(text) ?? [];
      expect(inner).toMatch(/^-?\d+(\.\d+)? -?\d+(\.\d+)?(, -?\d+(\.\d+)? -?\d+(\.\d+)?)+$/);
      const read = inner.split(', ').map((pair) => pair.split(' ').map((number) => Number(number) + 0));
      expect(read).toEqual(coordinates.map((pair) => pair.map((number) => number + 0)));
    }),
  );
});
