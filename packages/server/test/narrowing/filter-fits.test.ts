import { expect, test } from 'vitest';
import { boxHas } from '../../src/push/narrowing/box-has.ts';
import { fits } from '../../src/push/narrowing/filter-fits.ts';
import { at, ended, entityOf, filterOf, typeOf, upsert } from './packets.ts';

const box = (west: number, south: number, east: number, north: number) => ({ west, south, east, north });

test('PUSH-24 a box has what is in it, edges included, and nothing else', () => {
  const brussels = box(4, 50, 5, 51);
  for (const inside of [at(4.5, 50.5), at(4, 50), at(5, 51), at(4, 51), at(5, 50)]) {
    expect(boxHas(brussels, inside)).toBe(true);
  }
  for (const outside of [at(3.999, 50.5), at(5.001, 50.5), at(4.5, 49.999), at(4.5, 51.001), at(-4.5, 50.5)]) {
    expect(boxHas(brussels, outside)).toBe(false);
  }
});

test('PUSH-24 a box whose west is above its east reaches across the antimeridian', () => {
  const fiji = box(177, -20, -178, -15);
  for (const inside of [at(177, -18), at(179.9, -18), at(180, -18), at(-180, -18), at(-178, -18)]) {
    expect(boxHas(fiji, inside)).toBe(true);
  }
  for (const outside of [at(176.9, -18), at(-177.9, -18), at(0, -18), at(180, -21)]) {
    expect(boxHas(fiji, outside)).toBe(false);
  }
});

test('PUSH-24 the antimeridian is one line, and a pole one point', () => {
  expect(boxHas(box(170, 0, 180, 1), at(-180, 0))).toBe(true);
  expect(boxHas(box(-180, 0, -170, 1), at(180, 0))).toBe(true);
  expect(boxHas(box(170, 0, 179, 1), at(-180, 0))).toBe(false);
  expect(boxHas(box(10, 80, 20, 90), at(-100, 90))).toBe(true);
  expect(boxHas(box(10, -90, 20, -80), at(-100, -90))).toBe(true);
  expect(boxHas(box(10, 80, 20, 89), at(-100, 90))).toBe(false);
});

test('PUSH-20 of each kind any one will do, and of the kinds that are given all have to fit', () => {
  const filter = filterOf([
    ['entity', entityOf(1)],
    ['entity', entityOf(2)],
    ['type', typeOf('Bus')],
    ['type', typeOf('Tram')],
    ['bbox', '0,0,1,1'],
    ['bbox', '10,10,11,11'],
  ]);
  const bus = [typeOf('Vehicle'), typeOf('Bus')];
  expect(fits(filter, upsert(1, at(0.5, 0.5), bus), 'nowhere')).toBe(true);
  expect(fits(filter, upsert(2, at(10.5, 10.5), [typeOf('Tram')]), 'nowhere')).toBe(true);
  expect(fits(filter, upsert(3, at(0.5, 0.5), bus), 'nowhere')).toBe(false);
  expect(fits(filter, upsert(1, at(0.5, 0.5), [typeOf('Vehicle')]), 'nowhere')).toBe(false);
  expect(fits(filter, upsert(1, at(5, 5), bus), 'nowhere')).toBe(false);
  expect(fits(filter, upsert(1, undefined, bus), 'nowhere')).toBe(false);
});

test('PUSH-20 an end says neither type nor place: it fits these, and not another entity', () => {
  expect(fits(filterOf([['type', typeOf('Bus')]]), ended(1), 'nowhere')).toBe(true);
  expect(fits(filterOf('bbox=0,0,1,1'), ended(1), at(5, 5))).toBe(true);
  expect(fits(filterOf([['entity', entityOf(2)]]), ended(1), 'unknown')).toBe(false);
  expect(fits(filterOf([['entity', entityOf(1)]]), ended(1), 'unknown')).toBe(true);
});

test('PUSH-24 what was in a box, or may have been, is told of when it is elsewhere', () => {
  const filter = filterOf('bbox=0,0,1,1');
  expect(fits(filter, upsert(1, at(5, 5)), at(0.5, 0.5))).toBe(true);
  expect(fits(filter, upsert(1), at(0.5, 0.5))).toBe(true);
  expect(fits(filter, upsert(1, at(5, 5)), 'unknown')).toBe(true);
  expect(fits(filter, upsert(1), 'unknown')).toBe(true);
  expect(fits(filter, upsert(1, at(5, 5)), at(6, 6))).toBe(false);
  expect(fits(filter, upsert(1, at(5, 5)), 'nowhere')).toBe(false);
  expect(fits(filter, upsert(1), undefined)).toBe(false);
});
