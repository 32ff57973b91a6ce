import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { converted } from './converter-cases.ts';

const brussels = 'Europe/Brussels';
const [problem, skipped] = [/^problem: /, /^problem: .* put forward over this one$/];
/** Values of which a converter makes the same, such as a problem. */
const all = (made: unknown, values: string) => Object.fromEntries(values.split('|').map((value) => [value, made]));

function expectMade(value: string, outcome: unknown, made: Record<string, unknown>) {
  if (made[value] instanceof RegExp) expect(outcome, value).toMatch(made[value]);
  else expect([value, outcome]).toEqual([value, made[value]]);
}

/** Texts, and the times that they say, an hour ahead of UTC where they state no zone. */
const civil: Readonly<Record<string, string>> = {
  '2020-07-31T15:00:00': '2020-07-31T15:00:00+01:00',
  '2020-07-31 15:00:00': '2020-07-31T15:00:00+01:00',
  '2020-07-31 15:00': '2020-07-31T15:00:00+01:00',
  ' 2020-07-31t15:00:07z ': '2020-07-31T15:00:07Z',
  '2020-07-31T15:00:00+02:00': '2020-07-31T15:00:00+02:00',
  '2020-07-31 15:00:00 +0200': '2020-07-31T15:00:00+02:00',
  '2020-07-31T15:00:00-03': '2020-07-31T15:00:00-03:00',
  '2020-07-31T15:00:00+14:00': '2020-07-31T15:00:00+14:00',
  '2024-02-29T23:59:59Z': '2024-02-29T23:59:59Z',
  '2020-12-31T24:00:00': '2021-01-01T00:00:00+01:00',
  '0001-01-01T00:00:00Z': '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z': '9999-12-31T23:59:59Z',
  '2020-07-31T15:00:00.5Z': '2020-07-31T15:00:00.5Z',
  '2020-07-31T15:00:00,120Z': '2020-07-31T15:00:00.120Z',
  '2020-07-31T15:00:00.123456789': '2020-07-31T15:00:00.123456789+01:00',
  '2020-07-31T24:00:00.00': '2020-08-01T00:00:00.00+01:00',
};

test.each(Object.entries(civil))('MAP-59 %s is %s', (text, said) => {
  expect(converted('iso', text, '+01:00')).toBe(said);
});

test.each(
  [
    '|2020-07-31|31.07.2020 15:00|2020-7-31T15:00:00|2023-02-29T00:00:00|2020-04-31T00:00:00|2020-13-01T00:00:00',
    '2020-00-01T00:00:00|0000-01-01T00:00:00|2020-07-31T25:00:00|2020-07-31T24:00:01|2020-07-31T24:01:00',
    '2020-07-31T24:00:00.5|2020-07-31T15:60:00|2020-07-31T15:00:60|2020-07-31T15:00:00.1234567890|1691427600',
    '2020-07-31T15:00:00+14:01|2020-07-31T15:00:00+02:60|2020-07-31T15:00:00 CEST|9999-12-31T24:00:00',
  ].flatMap((texts) => texts.split('|')),
)('MAP-59 %j is no time', (text) => {
  expect(converted('iso', text, '+01:00')).toMatch(/^problem: .*was expected$/);
});

const later = { timeZone: brussels, overlap: 'later' };
const [day, dayTime] = [{ format: 'dd/MM/yyyy' }, { format: 'dd/MM/yyyy HH:mm' }];

/** What a converter with its argument makes of values, of whole numbers as texts and as numbers; last the zone of the mapping. */
type Times = [id: string, name: string, argument: unknown, made: Record<string, unknown>, zone?: string];

