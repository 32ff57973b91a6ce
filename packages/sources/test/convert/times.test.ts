import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { civilTime } from '../../src/convert/civil-time.ts';
import { converted } from './converting.ts';

test.each<[text: string, date: string, time: string, zone: string | undefined]>([
  ['2020-07-31T15:00:00', '2020-07-31', '15:00:00', undefined],
  ['2020-07-31 15:00:00', '2020-07-31', '15:00:00', undefined],
  ['2020-07-31 15:00', '2020-07-31', '15:00:00', undefined],
  [' 2020-07-31t15:00:07z ', '2020-07-31', '15:00:07', 'Z'],
  ['2020-07-31T15:00:00+02:00', '2020-07-31', '15:00:00', '+02:00'],
  ['2020-07-31 15:00:00 +0200', '2020-07-31', '15:00:00', '+02:00'],
  ['2020-07-31T15:00:00-03', '2020-07-31', '15:00:00', '-03:00'],
  ['2020-07-31T15:00:00+14:00', '2020-07-31', '15:00:00', '+14:00'],
  ['2024-02-29T23:59:59Z', '2024-02-29', '23:59:59', 'Z'],
  ['2020-12-31T24:00:00', '2021-01-01', '00:00:00', undefined],
  ['0001-01-01T00:00:00Z', '0001-01-01', '00:00:00', 'Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31', '23:59:59', 'Z'],
])('MAP-60 %s is %s, %s, %s', (text, date, time, zone) => {
  expect(civilTime(text)).toMatchObject({ date, time, zone });
});

test('MAP-60 the fraction of the seconds stays as it stands', () => {
  expect(civilTime('2020-07-31T15:00:00.5Z').fraction).toBe('.5');
  expect(civilTime('2020-07-31T15:00:00,120Z').fraction).toBe('.120');
  expect(civilTime('2020-07-31T15:00:00.123456789').fraction).toBe('.123456789');
  expect(civilTime('2020-07-31T24:00:00.00').fraction).toBe('.00');
});

test.each([
  '',
  '2020-07-31',
  '31.07.2020 15:00',
  '2020-7-31T15:00:00',
  '2023-02-29T00:00:00',
  '2020-04-31T00:00:00',
  '2020-13-01T00:00:00',
  '2020-00-01T00:00:00',
  '0000-01-01T00:00:00',
  '2020-07-31T25:00:00',
  '2020-07-31T24:00:01',
  '2020-07-31T24:01:00',
  '2020-07-31T24:00:00.5',
  '2020-07-31T15:60:00',
  '2020-07-31T15:00:60',
  '2020-07-31T15:00:00.1234567890',
  '2020-07-31T15:00:00+14:01',
  '2020-07-31T15:00:00+02:60',
  '2020-07-31T15:00:00 CEST',
  '9999-12-31T24:00:00',
  '1691427600',
])('MAP-60 %j is no time', (text) => {
  expect(() => civilTime(text)).toThrow(/was expected$/);
});

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

const zones = [
  'Africa/Casablanca',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Europe/Brussels',
  'Pacific/Apia',
  'Pacific/Auckland',
  'UTC',
];

/** What the clocks of a zone show, by way of the parts of Intl. */
function shown(epochMs: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const parts = Object.fromEntries(format.formatToParts(epochMs).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:${parts.second}`;
}

test('MAP-62 what the clocks of a zone show at an instant is read as that instant, or as one that shows the same', () => {
  const instant = fc.integer({ min: Date.UTC(1975, 0) / 1000, max: Date.UTC(2037, 0) / 1000 });
  check(
    fc.property(instant, fc.constantFrom(...zones), (seconds, zone) => {
      const reading = shown(seconds * 1000, zone);
      const [earlier, later] = ['earlier', 'later'].map((overlap) => {
        const text = converted('local', reading, { timeZone: zone, overlap }) as string;
        expect(text.slice(0, 19)).toBe(reading);
        return Date.parse(text);
      }) as [number, number];
      expect([earlier, later]).toContain(seconds * 1000);
      expect(earlier).toBeLessThanOrEqual(later);
      for (const read of [earlier, later]) expect(shown(read, zone)).toBe(reading);
    }),
    { numRuns: 300 },
  );
});

test('MAP-62 any hour around a change of the clocks is read as an instant that shows it, or refused', () => {
  const minute = fc.integer({ min: 0, max: 48 * 60 });
  const starts = fc.constantFrom('2024-03-30', '2024-10-26', '2024-11-02', '2024-03-09', '2024-04-06', '2024-10-05');
  check(
    fc.property(starts, minute, fc.constantFrom(...zones), (start, minutes, zone) => {
      const reading = new Date(Date.parse(`${start}T00:00:00Z`) + minutes * 60_000).toISOString().slice(0, 19);
      const text = converted('local', reading, zone) as string;
      if (text.startsWith('problem')) expect(text).toMatch(/put forward over this one$/);
      else expect(shown(Date.parse(text), zone)).toBe(reading);
    }),
    { numRuns: 300 },
  );
});
