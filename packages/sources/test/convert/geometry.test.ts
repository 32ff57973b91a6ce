import { expect, test } from 'vitest';
import { converted } from './converter-cases.ts';

const wkt = (geometry: unknown) => converted('geometry', geometry);
const toDegrees = (name: unknown, position: unknown) => converted('crs', position, name);
const ring = '[[0, 0], [1, 0], [1, 1], [0, 0]]';

test.each<[type: string, coordinates: string, text: string]>([
  ['Point', '[8.19944747, 48.86051666]', 'POINT (8.19944747 48.86051666)'],
  ['LineString', '[[0, -0.0], [1.5, 2, 99], [3e-7, -90]]', 'LINESTRING (0 0, 1.5 2, 0.0000003 -90)'],
  ['Polygon', `[${ring}]`, 'POLYGON ((0 0, 1 0, 1 1, 0 0))'],
  ['MultiPoint', '[[0, 0], [1, 1]]', 'MULTIPOINT ((0 0), (1 1))'],
  ['MultiLineString', '[[[0, 0], [1, 1]]]', 'MULTILINESTRING ((0 0, 1 1))'],
  ['MultiPolygon', `[[${ring}, ${ring}]]`, 'MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0), (0 0, 1 0, 1 1, 0 0)))'],
])('MAP-65 %s of %s', (type, coordinates, text) => {
  expect(wkt({ type, coordinates: JSON.parse(coordinates) })).toBe(text);
});

test('MAP-65 a collection has those of its geometries that have coordinates', () => {
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
])('MAP-65 %j is absent', (geometry) => {
  expect(wkt(geometry)).toBeUndefined();
});

const noCoordinates = {
  ...{
    Circle: ['[1, 2]'],
    constructor: ['[1, 2]'],
    Point: ['[1]', '[1, "north"]', '[1, 90.5]'],
    MultiPoint: ['[1, 2]'],
  },
  ...{ LineString: ['[[0, 0]]'], Polygon: ['[[[0, 0], [1, 0], [0, 0]]]', '[[[0, 0], [1, 0], [1, 1], [0, 1]]]'] },
};
const unlike = Object.entries(noCoordinates).flatMap(([type, all]) =>
  all.map((coordinates) => ({ type, coordinates: JSON.parse(coordinates) })),
);
const collections = [{ type: 'GeometryCollection' }, { type: 'GeometryCollection', geometries: [1] }];

test.each([null, 'POINT (1 2)', [1, 2], {}, { type: 'Point' }, ...collections, ...unlike])(
  'MAP-65 %j is no geometry',
  (geometry) => {
    expect(wkt(geometry)).toMatch(/^problem: .*expected/);
  },
);

test('MAP-81 collections of geometries nest as deep as their limit', () => {
  const nested = (depth: number): unknown =>
    depth === 1
      ? { type: 'Point', coordinates: [1, 2] }
      : { type: 'GeometryCollection', geometries: [nested(depth - 1)] };
  expect(wkt(nested(8))).toContain('POINT (1 2)');
  expect(wkt(nested(9))).toContain('fewer nested collections');
});

// East, north, longitude, latitude: calculated by PROJ 9 from the register of EPSG.
const registered = `
  31370 152198.1 176629.22 4.4 50.9, 3812 652196.98 676629.84 4.4 50.9, 28992 142173.07 456878.05 5.2 52.1,
  25832 414170.18 5316384.88 7.8495 47.995, 25833 391390.73 5817855.24 13.4 52.5,
  2154 652310.72 6862414.64 2.35 48.86, 3857 414108.51 6630142.91 3.72 51.05, 27700 434039.46 289239.28 -1.5 52.5,
  2056 2683186.29 1247156.74 8.54 47.37, 21781 683186.29 247156.74 8.54 47.37,
  31466 2562947.21 5674282.07 6.9 51.2, 31467 3513304.51 5404737.6 9.18 48.78,
  31468 4468105.75 5333641.64 11.57 48.14, 31469 5391482.28 5819737.59 13.4 52.5,
  31287 625676.78 482265.31 16.37 48.2, 3035 3881249.76 3123204.56 3.72 51.05, 2180 636640.47 483432.2 21.0 52.2,
  5514 -743011.72 -1043823.18 14.42 50.08, 3006 674079.26 6580798.39 18.06 59.33,
  3067 385700.42 6672126.74 24.94 60.17, 3763 -87579.33 -105903.69 -9.14 38.71, 4258 3.7 51.05 3.7 51.05,
  2193 1757803.57 5920305.34 174.77 -36.85, 3301 542567.81 6588254.2 24.75 59.43,
  3794 461307.14 101254.9 14.5 46.05, 3059 506082.93 311824.63 24.1 56.95, 3346 582524.03 6062260.64 25.28 54.69,
  32631 550467.51 5655631.71 3.72 51.05, 32733 816196.71 6241444.31 18.42 -33.92,
  25831 550467.51 5655631.71 3.72 51.05`;

test.each(
  registered.split(',').map((row) => row.trim().split(' ').map(Number) as [number, number, number, number, number]),
)('MAP-65 EPSG:%d has %d, %d at %d, %d, to a metre', (code, east, north, longitude, latitude) => {
  const [readLongitude, readLatitude] = toDegrees(`EPSG:${code}`, [east, north]) as [number, number];
  expect(Math.abs(readLongitude - longitude) * 111_320 * Math.cos((latitude * Math.PI) / 180)).toBeLessThan(1);
  expect(Math.abs(readLatitude - latitude) * 111_320).toBeLessThan(1);
});

const utm = 'EPSG:25832 epsg:25832 urn:ogc:def:crs:EPSG::25832 urn:ogc:def:crs:EPSG:9.8:25832'.split(' ');
utm.push('http://www.opengis.net/def/crs/EPSG/0/25832', '+proj=utm +zone=32 +ellps=GRS80 +units=m +no_defs');
const degrees = 'CRS84 EPSG:4326 urn:ogc:def:crs:OGC:1.3:CRS84 http://www.opengis.net/def/crs/OGC/1.3/CRS84'.split(' ');

test('MAP-65 a reference system has several names; in degrees, coordinates stay as they are, longitude first', () => {
  for (const name of utm) expect([name, toDegrees(name, [500000, 0])]).toEqual([name, [9, 0]]);
  for (const name of degrees) expect([name, toDegrees(name, [3.72, 51.05])]).toEqual([name, [3.72, 51.05]]);
});

const noSystems = '25832|EPSG:99999|EPSG:32600|EPSG:32661|EPSG:constructor|Lambert 72|+proj=nowhere'.split('|');

test.each([undefined, 25832, ...noSystems, '+proj=longlat +datum=WGS84 +nadgrids=grid.gsb'])(
  'MAP-1 %j names no reference system',
  (name) => {
    expect(toDegrees(name, [0, 0])).toMatch(/^problem: (a reference system|a definition|the definition)/);
  },
);

test.each([[[]], [[1]], [['a', 'b']], [[Number.NaN, 0]], [[1e30, 1e30]], ['1 2']])(
  'MAP-65 %j are no coordinates of it',
  (position) => {
    expect(toDegrees('EPSG:25832', position)).toMatch(/^problem: .*expected$/);
  },
);
