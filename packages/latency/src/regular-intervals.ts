import { middle, middleDeviation } from './middle.ts';

/** How many intervals between updates have to be alike before there is a rhythm, and again after it has changed. */
export const LEAST_INTERVALS = 12;

/** How many of the last intervals a rhythm rests on at most. */
export const MOST_INTERVALS = 32;

/** The most by which the middle one of the intervals of a rhythm differs from their middle (MAD), as a share of it. */
export const IRREGULAR_SPREAD = 0.25;

/** The same, where the rhythm rests on fewer than {@link SURE_INTERVALS}: chance makes few intervals alike more easily. */
const IRREGULAR_SPREAD_OF_FEW = 0.12;
const SURE_INTERVALS = 22;

/** The most intervals of a rhythm that are shorter than half of the middle one: a share of them. */
const SHORT_SHARE = 1 / 12;

/** An older interval is of another rhythm where the middle one of so many up to it differs by this ratio. */
const COMPARED_INTERVALS = 5;
const OTHER_RHYTHM_RATIO = 1.4;

/** After how many updates missed in a row an interval no longer tells how long the others are, one more. */
const MOST_MISSED = 4;

/**
 * The intervals at the end that are of one rhythm; none where they are too few or irregular. Pure.
 *
 * @param intervalsMs - times between updates, milliseconds, oldest first
 * @returns between {@link LEAST_INTERVALS} and {@link MOST_INTERVALS} of them, or none
 * @see specs/mal.md MAL-26
 */
export function regularIntervals(intervalsMs: readonly number[]): readonly number[] {
  const newest = intervalsMs.slice(-LEAST_INTERVALS);
  if (newest.length < LEAST_INTERVALS) return [];
  const alike = intervalsMs.slice(-alikeCount(intervalsMs, middle(withoutMisses(newest))));
  const mostSpread = alike.length >= SURE_INTERVALS ? IRREGULAR_SPREAD : IRREGULAR_SPREAD_OF_FEW;
  return isRegular(newest, mostSpread) && isRegular(alike, mostSpread) ? alike : [];
}

/**
 * The intervals as they would be had no update been missed: one near a multiple of the middle one counts as the
 * interval that it is a multiple of. Pure.
 */
export function withoutMisses(intervalsMs: readonly number[]): number[] {
  const middleMs = middle(intervalsMs);
  return intervalsMs.map((intervalMs) => {
    const times = Math.round(intervalMs / middleMs);
    const isMultiple = times >= 2 && times <= MOST_MISSED && Math.abs(intervalMs - times * middleMs) <= middleMs / 4;
    return isMultiple ? intervalMs / times : intervalMs;
  });
}

/** How many of the last intervals seem to be of the rhythm of the newest. */
function alikeCount(intervalsMs: readonly number[], middleMs: number): number {
  const most = Math.min(intervalsMs.length, MOST_INTERVALS);
  for (let count = LEAST_INTERVALS; count < most; count += 1) {
    const end = intervalsMs.length - count;
    const older = intervalsMs.slice(Math.max(0, end - COMPARED_INTERVALS), end);
    const ratio = middle(withoutMisses(older)) / middleMs;
    if (!(ratio < OTHER_RHYTHM_RATIO && ratio > 1 / OTHER_RHYTHM_RATIO)) return count;
  }
  return most;
}

function isRegular(intervalsMs: readonly number[], mostSpread: number): boolean {
  const filled = withoutMisses(intervalsMs);
  const middleMs = middle(filled);
  const short = filled.filter((intervalMs) => intervalMs < middleMs / 2);
  return middleDeviation(filled) <= mostSpread * middleMs && short.length <= SHORT_SHARE * filled.length;
}
