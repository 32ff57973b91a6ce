import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { converted } from './converting.ts';

const timeZone = 'Europe/Brussels';

test.each<[format: string, value: string, result: string]>([
  ['dd/MM/yyyy HH:mm', '21/11/2026 18:40', '2026-11-21T18:40:00+01:00'],
  ['dd.MM.yyyy HH:mm', ' 31.07.2020 15:00 ', '2020-07-31T15:00:00+02:00'],
  ['dd.MM.yyyy HH:mm:ss', '31.07.2020 15:00:09', '2020-07-31T15:00:09+02:00'],
  ['d-M-yyyy H:m:s', '1-8-2026 9:05:7', '2026-08-01T09:05:07+02:00'],
  ['d-M-yyyy H:m:s', '01-12-2026 19:5:07', '2026-12-01T19:05:07+01:00'],
  ['M/d/yyyy h:mm a', '7/4/2026 12:30 AM', '2026-07-04T00:30:00+02:00'],
  ['M/d/yyyy h:mm a', '7/4/2026 12:30 p.m.', '2026-07-04T12:30:00+02:00'],
  ['MM/dd/yyyy hh:mm a', '07/04/2026 06:40 pm', '2026-07-04T18:40:00+02:00'],
  ['yyyyMMddHHmm', '202611211840', '2026-11-21T18:40:00+01:00'],
  ['yyyyMMdd HH', '20261121 24', '2026-11-22T00:00:00+01:00'],
  ["dd/MM/yyyy 'om' HH'u'mm", '21/11/2026 om 18u40', '2026-11-21T18:40:00+01:00'],
  ['[dd/MM/yyyy] HH:mm:ss.SSS', '[21/11/2026] 18:40:00.125', '2026-11-21T18:40:00.125+01:00'],
])('MAP-93 local reads %s of %s as %s', (format, value, result) => {
  expect(converted('local', value, { format, timeZone })).toBe(result);
  expect(converted('local', value, { format }, timeZone)).toBe(result);
});

test.each<[format: string, value: string]>([
  ['dd/MM/yyyy HH:mm', '2026-11-21 18:40'],
  ['dd/MM/yyyy HH:mm', '11/21/2026 18:40'],
  ['dd/MM/yyyy HH:mm', '30/02/2026 18:40'],
  ['dd/MM/yyyy HH:mm', '21/11/2026 25:00'],
  ['dd/MM/yyyy HH:mm', '21/11/2026 18:60'],
  ['dd/MM/yyyy HH:mm', '21/11/26 18:40'],
  ['dd/MM/yyyy HH:mm', '1/11/2026 18:40'],
  ['dd.MM.yyyy HH:mm', '21/11/2026 18:40'],
  ['dd/MM/yyyy HH:mm', '21/11/2026 18:40:00'],
  ['dd/MM/yyyy HH:mm', '29/03/2026 02:30'],
  ['dd/MM/yyyy hh:mm a', '21/11/2026 13:00 PM'],
  ['dd/MM/yyyy hh:mm a', '21/11/2026 00:00 AM'],
])('MAP-93 local with %s does not take %s', (format, value) => {
  expect(converted('local', value, { format, timeZone })).toMatch(/^problem: .* expected/);
});

test.each<[format: unknown, expected: RegExp]>([
  ['DD/MM/yyyy HH:mm', /"DD" stands for nothing/],
  ['dd/MM/yy HH:mm', /"yy" stands for nothing/],
  ['dd/MM/yyyyTHH:mm', /"T" stands for nothing/],
  ['SSSSSSSSSS', /stands for nothing/],
  ['dd/mm/yyyy HH:mm', /mm says again/],
  ['dd/mm/yyyy', /a month \(MM\)/],
  ['dd/MM/yyyy', /a format with hours was expected: date/],
  ['dd/MM/yyyy hh:mm', /together with a/],
  ['dd/MM/yyyy HH:mm a', /together with a/],
  ['dd/MM/yyyy HH h a', /either HH or hh/],
  ['dd/MM/yyyy mm', /an hour/],
  ['dd/MM/yyyy HH ss', /a minute/],
  ['dd/MM/yyyy HH:mm SSS', /a second/],
  [5, /a text such as/],
])('MAP-93 %j is no format of local', (format, expected) => {
  expect(converted('local', '21/11/2026 18:40', { format, timeZone })).toMatch(expected);
});

test('MAP-93 date reads a day by its format, also with a time that there is', () => {
  expect(converted('date', '21/11/2026', { format: 'dd/MM/yyyy' })).toBe('2026-11-21');
  expect(converted('date', '1.8.2026', { format: 'd.M.yyyy' })).toBe('2026-08-01');
  expect(converted('date', '21/11/2026 18:40', { format: 'dd/MM/yyyy HH:mm' })).toBe('2026-11-21');
  expect(converted('date', '21/11/2026 25:40', { format: 'dd/MM/yyyy HH:mm' })).toMatch(/^problem: /);
  expect(converted('date', '31/11/2026', { format: 'dd/MM/yyyy' })).toMatch(/^problem: a day that the calendar has/);
  expect(converted('date', '2026-11-21', { format: 'dd/MM/yyyy' })).toMatch(/written as dd\/MM\/yyyy was expected/);
  expect(converted('date', '21/11/2026', {})).toMatch(/^problem: a text such as/);
  expect(converted('date', '21/11/2026', { form: 'dd/MM/yyyy' })).toMatch(/without "form"/);
  expect(converted('iso', '21/11/2026', { format: 'dd/MM/yyyy' })).toMatch(/without "format"/);
});

test('MAP-93 of any time, what a format writes is what it reads', () => {
  const range = { min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true };
  check(
    fc.property(fc.date(range), (instant) => {
      const iso = instant.toISOString();
      const [year, month, day] = iso.slice(0, 10).split('-');
      const text = `${day}.${month}.${year} ${iso.slice(11, 23)}`;
      const read = converted('local', text, { format: 'dd.MM.yyyy HH:mm:ss.SSS', timeZone: '+00:00' });
      expect(read).toBe(iso.replace('Z', '+00:00'));
    }),
  );
});
