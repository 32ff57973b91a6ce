import { literal, xsd } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { endsBefore, type Interval, intersection, mayHold, relationInterval } from '../../src/tree/bounds.ts';
import { orderSpan } from '../../src/tree/order-value.ts';
import { relationTypes } from '../../src/tree/tree-terms.ts';

const HOUR = 3_600_000;
const span = (value: string, datatype: string = xsd.dateTime) => orderSpan(literal(value, datatype));
const type = (name: string) => xsd.dateTime.replace('dateTime', name);

test.each([
  ['2026-01-01T00:00:00Z', 'dateTime', Date.UTC(2026, 0), 0, false],
  ['2026-01-01T00:00:00.1234567Z', 'dateTime', Date.UTC(2026, 0) + 123.4567, 0, false],
  ['2026-01-01T02:00:00+02:00', 'dateTime', Date.UTC(2026, 0), 0, false],
  ['2025-12-31T18:30:00-05:30', 'dateTime', Date.UTC(2026, 0), 0, false],
  ['2026-01-01T00:00:00', 'dateTime', Date.UTC(2026, 0), 0, true],
  ['2026-01-01', 'date', Date.UTC(2026, 0), 24 * HOUR, true],
  ['2026-01-01Z', 'date', Date.UTC(2026, 0), 24 * HOUR, false],
  ['2026-02', 'gYearMonth', Date.UTC(2026, 1), 28 * 24 * HOUR, true],
  ['2026', 'gYear', Date.UTC(2026, 0), 365 * 24 * HOUR, true],
  ['2026', 'integer', 2026, 0, false],
  ['-1.5', 'decimal', -1.5, 0, false],
])('READ-12 %s as xsd:%s has its place', (value, name, start, length, isZoneless) => {
  const found = span(value, type(name));
  expect(found?.start).toBeCloseTo(start, 2);
  expect((found?.end ?? 0) - (found?.start ?? 0)).toBe(length);
  expect(found?.isZoneless).toBe(isZoneless);
});

test.each(['', 'yesterday', '2026', '2026-13-45', '12:00:00', 'P1D'])('READ-12 "%s" has no place', (value) => {
  expect(span(value, xsd.string)?.start ?? Number.NaN).toBeOneOf([Number.NaN, Date.UTC(2026, 12, 45)]);
  expect(orderSpan(undefined)).toBeUndefined();
});

const KINDS = {
  GreaterThan: (value: number, bound: number) => value > bound,
  GreaterThanOrEqualTo: (value: number, bound: number) => value >= bound,
  LessThan: (value: number, bound: number) => value < bound,
  LessThanOrEqualTo: (value: number, bound: number) => value <= bound,
  EqualTo: (value: number, bound: number) => value === bound,
};
const instants = fc.integer({ min: -5, max: 5 });
const at = (value: number) => ({ start: value, end: value, isZoneless: false });

test('READ-12 no page is left out that may hold a member which is asked for', () => {
  const relations = fc.array(fc.tuple(fc.constantFrom(...(Object.keys(KINDS) as (keyof typeof KINDS)[])), instants), {
    maxLength: 3,
  });
  check(
    fc.property(relations, instants, instants, instants, (stated, value, after, before) => {
      const intervals = stated.map(([kind, bound]) => relationInterval(relationTypes[kind], [at(bound)]));
      const all = intervals.reduce<Interval>(intersection, relationInterval('none', []));
      const isHeld = stated.every(([kind, bound]) => KINDS[kind](value, bound));
      if (isHeld && value >= after && value < before) expect(mayHold(all, after, before)).toBe(true);
      if (isHeld && value >= after) expect(endsBefore(all, after)).toBe(false);
    }),
  );
});

test('READ-12 a page between two values is left out beyond them', () => {
  const between = relationInterval(relationTypes.InBetween, [at(3), at(1)]);
  expect(mayHold(between, 1, 2)).toBe(true);
  expect(mayHold(between, 3, 9)).toBe(true);
  expect(mayHold(between, 4, 9)).toBe(false);
  expect(mayHold(between, 0, 1)).toBe(false);
});

test('READ-12 a day reaches to its end', () => {
  const day = [span('2026-01-02Z', type('date'))!];
  const noon = Date.UTC(2026, 0, 2, 12);
  const hold = (kind: keyof typeof relationTypes) =>
    mayHold(relationInterval(relationTypes[kind], day), noon, noon + 1);
  expect(hold('LessThanOrEqualTo')).toBe(true);
  expect(hold('LessThan')).toBe(false);
  expect(hold('EqualTo')).toBe(true);
  expect(hold('GreaterThan')).toBe(true);
});

test('READ-12 a time without zone leaves out only what is out in every zone', () => {
  const upTo = relationInterval(relationTypes.LessThan, [span('2026-01-01T00:00:00')!]);
  const midnight = Date.UTC(2026, 0);
  expect(mayHold(upTo, midnight + 13 * HOUR, Number.POSITIVE_INFINITY)).toBe(true);
  expect(mayHold(upTo, midnight + 14 * HOUR, Number.POSITIVE_INFINITY)).toBe(false);
});
