import { type Spread, spread } from '../spread.ts';

const CHANCE_RUNS = 20;

/** How evenly events came. */
export interface PeakRate {
  /** The most in any window, wherever it begins. */
  readonly peak: number;
  /** As many as a window has on average. */
  readonly mean: number;
  readonly ratio: number;
}

/**
 * The fullest window of a length, beside the average one.
 *
 * @param timesMs - when events came, ascending, in [0, `durationMs`)
 */
export function peakRate(timesMs: readonly number[], durationMs: number, windowMs: number): PeakRate {
  let peak = 0;
  let first = 0;
  timesMs.forEach((timeMs, index) => {
    while ((timesMs[first] as number) <= timeMs - windowMs) first += 1;
    peak = Math.max(peak, index - first + 1);
  });
  const mean = (timesMs.length * windowMs) / durationMs;
  return { peak, mean, ratio: mean === 0 ? 0 : peak / mean };
}

/**
 * What the fullest window of clients comes to that ask at even distances, each from an instant of its own by chance: the
 * ratio of peak and mean, in the middle of some such runs. Independent clients cannot be spread more evenly.
 *
 * @param requests - of all clients in all of the time
 * @param random - numbers in [0, 1)
 */
export function chanceRatio(
  {
    clients,
    requests,
    durationMs,
    windowMs,
  }: Readonly<Record<'clients' | 'requests' | 'durationMs' | 'windowMs', number>>,
  random: () => number,
): Spread {
  const periodMs = (durationMs * clients) / requests;
  const ratios = Array.from({ length: CHANCE_RUNS }, () => {
    const times = Array.from({ length: clients }, () => random() * periodMs).flatMap((first) =>
      Array.from({ length: Math.ceil((durationMs - first) / periodMs) }, (_, index) => first + index * periodMs),
    );
    return peakRate(
      times.sort((left, right) => left - right),
      durationMs,
      windowMs,
    ).ratio;
  });
  return spread(ratios);
}
