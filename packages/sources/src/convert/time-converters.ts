import { xsd } from '@ldes-live/rdf-stream';
import { isMapping, noArgument, optionsOf } from './argument.ts';
import { type CivilTime, civilDateMs, civilTime } from './civil-time.ts';
import { ConversionProblem } from './conversion-problem.ts';
import type { Converter, ConverterContext } from './converter.ts';
import { localTime } from './local-time.ts';
import { numeral } from './numeral.ts';
import { scalarText } from './scalar-text.ts';
import { type TimeFormat, timeFormat } from './time-format.ts';
import { zoneOffset } from './zone-offset.ts';

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const END_MS = Date.UTC(10_000, 0);
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:0\\d|1[0-3]):[0-5]\\d)';
/** A time with its zone that is written as it stands; whether the calendar has the day is another question. */
const IN_FULL = new RegExp(`^\\d{4}-\\d\\d-\\d\\dT${CLOCK}$`);
/** The same on a day that every month has, which need not be looked up. */
const ON_SURE_DAY = new RegExp(`^(?!0000)\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])T${CLOCK}$`);
const XSD_DATE = 'http://www.w3.org/2001/XMLSchema#date';

/** Seconds since 1970 as a time in UTC. @see specs/mapping-values.md MAP-59 */
export const epoch: Converter = epochOf(1000, 'seconds');

/** Milliseconds since 1970 as a time in UTC. @see specs/mapping-values.md MAP-59 */
export const epochMs: Converter = epochOf(1, 'milliseconds');

/** A time with its zone, as it stands. @see specs/mapping-values.md MAP-60 */
export const iso: Converter = {
  datatype: xsd.dateTime,
  make(argument, context) {
    const local = localReader(argument, context, []);
    return (value) => {
      // Most times are written in full already, and every record of every poll has one.
      if (typeof value === 'string' && ON_SURE_DAY.test(value)) return value;
      if (typeof value === 'string' && IN_FULL.test(value)) {
        civilDateMs(value.slice(0, 10));
        return value;
      }
      const reading = civilTime(textOf(value));
      if (reading.zone !== undefined) return `${reading.date}T${reading.time}${reading.fraction}${reading.zone}`;
      if (local !== undefined) return local(reading);
      throw new ConversionProblem('a time with its zone was expected, or a timeZone in the mapping');
    };
  },
};

/** A time of a zone that the mapping names. @see specs/mapping-values.md MAP-62, MAP-93 */
export const local: Converter = {
  datatype: xsd.dateTime,
  make(argument, context) {
    const read = localReader(argument, context, ['format']);
    if (read === undefined) throw new ConversionProblem('a time zone was expected here, or as timeZone of the mapping');
    const format = formatIn(argument);
    if (format) {
      if (!format.hasTime) throw new ConversionProblem('a format with hours was expected: date reads days');
      return (value) => read(civilTime(format.read(textOf(value))));
    }
    return (value) => {
      const reading = civilTime(textOf(value));
      if (reading.zone === undefined) return read(reading);
      throw new ConversionProblem('a time without a zone was expected: iso reads those that state one');
    };
  },
};

/** A day, or the day that a time states. @see specs/mapping-values.md MAP-63, MAP-93 */
export const date: Converter = {
  datatype: XSD_DATE,
  make(argument) {
    if (isMapping(argument)) {
      optionsOf(argument, ['format']);
      const { read, hasTime } = timeFormat(argument.format);
      return (value) => dayOf(read(textOf(value)), hasTime);
    }
    noArgument(argument);
    return (value) => {
      const text = textOf(value).trim();
      const [, year, month, day] =
        /^(\d{4})(?:-(\d\d)-(\d\d))?$/.exec(text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')) ?? [];
      if (month === undefined) return civilTime(text).date;
      const stated = `${year}-${month}-${day}`;
      civilDateMs(stated);
      return stated;
    };
  },
};

function epochOf(unitMs: number, unit: string): Converter {
  return {
    datatype: xsd.dateTime,
    make(argument) {
      noArgument(argument);
      return (value) => {
        const ms = Math.round(Number(numeral(value)) * unitMs);
        if (ms >= FIRST_MS && ms < END_MS) return new Date(ms).toISOString().replace('.000Z', 'Z');
        throw new ConversionProblem(`${unit} since 1970 of a year from 1 to 9999 were expected`);
      };
    },
  };
}

/** The day of what a format was read as; its time of day has to be one, too. */
function dayOf(text: string, hasTime: boolean): string {
  const day = text.slice(0, 10);
  if (hasTime) civilTime(text);
  else civilDateMs(day);
  return day;
}

function formatIn(argument: unknown): TimeFormat | undefined {
  return isMapping(argument) && argument.format !== undefined ? timeFormat(argument.format) : undefined;
}

function localReader(
  argument: unknown,
  context: ConverterContext,
  beside: readonly string[],
): ((reading: CivilTime) => string) | undefined {
  const given = typeof argument === 'string' ? { timeZone: argument } : argument === true ? undefined : argument;
  const options = optionsOf(given ?? undefined, ['timeZone', 'overlap', ...beside]);
  const { timeZone = context.timeZone, overlap = 'earlier' } = options;
  if (overlap !== 'earlier' && overlap !== 'later') {
    throw new ConversionProblem('earlier or later was expected as overlap');
  }
  if (timeZone === undefined) return undefined;
  if (typeof timeZone !== 'string') throw new ConversionProblem('a name was expected as timeZone');
  const offsetAt = zoneOffset(timeZone);
  return (reading) => localTime(reading, offsetAt, overlap);
}

function textOf(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw new ConversionProblem('a text was expected');
  return scalarText(value);
}
