/*
 * Times as xsd:dateTime and xsd:date, as their sources state them. A text is read as a reading of calendar and clock,
 * `"31.07.2020 15:00"` as `{ date: '2020-07-31', time: '15:00:00' }`; a zone, which it states itself or which the mapping
 * names, makes an instant of it: `"2020-07-31T15:00:00+02:00"`.
 */
import { prefixes, xsd } from '@ldes-live/rdf-stream';
import {
  ConversionProblem,
  type Converter,
  type ConverterContext,
  isMapping,
  isNameAlone,
  optionsOf,
  plainConverter,
  scalarText,
} from './converter.ts';
import { numeral } from './numbers.ts';

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const END_MS = Date.UTC(10_000, 0);
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** A reading of calendar and clock, such as `2020-07-31`, `15:00:00`, `.5` and `+02:00`. */
interface CivilTime {
  readonly date: string;
  readonly time: string;
  /** Digits of the seconds as they stand, with the point before them; empty when there are none. */
  readonly fraction: string;
  /** `undefined` where the text states none. */
  readonly zone: string | undefined;
  /** The reading taken as UTC, epoch milliseconds, without the fraction. */
  readonly asUtcMs: number;
}

const FORM =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?([Zz])| ?([+-])(\d\d)(?::?(\d\d))?)?$/;

/**
 * Reads `2020-07-31T15:00:00.5+02:00` and its kin: a space for the T, no seconds, no zone, a zone without a colon or
 * minutes. 24:00 is the next day's 00:00.
 *
 * @throws ConversionProblem - another form, a day or time that no calendar has, a year outside of 1 to 9999
 * @see specs/mapping-values.md MAP-59
 */
function civilTime(text: string): CivilTime {
  const match = FORM.exec(text.trim());
  if (!match) throw new ConversionProblem('a date and time such as 2020-07-31T15:00:00 was expected');
  const [, date = '', minute = '', second = '00', digits, utc, sign, hours = '', minutes = '00'] = match;
  const fraction = digits === undefined ? '' : `.${digits}`;
  if (Number(hours) * 60 + Number(minutes) > 14 * 60 || Number(minutes) > 59) {
    throw new ConversionProblem('a zone from -14:00 to +14:00 was expected');
  }
  const zone = utc ? 'Z' : sign && `${sign}${hours}:${minutes}`;
  const dateMs = civilDateMs(date);
  const time = `${minute}:${second}`;
  if (time === '24:00:00' && !/[1-9]/.test(fraction)) {
    const asUtcMs = dateMs + DAY_MS;
    if (asUtcMs >= END_MS) throw new ConversionProblem('a year from 1 to 9999 was expected');
    return { date: new Date(asUtcMs).toISOString().slice(0, 10), time: '00:00:00', fraction, zone, asUtcMs };
  }
  const asUtcMs = Date.parse(`${date}T${time}Z`);
  // "24" is read by Date.parse only at midnight, which was taken above.
  if (Number.isNaN(asUtcMs) || minute.startsWith('24')) throw new ConversionProblem('a time of day was expected');
  return { date, time, fraction, zone, asUtcMs };
}

/** The day that was read last: the records of a document are of one day, mostly. */
let last = { date: '1970-01-01', dateMs: 0 };

/**
 * The start of a day such as `2020-07-31` in UTC, epoch milliseconds.
 *
 * @throws ConversionProblem - a day that no calendar has
 */
function civilDateMs(date: string): number {
  if (date === last.date) return last.dateMs;
  const dateMs = Date.parse(`${date}T00:00:00Z`);
  // Date.parse takes 30 February as 1 March.
  if (Number.isNaN(dateMs) || date.startsWith('0000') || new Date(dateMs).toISOString().slice(0, 10) !== date) {
    throw new ConversionProblem('a day of the calendar was expected');
  }
  last = { date, dateMs };
  return dateMs;
}

/** How far the clocks of a zone are ahead of UTC at an instant (epoch milliseconds), in milliseconds. */
type ZoneOffset = (epochMs: number) => number;

// Stations of one network report the same few minutes; asking Intl takes long.
const LIMIT_REMEMBERED_MINUTES = 1024;

