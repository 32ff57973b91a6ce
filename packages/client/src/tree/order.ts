/*
 * The order of members: what a literal covers on the line of times or of numbers, and what relations bound there.
 *
 * A relation `tree:GreaterThanOrEqualToRelation` with "2026-01-01"^^xsd:date -> a span { start, end, isZoneless } ->
 * { low: 1767225600000, high: Infinity, isLowOpen: false, isHighOpen: false, isZoneless: true }.
 */
import type { Term } from '@rdfjs/types';

const TREE = 'https://w3id.org/tree#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';

/** By what members are ordered. */
export type Dimension = 'time' | 'sequence';

/** Types of TREE relations that bound an order. @see https://w3id.org/tree# */
export const relationTypes = {
  EqualTo: `${TREE}EqualToRelation`,
  GreaterThan: `${TREE}GreaterThanRelation`,
  GreaterThanOrEqualTo: `${TREE}GreaterThanOrEqualToRelation`,
  InBetween: `${TREE}InBetweenRelation`,
  LessThan: `${TREE}LessThanRelation`,
  LessThanOrEqualTo: `${TREE}LessThanOrEqualToRelation`,
} as const;

/** Datatypes whose values are numbers, and those whose values are times of less precision than a dateTime. */
const orderTypes = {
  numbers: new Set(
    [
      ...['integer', 'decimal', 'double', 'float', 'long', 'int', 'short', 'byte', 'nonNegativeInteger'],
      ...['positiveInteger', 'unsignedLong', 'unsignedInt', 'unsignedShort', 'unsignedByte', 'negativeInteger'],
      'nonPositiveInteger',
    ].map((name) => XSD + name),
  ) as ReadonlySet<string>,
  years: new Set([`${XSD}gYear`, `${XSD}gYearMonth`]) as ReadonlySet<string>,
} as const;

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

/** Where the values of the members under a node lie. */
export interface Interval {
  /** The lowest value; `-Infinity` when there is none. */
  readonly low: number;
  /** The highest value; `Infinity` when there is none. */
  readonly high: number;
  /** Whether `low` itself is left out. */
  readonly isLowOpen: boolean;
  /** Whether `high` itself is left out. */
  readonly isHighOpen: boolean;
  /** Whether a bound is a time without zone, so that it may be off by {@link ZONE_SLACK_MS}. */
  readonly isZoneless: boolean;
}

/** Where the members under a node lie in publication time and in sequence. */
export interface Bounds {
  /** By `ldes:timestampPath`, epoch milliseconds. */
  readonly time: Interval;
  /** By `ldes:sequencePath`. */
  readonly sequence: Interval;
}

/** The interval that leaves nothing out. */
export const EVERYTHING: Interval = {
  low: Number.NEGATIVE_INFINITY,
  high: Number.POSITIVE_INFINITY,
  isLowOpen: false,
  isHighOpen: false,
  isZoneless: false,
};

/** Bounds that leave nothing out. */
export const UNBOUNDED: Bounds = { time: EVERYTHING, sequence: EVERYTHING };

const ORDERED: ReadonlySet<string> = new Set(Object.values(relationTypes));

/**
 * What one relation says of the values under its node; everything, where its type says nothing of their order.
 *
 * @param type - IRI of the relation's type
 * @param values - its `tree:value`s: one, or for `tree:InBetweenRelation` two or a span
 */
export function relationInterval(type: string, values: readonly OrderSpan[]): Interval {
  const [value] = values;
  if (!value || !ORDERED.has(type)) return EVERYTHING;
  const isZoneless = values.some((each) => each.isZoneless);
  // Of a day or a year: what is greater than it may be within it where members are more precise.
  const isInstant = value.start === value.end;
  switch (type) {
    case relationTypes.GreaterThan:
      return { ...EVERYTHING, low: value.start, isLowOpen: isInstant, isZoneless };
    case relationTypes.GreaterThanOrEqualTo:
      return { ...EVERYTHING, low: value.start, isZoneless };
    case relationTypes.LessThan:
      return { ...EVERYTHING, high: value.start, isHighOpen: true, isZoneless };
    case relationTypes.LessThanOrEqualTo:
      return { ...EVERYTHING, high: value.end, isHighOpen: !isInstant, isZoneless };
    case relationTypes.EqualTo:
    case relationTypes.InBetween: {
      const low = values.reduce((least, { start }) => Math.min(least, start), value.start);
      const high = values.reduce((most, { end }) => Math.max(most, end), value.end);
      // One instant between which something lies says nothing.
      if (type === relationTypes.InBetween && low === high) return EVERYTHING;
      return { low, high, isLowOpen: false, isHighOpen: false, isZoneless };
    }
    default:
      return EVERYTHING;
  }
}

/** What keeps both intervals. */
export function intersection(left: Interval, right: Interval): Interval {
  if (left === EVERYTHING) return right;
  if (right === EVERYTHING) return left;
  const low = Math.max(left.low, right.low);
  const high = Math.min(left.high, right.high);
  return {
    low,
    high,
    isLowOpen: (left.low === low && left.isLowOpen) || (right.low === low && right.isLowOpen),
    isHighOpen: (left.high === high && left.isHighOpen) || (right.high === high && right.isHighOpen),
    isZoneless: left.isZoneless || right.isZoneless,
  };
}

/** Whether members from one instant up to another, that not included, may lie in an interval of times. */
export function mayHold({ low, high, isHighOpen, isZoneless }: Interval, afterMs: number, beforeMs: number): boolean {
  const slackMs = isZoneless ? ZONE_SLACK_MS : 0;
  const reaches = isHighOpen ? high + slackMs > afterMs : high + slackMs >= afterMs;
  return reaches && low - slackMs < beforeMs;
}

/** Whether every value of an interval of times is before an instant. */
export function endsBefore({ high, isHighOpen, isZoneless }: Interval, instantMs: number): boolean {
  const end = high + (isZoneless ? ZONE_SLACK_MS : 0);
  return isHighOpen ? end <= instantMs : end < instantMs;
}
