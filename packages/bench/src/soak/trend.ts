/*
 * Whether a figure grows over hours: a line by least squares, with its interval, and a verdict.
 *
 *   samples { life: 0, hours: 0.05, value: 212 } ... -> trend { level: 210, perHour: 3, low: -8, high: 14 } -> 'flat'
 *
 * A figure of a process begins anew with each of its lives, so each life has a level of its own and all have one slope. Samples
 * that follow each other resemble each other, which makes a line look surer than it is. So the interval is widened by the
 * correlation of neighbours.
 */

/** One look at one figure. */
export interface Sample {
  /** The number of the process that it is of. */
  readonly life: number;
  /** Since the beginning of the run. */
  readonly hours: number;
  readonly value: number;
}

/** A line through samples; its interval holds the slope in 95 of 100 cases. */
export interface Trend {
  /** The mean of the values. */
  readonly level: number;
  /** The largest of the values. */
  readonly max: number;
  readonly perHour: number;
  readonly low: number;
  readonly high: number;
  readonly samples: number;
}

/** What a figure may do. */
export interface Bound {
  /** Growth in an hour that still counts as flat, as a share of the level. */
  readonly growthShare: number;
  /** The largest value; absent for any. */
  readonly max?: number;
}

/** `flat`: it does not grow. `grows`: faster than it may. `high`: above its largest value. `unknown`: too few samples. */
export type Verdict = 'flat' | 'grows' | 'high' | 'unknown';

/** Fewer, or in a shorter life, say nothing of a slope: what a process does in its first minutes is not for ever. */
const MIN_SAMPLES = 8;
const MIN_SPAN_HOURS = 0.1;
/** Of the normal distribution: 95 % lie within so many standard errors. */
const INTERVAL_ERRORS = 1.96;
/** Neighbours that are alike beyond this leave too few samples of their own to divide by. */
const MAX_CORRELATION = 0.95;

/** The common slope of all lives. With fewer than eight samples, or within less than six minutes, it is not a number. */
export function trendOf(samples: readonly Sample[]): Trend {
  const values = samples.map(({ value }) => value);
  const level = mean(values);
  const max = Math.max(...values);
  const lives = [...new Set(samples.map(({ life }) => life))].map((life) => samples.filter((one) => one.life === life));
  const points = lives.flatMap((life) => {
    const [hours, value] = [mean(life.map((one) => one.hours)), mean(life.map((one) => one.value))];
    return life.map((one) => ({ x: one.hours - hours, y: one.value - value, life: one.life }));
  });
  const spread = sum(points.map(({ x }) => x * x));
  const longestHours = Math.max(...points.map(({ x }) => x)) - Math.min(...points.map(({ x }) => x));
  if (samples.length < MIN_SAMPLES || !(longestHours >= MIN_SPAN_HOURS)) {
    return { level, max, perHour: Number.NaN, low: Number.NaN, high: Number.NaN, samples: samples.length };
  }
  const perHour = sum(points.map(({ x, y }) => x * y)) / spread;
  const residuals = points.map(({ x, y, life }) => ({ life, value: y - perHour * x }));
  const squares = sum(residuals.map(({ value }) => value * value));
  const error = Math.sqrt(squares / Math.max(1, samples.length - lives.length - 1) / spread);
  const correlation = squares === 0 ? 0 : neighbourProducts(residuals) / squares;
  const likeness = Math.min(MAX_CORRELATION, Math.max(0, correlation));
  const half = INTERVAL_ERRORS * error * Math.sqrt((1 + likeness) / (1 - likeness));
  return { level, max, perHour, low: perHour - half, high: perHour + half, samples: samples.length };
}

/** Judges a trend: it is flat when its interval has 0 or less, or when an hour of it is a small share of the level. */
export function judge(
  { level, max, perHour, low }: Trend,
  { growthShare, max: most = Number.POSITIVE_INFINITY }: Bound,
): Verdict {
  if (max > most) return 'high';
  if (Number.isNaN(perHour)) return 'unknown';
  return low <= 0 || perHour <= growthShare * level ? 'flat' : 'grows';
}

function neighbourProducts(residuals: readonly { readonly life: number; readonly value: number }[]): number {
  return sum(
    residuals.slice(1).map(({ life, value }, index) => {
      const before = residuals[index];
      return before?.life === life ? before.value * value : 0;
    }),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
