import { ConversionProblem } from './conversion-problem.ts';

/** A reading of calendar and clock. */
export interface CivilTime {
  /** `2020-07-31` */
  readonly date: string;
  /** `15:00:00` */
  readonly time: string;
  /** Digits after the point of the seconds as they stand, with the point; empty when there are none. */
  readonly fraction: string;
  /** `Z` or `+02:00`, where the text states it. */
  readonly zone: string | undefined;
  /** The reading taken as UTC, epoch milliseconds, without the fraction. */
  readonly asUtcMs: number;
}

const DAY_MS = 86_400_000;
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59);
const FORM =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?([Zz])| ?([+-])(\d\d)(?::?(\d\d))?)?$/;

/** The day that was read last. */
let last = { date: '1970-01-01', dateMs: 0 };

/**
 * Reads `2020-07-31T15:00:00.5+02:00` and its kin: a space for the T, no seconds, no zone, a zone without a colon or
 * minutes. 24:00 is the next day's 00:00.
 *
 * @throws ConversionProblem - another form, a day or time that no calendar has, a year outside of 1 to 9999
 * @see specs/mapping-values.md MAP-60
 */
export function civilTime(text: string): CivilTime {
  const match = FORM.exec(text.trim());
  if (!match) throw new ConversionProblem('a date and time such as 2020-07-31T15:00:00 was expected');
  const [, date = '', minute = '', second = '00', digits, utc, sign, hours = '', minutes = '00'] = match;
  const fraction = digits === undefined ? '' : `.${digits}`;
  const zone = utc ? 'Z' : sign && offsetText(sign, hours, minutes);
  const dateMs = civilDateMs(date);
  const time = `${minute}:${second}`;
  if (/^24:00:00$/.test(time) && !/[1-9]/.test(fraction)) return midnightAfter(dateMs, fraction, zone);
  const asUtcMs = Date.parse(`${date}T${time}Z`);
  // "24" is read by Date.parse only at midnight, which was taken above.
  if (Number.isNaN(asUtcMs) || minute.startsWith('24')) throw new ConversionProblem('a time of day was expected');
  return { date, time, fraction, zone, asUtcMs };
}

/**
 * The start of a day in UTC, epoch milliseconds.
 *
 * @param date - `2020-07-31`
 * @throws ConversionProblem - a day that no calendar has
 */
export function civilDateMs(date: string): number {
  // The records of a document are of one day, mostly.
  if (date === last.date) return last.dateMs;
  const dateMs = Date.parse(`${date}T00:00:00Z`);
  // Date.parse takes 30 February as 1 March.
  if (Number.isNaN(dateMs) || date.startsWith('0000') || new Date(dateMs).toISOString().slice(0, 10) !== date) {
    throw new ConversionProblem('a day that the calendar has was expected');
  }
  last = { date, dateMs };
  return dateMs;
}

function midnightAfter(dateMs: number, fraction: string, zone: string | undefined): CivilTime {
  const asUtcMs = dateMs + DAY_MS;
  if (asUtcMs > LAST_MS) throw new ConversionProblem('a year from 1 to 9999 was expected');
  return { date: new Date(asUtcMs).toISOString().slice(0, 10), time: '00:00:00', fraction, zone, asUtcMs };
}

function offsetText(sign: string, hours: string, minutes: string): string {
  const total = Number(hours) * 60 + Number(minutes);
  if (total > 14 * 60 || Number(minutes) > 59) throw new ConversionProblem('a zone from -14:00 to +14:00 was expected');
  return `${sign}${hours}:${minutes}`;
}