const iso = {
  '2024-01-15T09:09:43+01:00': '2024-01-15T09:09:43+01:00',
  '2023-03-28T12:15:00.000Z': '2023-03-28T12:15:00.000Z',
  '2023-08-07 17:00+0200': '2023-08-07T17:00:00+02:00',
  '2024-02-29T23:59:59.5+13:00': '2024-02-29T23:59:59.5+13:00',
  ...all(problem, '2026-02-29T00:00:00Z|2026-04-31T00:00:00Z|2026-01-00T00:00:00Z|2026-00-10T00:00:00Z'),
  ...all(problem, '2026-13-10T00:00:00Z|2026-01-32T00:00:00Z|0000-01-01T00:00:00Z|1691427600'),
};
const noon = '2020-07-31 12:00';
const noZones = ['Mars/Olympus', '+1', { timeZone: 1 }, { timeZone: 'UTC', overlap: 'both' }, { zone: 'UTC' }, 5];

test.each<Times>([
  ['MAP-59', 'epoch', undefined, { 1691427600: '2023-08-07T17:00:00Z', '1691427600.25': '2023-08-07T17:00:00.250Z' }],
  ['MAP-59', 'epoch', undefined, { '1691427600.9999': '2023-08-07T17:00:01Z', '-1': '1969-12-31T23:59:59Z' }],
  ['MAP-59', 'epoch', undefined, { 253402300799: '9999-12-31T23:59:59Z', '-62135596800': '0001-01-01T00:00:00Z' }],
  ['MAP-59', 'epoch', undefined, { 0: '1970-01-01T00:00:00Z', ...all(problem, '1740651467085|2023-08-07|true') }],
  ['MAP-59', 'epoch', undefined, all(/expected$/, '-62135596801|253402300800')],
  [
    'MAP-59',
    'epochMs',
    undefined,
    { 1740651467085: '2025-02-27T10:17:47.085Z', ...all(problem, '253402300800000|1e300') },
  ],
  ['MAP-59', 'epochMs', undefined, { 1740651467000: '2025-02-27T10:17:47Z' }],
  ['MAP-59', 'iso', undefined, { ...iso, [noon]: /^problem: a time with its zone was expected/ }],
  ['MAP-59', 'iso', undefined, { ...iso, [noon]: '2020-07-31T12:00:00+02:00' }, 'Europe/Warsaw'],
  ['MAP-59', 'iso', 'Europe/London', { [noon]: '2020-07-31T12:00:00+01:00' }, 'Europe/Warsaw'],
  ['MAP-62', 'local', brussels, { '2024-03-31 01:59:59': '2024-03-31T01:59:59+01:00', '2024-03-31 02:00:00': skipped }],
  ['MAP-62', 'local', brussels, { '2024-03-31 03:00:00': '2024-03-31T03:00:00+02:00', '2024-03-31 02:59:59': skipped }],
  ['MAP-62', 'local', 'Pacific/Apia', { '2011-12-30 12:00': skipped }],
  ['MAP-62', 'local', brussels, { '2024-10-27 01:59:59': '2024-10-27T01:59:59+02:00' }],
  ['MAP-62', 'local', brussels, { '2024-10-27 02:00:00': '2024-10-27T02:00:00+02:00' }],
  ['MAP-62', 'local', later, { '2024-10-27 02:00:00': '2024-10-27T02:00:00+01:00' }],
  ...[brussels, later].map(
    (way): Times => ['MAP-62', 'local', way, { '2024-10-27 03:00': '2024-10-27T03:00:00+01:00' }],
  ),
  ['MAP-62', 'local', brussels, { '2020-07-31T15:00:00Z': /^problem: a time without a zone/ }],
  ['MAP-62', 'local', 'Europe/Amsterdam', { '1850-01-01 00:00': /^problem: .* standard time was expected$/ }],
  ['MAP-59', 'date', undefined, all('2020-07-31', '2020-07-31|20200731|2020-07-31 00:00|2020-07-31T23:30:00-05:00')],
  ['MAP-59', 'date', undefined, all(problem, '2023-02-29|31.07.2020|2020|20201301|today|true')],
  ['MAP-59', 'date', day, { '21/11/2026': '2026-11-21', '31/11/2026': /a day of the calendar/ }],
  ['MAP-59', 'date', day, { '2026-11-21': /of the form dd\/MM\/yyyy was expected/ }],
  ['MAP-59', 'date', { format: 'd.M.yyyy' }, { '1.8.2026': '2026-08-01' }],
  ['MAP-59', 'date', dayTime, { '21/11/2026 18:40': '2026-11-21', '21/11/2026 25:40': problem }],
  ['MAP-59', 'date', {}, { '21/11/2026': /^problem: a text such as/ }],
  ['MAP-59', 'date', { form: 'dd/MM/yyyy' }, { '21/11/2026': /without "form"/ }],
  ['MAP-59', 'iso', day, { '21/11/2026': /without "format"/ }],
  ...[undefined, ...noZones].map((argument): Times => ['MAP-1', 'local', argument, { [noon]: problem }]),
  ['MAP-1', 'iso', 'CEST or so', { [noon]: problem }],
  ['MAP-1', 'epoch', 'ms', { 1: problem }],
  ['MAP-1', 'date', 'yyyy', { '2020-07-31': problem }],
])('%s %s with %j makes what the table says (%#)', (_, name, argument, made, zone) => {
  for (const text of Object.keys(made)) {
    expectMade(text, converted(name, text, argument, zone), made);
    if (/^-?\d{1,15}$/.test(text)) expectMade(text, converted(name, Number(text), argument, zone), made);
  }
});

