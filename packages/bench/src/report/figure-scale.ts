import type { Axis } from './figure.ts';

const MOST_LOG_TICKS_WITH_STEPS = 3;
const TIDY = 1e-9;

/** How values of an axis become places. */
export interface Scale {
  /** The place of a value; undefined for what the axis cannot show, such as 0 on a logarithmic one. */
  readonly place: (value: number) => number | undefined;
  readonly ticks: readonly number[];
  readonly low: number;
  readonly high: number;
}

/** Where an axis is drawn, and about how many ticks have room there. */
export interface AxisSpan {
  readonly from: number;
  readonly to: number;
  readonly ticks: number;
}

/** Whether a value can be shown on an axis. */
export function isShown({ scale }: Axis, value: number): boolean {
  return Number.isFinite(value) && (scale !== 'log' || value > 0);
}

/**
 * The scale of an axis on which all values that can be shown are between its ends, which are ticks. A linear axis begins
 * at 0 unless values are below; an axis without values goes from 0 to 1, or from 1 to 10.
 */
export function scaleOf(axis: Axis, values: Iterable<number>, span: AxisSpan): Scale {
  let [least, greatest] = [Infinity, -Infinity];
  for (const value of values) {
    if (!isShown(axis, value)) continue;
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  return axis.scale === 'log' ? logScale(least, greatest, span) : linearScale(least, greatest, span);
}

function linearScale(least: number, greatest: number, { from, to, ticks: most }: AxisSpan): Scale {
  const [bottom, top] =
    least > greatest || (least === 0 && greatest === 0) ? [0, 1] : [Math.min(0, least), Math.max(0, greatest)];
  const step = niceStep((top - bottom) / Math.max(1, most));
  const first = Math.floor(bottom / step + TIDY);
  const last = Math.max(first + 1, Math.ceil(top / step - TIDY));
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => tidy((first + index) * step));
  const [low, high] = [ticks[0] as number, ticks.at(-1) as number];
  const place = (value: number) =>
    Number.isFinite(value) ? from + ((value - low) / (high - low)) * (to - from) : undefined;
  return { place, ticks, low, high };
}

function logScale(least: number, greatest: number, { from, to, ticks: most }: AxisSpan): Scale {
  const [bottom, top] = least > greatest ? [1, 10] : [least, greatest];
  const decades = Math.log10(top) - Math.log10(bottom);
  const steps = decades <= MOST_LOG_TICKS_WITH_STEPS ? [1, 2, 5] : [1];
  const all: number[] = [];
  for (let power = Math.floor(Math.log10(bottom)) - 1; power <= Math.ceil(Math.log10(top)) + 1; power += 1) {
    all.push(...steps.map((step) => tidy(step * 10 ** power)));
  }
  const low = all.findLast((tick) => tick <= bottom * (1 + TIDY)) as number;
  const high = all.find((tick) => tick > low && tick >= top * (1 - TIDY)) as number;
  const within = all.filter((tick) => tick >= low && tick <= high);
  const every = Math.ceil(within.length / Math.max(2, most));
  // Where not all have room, whole powers of ten are those that stay.
  const powers = within.filter((tick) => Number.isInteger(tidy(Math.log10(tick))));
  const thinned =
    powers.length >= 2 ? powers.filter((_, index) => index % Math.ceil(powers.length / most) === 0) : within;
  const ticks = every > 1 ? thinned : within;
  const width = Math.log10(high) - Math.log10(low);
  const place = (value: number) =>
    Number.isFinite(value) && value > 0
      ? from + ((Math.log10(value) - Math.log10(low)) / width) * (to - from)
      : undefined;
  return { place, ticks, low, high };
}

/** The least of 1, 2, 5 times a power of ten that is not below. */
function niceStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const found = [1, 2, 5].find((step) => step * power >= atLeast * (1 - TIDY)) ?? 10;
  return found * power;
}

/** Without the remains of binary fractions. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
