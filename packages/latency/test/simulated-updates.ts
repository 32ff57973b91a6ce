import { fc } from '@ldes-live/test-support/properties';

/** A number in [0, 1) from a seed, by the generator mulberry32: a new one for each call. */
export function seededUnit(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Seeds of simulations. */
export const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 });

/** Intervals between updates, from seconds to a day, milliseconds. */
export const intervals = fc.integer({ min: 2000, max: 86_400_000 });

/** An instant that simulations start at, epoch milliseconds. */
const START_MS = Date.UTC(2026, 0, 1);

/** Instants that intervals lead to, one after the other, whole milliseconds. */
export function afterIntervals(count: number, intervalMs: () => number, startMs: number = START_MS): number[] {
  let timeMs = startMs;
  return Array.from({ length: count }, () => {
    timeMs += intervalMs();
    return Math.round(timeMs);
  });
}

/** Instants of a timetable, each off by up to a share of the interval. */
export function timetabled(count: number, intervalMs: number, jitter: number, unit: () => number): number[] {
  return Array.from({ length: count }, (_, index) =>
    Math.round(START_MS + (index + jitter * (2 * unit() - 1)) * intervalMs),
  );
}

/** A number of the normal distribution, of mean 0 and deviation 1. */
export function normal(unit: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit());
}