const [kathmandu, newfoundland] = ['Asia/Kathmandu', 'America/St_Johns'];

test.each<[zone: string, readings: Record<string, string>]>([
  ['Europe/Warsaw', { '2020-07-31 15:00:00': '2020-07-31T15:00:00+02:00' }],
  ['Europe/Warsaw', { '2020-01-31T15:00:00.5': '2020-01-31T15:00:00.5+01:00' }],
  [newfoundland, { '2024-01-01 00:00': '2024-01-01T00:00:00-03:30' }],
  [kathmandu, { '2024-01-01 00:00': '2024-01-01T00:00:00+05:45' }],
  ['UTC', { '2024-01-01 00:00': '2024-01-01T00:00:00+00:00' }],
  ['-03:30', { '2024-01-01 24:00': '2024-01-02T00:00:00-03:30' }],
])('MAP-59 in %s, local reads %j, however the zone is given', (zone, readings) => {
  for (const [value, result] of Object.entries(readings)) {
    const ways = [converted('local', value, zone), converted('local', value, { timeZone: zone })];
    expect([...ways, converted('local', value, undefined, zone)]).toEqual([result, result, result]);
  }
});

const refused = '2026-11-21 18:40|11/21/2026 18:40|30/02/2026 18:40|21/11/2026 25:00|21/11/2026 18:60|21/11/26 18:40';

test.each<[format: string, made: Record<string, unknown>]>([
  ['dd/MM/yyyy HH:mm', { '21/11/2026 18:40': '2026-11-21T18:40:00+01:00', ...all(problem, refused) }],
  ['dd/MM/yyyy HH:mm', all(problem, '1/11/2026 18:40|21/11/2026 18:40:00|29/03/2026 02:30')],
  ['dd.MM.yyyy HH:mm', { ' 31.07.2020 15:00 ': '2020-07-31T15:00:00+02:00', '21/11/2026 18:40': problem }],
  ['dd.MM.yyyy HH:mm:ss', { '31.07.2020 15:00:09': '2020-07-31T15:00:09+02:00' }],
  ['d-M-yyyy H:m:s', { '1-8-2026 9:05:7': '2026-08-01T09:05:07+02:00' }],
  ['d-M-yyyy H:m:s', { '01-12-2026 19:5:07': '2026-12-01T19:05:07+01:00' }],
  ['M/d/yyyy h:mm a', { '7/4/2026 12:30 AM': '2026-07-04T00:30:00+02:00' }],
  ['M/d/yyyy h:mm a', { '7/4/2026 12:30 p.m.': '2026-07-04T12:30:00+02:00' }],
  ['MM/dd/yyyy hh:mm a', { '07/04/2026 06:40 pm': '2026-07-04T18:40:00+02:00' }],
  ['yyyyMMddHHmm', { 202611211840: '2026-11-21T18:40:00+01:00' }],
  ['yyyyMMdd HH', { '20261121 24': '2026-11-22T00:00:00+01:00' }],
  ["dd/MM/yyyy 'om' HH'u'mm", { '21/11/2026 om 18u40': '2026-11-21T18:40:00+01:00' }],
  ['[dd/MM/yyyy] HH:mm:ss.SSS', { '[21/11/2026] 18:40:00.125': '2026-11-21T18:40:00.125+01:00' }],
  ['dd/MM/yyyy hh:mm a', all(problem, '21/11/2026 13:00 PM|21/11/2026 00:00 AM')],
])('MAP-59 local reads by %s what the table says, and takes nothing else (%#)', (format, made) => {
  for (const value of Object.keys(made)) {
    expectMade(value, converted('local', value, { format, timeZone: brussels }), made);
    expectMade(value, converted('local', value, { format }, brussels), made);
  }
});

