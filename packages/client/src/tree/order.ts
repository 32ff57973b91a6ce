/*
 * The order of members: what a literal covers on the line of times or of numbers, and what relations bound there.
 *
 * A `tree:GreaterThanOrEqualToRelation` with "2026-01-01"^^xsd:date -> a span { start, end, isZoneless } ->
 * { low: 1767225600000, high: Infinity, isHighOpen: false, isZoneless: true }.
 */
import { decimals, terms } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';

const YEARS = new Set<string>(Object.values(terms('xsd', 'gYear gYearMonth')));
const NUMBERS = new Set<string>(Object.values({ ...decimals, ...terms('xsd', 'double float') }));

export type Dimension = 'time' | 'sequence';

/** What a literal covers on the line on which members are ordered: an instant, a day, a year or a number. */
export interface OrderSpan {
  /** Epoch milliseconds, or the number. */
  readonly start: number;
  /** `start` for an instant or a number, else the first instant after it. */
  readonly end: number;
  /** It is a time that names no time zone; it is read as UTC. */
  readonly isZoneless: boolean;
}

// How far a time without zone may be from what it says in UTC.
const ZONE_SLACK_MS = 14 * 3_600_000;

const TIME = /^(-?\d{4,6})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(\.\d+)?)?)?)?(Z|[+-]\d\d:\d\d)?$/;

/**
 * Where a literal stands in the order of members; `undefined` when it is neither a time nor a number.
 *
 * Times are `xsd:dateTime`, `xsd:date`, `xsd:gYearMonth` and `xsd:gYear`, exact to about a quarter of a microsecond.
 */
export function orderSpan(term: Term | undefined): OrderSpan | undefined {
  if (term?.termType !== 'Literal') return undefined;
  const datatype = term.datatype.value;
  if (NUMBERS.has(datatype)) {
    const value = Number(term.value.trim() || Number.NaN);
    return Number.isNaN(value) ? undefined : { start: value, end: value, isZoneless: false };
  }
  const match = TIME.exec(term.value.trim());
  if (!match || (match[3] === undefined && !YEARS.has(datatype))) return undefined;
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = 0, zone] = match;
  const zoneMs = zone === undefined || zone === 'Z' ? 0 : Date.parse(`1970-01-01T00:00${zone}`);
  const at = (years: number, months: number, days: number) =>
    Date.UTC(Number(year) + years, Number(month ?? 1) - 1 + months, Number(day ?? 1) + days, +hour, +minute, +second) +
    zoneMs;
  const start = at(0, 0, 0) + Number(fraction) * 1000;
  if (Number.isNaN(start)) return undefined;
  const isZoneless = zone === undefined;
  if (match[4] !== undefined) return { start, end: start, isZoneless };
  if (day !== undefined) return { start, end: at(0, 0, 1), isZoneless };
  return { start, end: month === undefined ? at(1, 0, 0) : at(0, 1, 0), isZoneless };
}

/** Where the values of the members under a node lie; infinite where there is no bound. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  /** `high` itself is left out. */
  readonly isHighOpen: boolean;
  /** A bound is a time without zone, so that it may be off by 14 hours. */
  readonly isZoneless: boolean;
}

/** Where the members under a node lie: by `ldes:timestampPath`, epoch milliseconds, and by `ldes:sequencePath`. */
export type Bounds = Readonly<Record<Dimension, Interval>>;

export const EVERYTHING: Interval = {
  low: Number.NEGATIVE_INFINITY,
  high: Number.POSITIVE_INFINITY,
  isHighOpen: false,
  isZoneless: false,
};

export const UNBOUNDED: Bounds = { time: EVERYTHING, sequence: EVERYTHING };

/**
 * What one relation says of the values under its node; everything, where its type says nothing of their order.
 *
 * @param values - its `tree:value`s: one, or for `tree:InBetweenRelation` two or a span
 */
export function relationInterval(type: string, values: readonly OrderSpan[]): Interval {
  const [value] = values;
  if (!value) return EVERYTHING;
  const { start, end } = value;
  const isZoneless = values.some((each) => each.isZoneless);
  const kind = /^https:\/\/w3id\.org\/tree#(\w+)Relation$/.exec(type)?.[1];
  switch (kind) {
    // What is greater than a day or a year may be within it where members are more precise: `low` counts as within.
    case 'GreaterThan':
    case 'GreaterThanOrEqualTo':
      return { ...EVERYTHING, low: start, isZoneless };
    case 'LessThan':
      return { ...EVERYTHING, high: start, isHighOpen: true, isZoneless };
    case 'LessThanOrEqualTo':
      return { ...EVERYTHING, high: end, isHighOpen: start !== end, isZoneless };
    case 'EqualTo':
    case 'InBetween': {
      const low = values.reduce((min, { start }) => Math.min(min, start), Number.POSITIVE_INFINITY);
      const high = values.reduce((max, { end }) => Math.max(max, end), Number.NEGATIVE_INFINITY);
      // One instant between which something lies says nothing.
      if (kind === 'InBetween' && low === high) return EVERYTHING;
      return { ...EVERYTHING, low, high, isZoneless };
    }
    default:
      return EVERYTHING;
  }
}

export function intersection(left: Interval, right: Interval): Interval {
  if (left === EVERYTHING) return right;
  if (right === EVERYTHING) return left;
  const low = Math.max(left.low, right.low);
  const high = Math.min(left.high, right.high);
  return {
    low,
    high,
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
