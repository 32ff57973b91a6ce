import { type Spread, spread } from '../spread.ts';
import { type CellRun, cpuShare, isServed, type Measured } from './cell-run.ts';
import { duePercentileMs } from './latency-share.ts';

/**
 * How a figure of one way is to that of another, each pair of runs of one repeat; `undefined` where there is no pair.
 *
 * @param figure - of a run; where it is not above 0, the pair is left out
 */
export function pairRatios(
  runs: readonly CellRun[],
  { over, under, clients }: { readonly over: string; readonly under: string; readonly clients: number },
  figure: (measured: Measured, run: CellRun) => number | undefined,
): Spread | undefined {
  const figureOf = (way: string, repeat: number) => {
    const run = runs.find((one) => one.way === way && one.clients === clients && one.repeat === repeat);
    const value = run?.measured && figure(run.measured, run);
    return value !== undefined && value > 0 && Number.isFinite(value) ? value : undefined;
  };
  const repeats = [...new Set(runs.map(({ repeat }) => repeat))];
  const ratios = repeats.flatMap((repeat) => {
    const [above, below] = [figureOf(over, repeat), figureOf(under, repeat)];
    return above === undefined || below === undefined ? [] : [above / below];
  });
  return ratios.length === 0 ? undefined : spread(ratios);
}

/** The 99th percentile of a run, milliseconds, unless its load was busy with itself, or too much was lost or skipped to know it. */
export function fairP99Ms(measured: Measured, { refusal }: CellRun): number | undefined {
  return refusal === undefined ? duePercentileMs(0.99, measured) : undefined;
}

/** The share of a core of a run, unless it left clients without what they should have had. */
export function servedShare(measured: Measured, everyMs: number): number | undefined {
  return isServed(measured) ? cpuShare(measured, everyMs) : undefined;
}