test.each<[format: unknown, expected: RegExp]>([
  ['DD/MM/yyyy HH:mm', /"DD" has no meaning/],
  ['dd/MM/yy HH:mm', /"yy" has no meaning/],
  ['dd/MM/yyyyTHH:mm', /"T" has no meaning/],
  ['SSSSSSSSSS', /has no meaning/],
  ['dd/mm/yyyy HH:mm', /mm repeats/],
  ['dd/mm/yyyy', /a month \(MM\)/],
  ['dd/MM/yyyy', /a format with hours was expected: date/],
  ['dd/MM/yyyy hh:mm', /together with a/],
  ['dd/MM/yyyy HH:mm a', /together with a/],
  ['dd/MM/yyyy HH h a', /either HH or hh/],
  ['dd/MM/yyyy mm', /an hour/],
  ['dd/MM/yyyy HH ss', /a minute/],
  ['dd/MM/yyyy HH:mm SSS', /a second/],
  [5, /a text such as/],
])('MAP-59 %j is no format of local', (format, expected) => {
  expect(converted('local', '21/11/2026 18:40', { format, timeZone: brussels })).toMatch(expected);
});

test('MAP-59 of any time, what a format writes is what it reads', () => {
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

const zones = 'Africa/Casablanca America/New_York Australia/Lord_Howe Pacific/Apia Pacific/Auckland UTC'.split(' ');
zones.push(newfoundland, kathmandu, brussels);

/** What the clocks of a zone show, by way of the parts of Intl. */
function shown(epochMs: number, timeZone: string): string {
  const two = { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', year: 'numeric', ...two });
  const parts = Object.fromEntries(format.formatToParts(epochMs).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:${parts.second}`;
}

test('MAP-62 what the clocks of a zone show is read as that instant, or as one that shows the same, and nothing else is', () => {
  const instant = fc.integer({ min: Date.UTC(1975, 0) / 1000, max: Date.UTC(2037, 0) / 1000 });
  const starts = fc.constantFrom('2024-03-30', '2024-10-26', '2024-11-02', '2024-03-09', '2024-04-06', '2024-10-05');
  // Any hour around a change of the clocks: there may be none that show it.
  const around = fc
    .tuple(starts, fc.nat(48 * 60))
    .map(([start, minutes]) =>
      new Date(Date.parse(`${start}T00:00:00Z`) + minutes * 60_000).toISOString().slice(0, 19),
    );
  check(
    fc.property(fc.oneof(instant, around), fc.constantFrom(...zones), (given, zone) => {
      const reading = typeof given === 'string' ? given : shown(given * 1000, zone);
      const [earlier = '', later = ''] = ['earlier', 'later'].map(
        (overlap) => converted('local', reading, { timeZone: zone, overlap }) as string,
      );
      if (typeof given === 'string' && earlier.startsWith('problem')) {
        expect([earlier, later]).toEqual([expect.stringMatching(skipped), earlier]);
        return;
      }
      const read = [earlier, later].map((text) => Date.parse(text));
      expect(read).toEqual([...read].sort((a, b) => a - b));
      if (typeof given === 'number') expect(read).toContain(given * 1000);
      for (const text of [earlier, later])
        expect([text.slice(0, 19), shown(Date.parse(text), zone)]).toEqual([reading, reading]);
    }),
    { numRuns: 600 },
  );
});
