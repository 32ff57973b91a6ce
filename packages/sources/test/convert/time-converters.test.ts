import { expect, test } from 'vitest';
import { converted } from './converting.ts';

test.each<[name: string, value: unknown, result: string]>([
  ['epoch', 1691427600, '2023-08-07T17:00:00Z'],
  ['epoch', '1691427600', '2023-08-07T17:00:00Z'],
  ['epoch', 1691427600.25, '2023-08-07T17:00:00.250Z'],
  ['epoch', '1691427600.9999', '2023-08-07T17:00:01Z'],
  ['epoch', 0, '1970-01-01T00:00:00Z'],
  ['epoch', -1, '1969-12-31T23:59:59Z'],
  ['epoch', -62135596800, '0001-01-01T00:00:00Z'],
  ['epoch', 253402300799, '9999-12-31T23:59:59Z'],
  ['epochMs', '1740651467085', '2025-02-27T10:17:47.085Z'],
  ['epochMs', 1740651467000, '2025-02-27T10:17:47Z'],
])('MAP-59 %s makes of %j %s', (name, value, result) => {
  expect(converted(name, value)).toBe(result);
});

test.each<[name: string, value: unknown]>([
  ['epoch', -62135596801],
  ['epoch', 253402300800],
  ['epoch', 1740651467085],
  ['epoch', '2023-08-07'],
  ['epoch', true],
  ['epochMs', 253402300800000],
  ['epochMs', '1e300'],
])('MAP-59 %s does not take %j', (name, value) => {
  expect(converted(name, value)).toMatch(/^problem: .* expected$/);
});

test.each<[string, string]>([
  ['2024-01-15T09:09:43+01:00', '2024-01-15T09:09:43+01:00'],
  ['2023-03-28T12:15:00.000Z', '2023-03-28T12:15:00.000Z'],
  ['2023-08-07 17:00+0200', '2023-08-07T17:00:00+02:00'],
])('MAP-60 iso makes of %s %s', (value, result) => {
  expect(converted('iso', value)).toBe(result);
  expect(converted('iso', value, undefined, 'Asia/Tokyo')).toBe(result);
});

test.each(['2026-02-28', '2024-02-29', '2026-01-31', '0001-01-01', '9999-12-31'])('MAP-60 iso takes %s', (day) => {
  expect(converted('iso', `${day}T23:59:59.5+13:00`)).toBe(`${day}T23:59:59.5+13:00`);
});

test.each(['2026-02-29', '2026-04-31', '2026-01-00', '2026-00-10', '2026-13-10', '2026-01-32', '0000-01-01'])(
  'MAP-60 iso does not take %s, which no calendar has',
  (day) => {
    expect(converted('iso', `${day}T00:00:00Z`)).toMatch(/^problem: /);
  },
);

test('MAP-60 iso takes a time without a zone only where the mapping names one', () => {
  const text = '2020-07-31 15:00:00';
  expect(converted('iso', text)).toMatch(/^problem: a time with its zone was expected/);
  expect(converted('iso', text, undefined, 'Europe/Warsaw')).toBe('2020-07-31T15:00:00+02:00');
  expect(converted('iso', text, 'Europe/London', 'Europe/Warsaw')).toBe('2020-07-31T15:00:00+01:00');
  expect(converted('iso', 1691427600)).toMatch(/^problem: /);
});

test.each<[zone: string, value: string, result: string]>([
  ['Europe/Warsaw', '2020-07-31 15:00:00', '2020-07-31T15:00:00+02:00'],
  ['Europe/Warsaw', '2020-01-31T15:00:00.5', '2020-01-31T15:00:00.5+01:00'],
  ['America/St_Johns', '2024-01-01 00:00', '2024-01-01T00:00:00-03:30'],
  ['Asia/Kathmandu', '2024-01-01 00:00', '2024-01-01T00:00:00+05:45'],
  ['UTC', '2024-01-01 00:00', '2024-01-01T00:00:00+00:00'],
  ['-03:30', '2024-01-01 24:00', '2024-01-02T00:00:00-03:30'],
])('MAP-61 local reads in %s %s as %s', (zone, value, result) => {
  expect(converted('local', value, zone)).toBe(result);
  expect(converted('local', value, { timeZone: zone })).toBe(result);
  expect(converted('local', value, undefined, zone)).toBe(result);
});

test('MAP-62 local does not take a time that the clocks skipped', () => {
  const local = (value: string) => converted('local', value, 'Europe/Brussels');
  expect(local('2024-03-31 01:59:59')).toBe('2024-03-31T01:59:59+01:00');
  expect(local('2024-03-31 02:00:00')).toMatch(/^problem: .* put forward over this one$/);
  expect(local('2024-03-31 02:59:59')).toMatch(/^problem: .* put forward over this one$/);
  expect(local('2024-03-31 03:00:00')).toBe('2024-03-31T03:00:00+02:00');
  expect(converted('local', '2011-12-30 12:00', 'Pacific/Apia')).toMatch(/^problem: .* put forward over this one$/);
});

test('MAP-62 local takes a time that the clocks showed twice as the earlier instant, or the later if told so', () => {
  const later = { timeZone: 'Europe/Brussels', overlap: 'later' };
  expect(converted('local', '2024-10-27 01:59:59', 'Europe/Brussels')).toBe('2024-10-27T01:59:59+02:00');
  expect(converted('local', '2024-10-27 02:00:00', 'Europe/Brussels')).toBe('2024-10-27T02:00:00+02:00');
  expect(converted('local', '2024-10-27 02:00:00', later)).toBe('2024-10-27T02:00:00+01:00');
  expect(converted('local', '2024-10-27 03:00:00', 'Europe/Brussels')).toBe('2024-10-27T03:00:00+01:00');
  expect(converted('local', '2024-10-27 03:00:00', later)).toBe('2024-10-27T03:00:00+01:00');
});

test('MAP-62 local does not take a time that states its zone, nor one of before standard time', () => {
  expect(converted('local', '2020-07-31T15:00:00Z', 'Europe/Brussels')).toMatch(/^problem: a time without a zone/);
  expect(converted('local', '1850-01-01 00:00', 'Europe/Amsterdam')).toMatch(
    /^problem: .* standard time was expected$/,
  );
});

test.each<[value: unknown, result: string]>([
  ['2020-07-31', '2020-07-31'],
  ['20200731', '2020-07-31'],
  [20200731, '2020-07-31'],
  ['2020-07-31T23:30:00-05:00', '2020-07-31'],
  ['2020-07-31 00:00', '2020-07-31'],
])('MAP-63 date makes of %j %s', (value, result) => {
  expect(converted('date', value)).toBe(result);
});

test.each(['2023-02-29', '31.07.2020', '2020', '20201301', 'today', true])('MAP-63 date does not take %j', (value) => {
  expect(converted('date', value)).toMatch(/^problem: /);
});

test.each<[name: string, argument: unknown]>([
  ['local', undefined],
  ['local', 'Mars/Olympus'],
  ['local', '+1'],
  ['local', { timeZone: 1 }],
  ['local', { timeZone: 'UTC', overlap: 'both' }],
  ['local', { zone: 'UTC' }],
  ['local', 5],
  ['iso', 'CEST or so'],
  ['epoch', 'ms'],
  ['date', 'yyyy'],
])('MAP-51 %s does not take the argument %j', (name, argument) => {
  expect(converted(name, '2020-07-31', argument)).toMatch(/^problem: /);
});
