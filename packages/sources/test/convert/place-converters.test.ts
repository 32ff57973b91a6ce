import { expect, test } from 'vitest';
import { converted } from './converting.ts';

test.each<[name: string, value: unknown, result: string]>([
  ['lat', '49.52211082686668', '49.52211082686668'],
  ['lat', -90, '-90'],
  ['lat', '90.000', '90.000'],
  ['lon', 180, '180'],
  ['lon', -179.5, '-179.5'],
  ['lon', 3e-7, '0.0000003'],
])('MAP-65 %s makes of %j %s', (name, value, result) => {
  expect(converted(name, value)).toBe(result);
});

test.each<[name: string, value: unknown]>([
  ['lat', 90.0000001],
  ['lat', '-91'],
  ['lon', 180.1],
  ['lon', -181],
  ['lon', '3° 43'],
])('MAP-65 %s does not take %j', (name, value) => {
  expect(converted(name, value)).toMatch(/^problem: /);
});

test.each<[value: unknown, argument: unknown, result: string]>([
  [[3.7259818626205483, 51.04202834988112], undefined, 'POINT (3.7259818626205483 51.04202834988112)'],
  [['3.70', '51'], 'lonlat', 'POINT (3.70 51)'],
  [[52.105031, 5.124464], 'latlon', 'POINT (5.124464 52.105031)'],
  [[52.1, 5.1], { order: 'latlon' }, 'POINT (5.1 52.1)'],
  [[3.7, 51, 12.5], undefined, 'POINT (3.7 51)'],
  [{ lon: 3.7, lat: 51 }, undefined, 'POINT (3.7 51)'],
  [{ latitude: 51, longitude: 3.7, altitude: 0 }, 'latlon', 'POINT (3.7 51)'],
])('MAP-66 point makes of %j (%j) %s', (value, argument, result) => {
  expect(converted('point', value, argument)).toBe(result);
});

test.each([
  [[3.7]],
  [[]],
  [[200, 51]],
  [[51, 91]],
  [['a', 51]],
  [[1, 2, 3, 4, 5]],
  [{ lat: 51 }],
  [[null, 51]],
  ['3.7 51'],
])('MAP-66 point does not take %j', (value) => {
  expect(converted('point', value)).toMatch(/^problem: /);
});

test('MAP-68 crs makes longitude and latitude, which point takes', () => {
  const degrees = converted('crs', ['413824.91185447818134', 5317088.866013217], 'EPSG:25832');
  expect(degrees).toEqual([7.84473153, 48.00128619]);
  expect(converted('point', degrees)).toBe('POINT (7.84473153 48.00128619)');
  expect(converted('crs', { x: 500000, y: 0 }, 'EPSG:32631')).toEqual([3, 0]);
});

test('MAP-67 geometry takes coordinates of another reference system', () => {
  const geometry = { type: 'Point', coordinates: [413824.911854478, 5317088.866013217] };
  expect(converted('geometry', geometry, { crs: 'urn:ogc:def:crs:EPSG::25832' })).toBe(
    'POINT (7.84473153 48.00128619)',
  );
  expect(converted('geometry', geometry)).toMatch(/^problem: a longitude from -180 to 180 degrees was expected$/);
});

test.each<[name: string, argument: unknown]>([
  ['point', 'yx'],
  ['point', { order: 'xy' }],
  ['geometry', { crs: 'EPSG:1' }],
  ['geometry', 'EPSG:25832'],
  ['crs', undefined],
  ['crs', 25832],
  ['lat', 1],
])('MAP-51 %s does not take the argument %j', (name, argument) => {
  expect(converted(name, [1, 2], argument)).toMatch(/^problem: /);
});