/**
 * The clocks of a time zone: an IANA name such as `Europe/Brussels`, or a fixed offset such as `+01:00`.
 *
 * @throws ConversionProblem - an unknown name
 * @see specs/mapping-values.md MAP-59
 */
function zoneOffset(timeZone: string): ZoneOffset {
  const fixed = /^(?:UTC|Z|([+-])(\d\d):([0-5]\d))$/.exec(timeZone);
  if (fixed) {
    const offsetMs = offsetMsOf(fixed);
    return () => offsetMs;
  }
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    throw new ConversionProblem(`a time zone such as Europe/Brussels was expected, not ${JSON.stringify(timeZone)}`);
  }
  const byMinute = new Map<number, number>();
  return (epochMs) => {
    const minute = Math.floor(epochMs / MINUTE_MS);
    const known = byMinute.get(minute);
    if (known !== undefined) return known;
    if (byMinute.size >= LIMIT_REMEMBERED_MINUTES) byMinute.clear();
    const parts = format.formatToParts(minute * MINUTE_MS);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const offsetMs = offsetMsOf(/^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? []);
    byMinute.set(minute, offsetMs);
    return offsetMs;
  };
}

function offsetMsOf([, sign, hours = '0', minutes = '0', seconds = '0']: readonly string[]): number {
  const offsetMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -offsetMs : offsetMs;
}

/**
 * A local reading as xsd:dateTime: the reading itself, with the zone's offset at that instant.
 *
 * @param overlap - which instant a reading means that the clocks show twice, when they go back
 * @throws ConversionProblem - the clocks were put forward over this reading: it never was
 * @see specs/mapping-values.md MAP-62
 */
