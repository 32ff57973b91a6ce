import { type OrderSpan, ZONE_SLACK_MS } from './order-value.ts';
import { relationTypes } from './tree-terms.ts';

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
