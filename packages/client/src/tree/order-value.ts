import type { Term } from '@rdfjs/types';
import { orderTypes } from './tree-terms.ts';

/** What a literal covers on the line on which members are ordered: an instant, a day, a year or a number. */
export interface OrderSpan {
  /** Where it begins: epoch milliseconds, or the number. */
  readonly start: number;
  /** Where it ends: `start` for an instant or a number, else the first instant after it. */
  readonly end: number;
  /** Whether it is a time that names no time zone; it is read as UTC. */
  readonly isZoneless: boolean;
}

/** How far a time without zone may be from what it says in UTC, milliseconds. */
export const ZONE_SLACK_MS = 14 * 3_600_000;

const TIME = /^(-?\d{4,6})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(\.\d+)?)?)?)?(Z|[+-]\d\d:\d\d)?$/;

/**
 * Where a literal stands in the order of members; `undefined` when it is neither a time nor a number.
 *
 * Times are `xsd:dateTime`, `xsd:date`, `xsd:gYearMonth` and `xsd:gYear`, exact to about a quarter of a microsecond.
 */
export function orderSpan(term: Term | undefined): OrderSpan | undefined {
  if (term?.termType !== 'Literal') return undefined;
  const datatype = term.datatype.value;
  if (orderTypes.numbers.has(datatype)) return numberSpan(Number(term.value.trim() || Number.NaN));
  const match = TIME.exec(term.value.trim());
  if (!match || (match[3] === undefined && !orderTypes.years.has(datatype))) return undefined;
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = 0, zone] = match;
  const offsetMs = zoneOffsetMs(zone);
  const at = (years: number, months: number, days: number) =>
    Date.UTC(Number(year) + years, Number(month ?? 1) - 1 + months, Number(day ?? 1) + days, +hour, +minute, +second) -
    offsetMs;
  const start = at(0, 0, 0) + Number(fraction) * 1000;
  if (Number.isNaN(start)) return undefined;
  const isZoneless = zone === undefined;
  if (match[4] !== undefined) return { start, end: start, isZoneless };
  if (day !== undefined) return { start, end: at(0, 0, 1), isZoneless };
  return { start, end: month === undefined ? at(1, 0, 0) : at(0, 1, 0), isZoneless };
}

function numberSpan(value: number): OrderSpan | undefined {
  return Number.isNaN(value) ? undefined : { start: value, end: value, isZoneless: false };
}

function zoneOffsetMs(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}