function localTime(reading: CivilTime, offsetAt: ZoneOffset, overlap: 'earlier' | 'later'): string {
  const { asUtcMs } = reading;
  // No zone changes its clocks twice within two days, nor by more than a day: one of these holds at the reading.
  const offsets = [...new Set([offsetAt(asUtcMs - DAY_MS), offsetAt(asUtcMs + DAY_MS)])];
  const meant = offsets.filter((offsetMs) => offsetAt(asUtcMs - offsetMs) === offsetMs).sort((a, b) => b - a);
  const offsetMs = overlap === 'earlier' ? meant[0] : meant.at(-1);
  if (offsetMs === undefined) {
    throw new ConversionProblem('an existing time was expected: the clocks were put forward over this one');
  }
  const minutes = Math.abs(offsetMs) / MINUTE_MS;
  // Before standard time, places had offsets of seconds, which xsd:dateTime cannot say.
  if (!Number.isInteger(minutes))
    throw new ConversionProblem('a time after the zone adopted standard time was expected');
  const zone = `${offsetMs < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
  return `${reading.date}T${reading.time}${reading.fraction}${zone}`;
}

/** Makes instants of local readings, where an argument or the mapping names their zone. */
function localReader(
  argument: unknown,
  context: ConverterContext,
  ...others: readonly string[]
): ((reading: CivilTime) => string) | undefined {
  const given = typeof argument === 'string' ? { timeZone: argument } : argument;
  const { timeZone = context.timeZone, overlap = 'earlier' } = optionsOf(given, 'timeZone', 'overlap', ...others);
  if (overlap !== 'earlier' && overlap !== 'later') {
    throw new ConversionProblem('earlier or later was expected as overlap');
  }
  if (timeZone === undefined) return undefined;
  if (typeof timeZone !== 'string') throw new ConversionProblem('a name was expected as timeZone');
  const offsetAt = zoneOffset(timeZone);
  return (reading) => localTime(reading, offsetAt, overlap);
}

type Part = 'year' | 'month' | 'day' | 'hour' | 'hourOfHalf' | 'half' | 'minute' | 'second' | 'fraction';

/** What letters stand for that may be doubled: two are two digits, one is one or two. */
const OF_LETTER: Readonly<Record<string, Part>> = { M: 'month', d: 'day', H: 'hour', m: 'minute', s: 'second' };
/** What other runs of letters stand for. */
const PARTS: Readonly<Record<string, readonly [part: Part, pattern: string]>> = {
  yyyy: ['year', '\\d{4}'],
  hh: ['hourOfHalf', '(?:0[1-9]|1[0-2])'],
  h: ['hourOfHalf', '(?:0?[1-9]|1[0-2])'],
  a: ['half', '[AaPp]\\.?[Mm]\\.?'],
};

/** A run of one letter, text between apostrophes, or a sign that stands for itself. */
const TOKENS = /([A-Za-z])\1*|'([^']*)'|[^A-Za-z]/gu;

/**
 * Compiles a format such as `dd/MM/yyyy HH:mm`: a year, a month and a day, and parts of a time of day.
 *
 * @returns what reads a text as ISO 8601 has it, `2026-11-21`, with `T18:40:00` where the format has hours (`hasTime`);
 * whether a calendar has the day is not looked at
 * @throws ConversionProblem - it is none
 * @see specs/mapping-values.md MAP-59
 */
function timeFormat(format: unknown): { readonly read: (text: string) => string; readonly hasTime: boolean } {
  if (typeof format !== 'string')
    throw new ConversionProblem('a text such as "dd/MM/yyyy HH:mm" was expected as format');
  const parts = new Set<Part>();
  const pattern = [...format.matchAll(TOKENS)].map(([token, letter, quoted]) => {
    if (letter === undefined) return (quoted ?? token).replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
    const [part, digits] = partOf(token);
    if (parts.has(part)) throw new ConversionProblem(`${token} repeats a part of the format`);
    parts.add(part);
    return `(?<${part}>${digits})`;
  });
  checkParts(parts);
  const expression = new RegExp(`^${pattern.join('')}$`, 'u');
  const hasTime = parts.has('hour') || parts.has('hourOfHalf');
  return {
    hasTime,
    read: (text) => {
      const found = expression.exec(text.trim())?.groups;
      if (!found) throw new ConversionProblem(`a value of the form ${format} was expected`);
      const date = `${found.year}-${two(found.month)}-${two(found.day)}`;
      return hasTime ? `${date}T${timeOf(found)}` : date;
    },
  };
}

function partOf(token: string): readonly [Part, string] {
  if (/^S{1,9}$/.test(token)) return ['fraction', `\\d{${token.length}}`];
  const doubled = /^([MdHms])\1?$/.exec(token)?.[1];
  if (doubled !== undefined) return [OF_LETTER[doubled] as Part, token.length === 2 ? '\\d\\d' : '\\d\\d?'];
  const part = Object.hasOwn(PARTS, token) ? PARTS[token] : undefined;
  if (part) return part;
  throw new ConversionProblem(
    `"${token}" has no meaning in a format, which can have yyyy, MM or M, dd or d, HH or H, hh or h with a, mm, ss, S, and other text between apostrophes`,
  );
}

function checkParts(parts: ReadonlySet<Part>): void {
  const hasHour = parts.has('hour') || parts.has('hourOfHalf');
  const need = (holds: boolean, what: string) => {
    if (!holds) throw new ConversionProblem(`${what} was expected in the format`);
  };
  need(parts.has('year') && parts.has('month') && parts.has('day'), 'a year (yyyy), a month (MM) and a day (dd)');
  need(parts.has('half') === parts.has('hourOfHalf'), 'hh or h together with a, for AM and PM,');
  need(!(parts.has('hour') && parts.has('hourOfHalf')), 'either HH or hh');
  need(!parts.has('minute') || hasHour, 'an hour (HH) with the minutes');
  need(!parts.has('second') || parts.has('minute'), 'a minute (mm) with the seconds');
  need(!parts.has('fraction') || parts.has('second'), 'a second (ss) with its fraction');
}

function timeOf(found: Readonly<Record<string, string | undefined>>): string {
  const { hour, hourOfHalf, half, minute, second, fraction } = found;
  const isLater = half?.toLowerCase().startsWith('p') === true;
  const hours = hour ?? String((Number(hourOfHalf) % 12) + (isLater ? 12 : 0));
  return `${two(hours)}:${two(minute)}:${two(second)}${fraction === undefined ? '' : `.${fraction}`}`;
}

function two(digits: string | number | undefined): string {
  return String(digits ?? '').padStart(2, '0');
}

function timeText(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw new ConversionProblem('a text was expected');
  return scalarText(value);
}

const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:0\\d|1[0-3]):[0-5]\\d)';
/** A time with its zone that is written as it stands; whether the calendar has the day is another question. */
const IN_FULL = new RegExp(`^\\d{4}-\\d\\d-\\d\\dT${CLOCK}$`);
/** The same on a day that every month has, which need not be looked up. */
const ON_SURE_DAY = new RegExp(`^(?!0000)\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])T${CLOCK}$`);

/** A time with its zone, as it stands. @see specs/mapping-values.md MAP-59 */
const iso: Converter = {
  datatype: xsd.dateTime,
  make(argument, context) {
    const local = localReader(argument, context);
    return (value) => {
      // Most times are written in full already, and every record of every poll has one.
      if (typeof value === 'string' && ON_SURE_DAY.test(value)) return value;
      if (typeof value === 'string' && IN_FULL.test(value)) {
        civilDateMs(value.slice(0, 10));
        return value;
      }
      const reading = civilTime(timeText(value));
      if (reading.zone !== undefined) return `${reading.date}T${reading.time}${reading.fraction}${reading.zone}`;
      if (local !== undefined) return local(reading);
      throw new ConversionProblem('a time with its zone was expected, or a timeZone in the mapping');
    };
  },
};

/** A time of a zone that the mapping names. @see specs/mapping-values.md MAP-59, MAP-62 */
const local: Converter = {
  datatype: xsd.dateTime,
  make(argument, context) {
    const read = localReader(argument, context, 'format');
    if (read === undefined) throw new ConversionProblem('a time zone was expected here, or as timeZone of the mapping');
    if (isMapping(argument) && argument.format !== undefined) {
      const format = timeFormat(argument.format);
      if (!format.hasTime) throw new ConversionProblem('a format with hours was expected: date reads days');
      return (value) => read(civilTime(format.read(timeText(value))));
    }
    return (value) => {
      const reading = civilTime(timeText(value));
      if (reading.zone === undefined) return read(reading);
      throw new ConversionProblem('a time without a zone was expected: iso reads those that state one');
    };
  },
};

/** A day, or the day that a time states. @see specs/mapping-values.md MAP-59 */
const date: Converter = {
  datatype: `${prefixes.xsd}date`,
  make(argument) {
    if (isNameAlone(argument)) return (value) => statedDay(timeText(value).trim());
    const { read, hasTime } = timeFormat(optionsOf(argument, 'format').format);
    return (value) => {
      const text = read(timeText(value));
      const day = text.slice(0, 10);
      // Its time of day has to be one, too.
      if (hasTime) civilTime(text);
      else civilDateMs(day);
      return day;
    };
  },
};

function statedDay(text: string): string {
  const day = text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return civilTime(text).date;
  civilDateMs(day);
  return day;
}

/** A number of units since 1970 as a time in UTC. @see specs/mapping-values.md MAP-59 */
function epochOf(unitMs: number, unit: string): Converter {
  return plainConverter((value) => {
    const ms = Math.round(Number(numeral(value)) * unitMs);
    if (ms >= FIRST_MS && ms < END_MS) return new Date(ms).toISOString().replace('.000Z', 'Z');
    throw new ConversionProblem(`${unit} since 1970 of a year from 1 to 9999 were expected`);
  }, xsd.dateTime);
}

const epoch = epochOf(1000, 'seconds');

/** Seconds since 1970, or a time with its zone, of formats that changed with their version. @see specs/mapping-values.md MAP-59 */
const epochOrIso: Converter = {
  datatype: xsd.dateTime,
  make(argument, context) {
    const ofSeconds = epoch.make(argument, context);
    const ofText = iso.make(undefined, context);
    return (value) => (typeof value === 'string' && /^\s*\d{4}-/.test(value) ? ofText(value) : ofSeconds(value));
  },
};

export const timeConverters = { date, epoch, epochMs: epochOf(1, 'milliseconds'), epochOrIso, iso, local };
