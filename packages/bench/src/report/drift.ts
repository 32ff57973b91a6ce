import { compareRuns, percentText, type RatioComparison, TOLERANCE_SHARE } from './compare-runs.ts';
import { markdownTable } from './markdown-table.ts';
import { spreadText } from './number-text.ts';
import type { ReportSummary } from './summary-of.ts';

/** How far the ratios of a run have moved from those that were kept, for each experiment that both have. */
export interface Drift {
  readonly experiments: readonly ExperimentDrift[];
  /** Experiments of the run of which nothing was kept. */
  readonly unknown: readonly string[];
}

interface ExperimentDrift {
  readonly experiment: string;
  readonly verdict: string;
  readonly ratios: readonly RatioComparison[];
  readonly onlyKept: readonly string[];
  readonly onlyNow: readonly string[];
}

/**
 * Compares a run with what was kept of an earlier one, ratio by ratio: figures themselves differ from machine to machine.
 *
 * @param toleranceShare - from where on a ratio has drifted
 * @defaultValue `toleranceShare` 0.15
 */
export function driftOf(
  kept: readonly ReportSummary[],
  reports: readonly ReportSummary[],
  toleranceShare = TOLERANCE_SHARE,
): Drift {
  const experiments = reports.flatMap((report): ExperimentDrift[] => {
    const earlier = kept.find(({ experiment }) => experiment === report.experiment);
    if (earlier === undefined) return [];
    const { verdict, ratios, onlyEarlier, onlyLater } = compareRuns(earlier, report, toleranceShare);
    return [{ experiment: report.experiment, verdict, ratios, onlyKept: onlyEarlier, onlyNow: onlyLater }];
  });
  const known = new Set(experiments.map(({ experiment }) => experiment));
  return { experiments, unknown: reports.map(({ experiment }) => experiment).filter((name) => !known.has(name)) };
}

/** The share by which the ratio that moved most has moved; 0 where there is none. */
export function greatestDrift({ experiments }: Drift): number {
  return Math.max(0, ...experiments.flatMap(({ ratios }) => ratios.map(({ difference }) => difference)));
}

/** Drift as Markdown: a table for each experiment, with what moved most above. */
export function driftMarkdown({ experiments, unknown }: Drift): string {
  const parts = experiments.flatMap(({ experiment, verdict, ratios, onlyKept, onlyNow }) => [
    `### ${experiment}`,
    verdict,
    ...(ratios.length === 0 ? [] : [ratiosTable(ratios)]),
    ...(onlyKept.length === 0 ? [] : [`Missing in this run: ${onlyKept.join('; ')}.`]),
    ...(onlyNow.length === 0 ? [] : [`New in this run: ${onlyNow.join('; ')}.`]),
  ]);
  const missing = unknown.length === 0 ? [] : [`Nothing was kept of: ${unknown.join(', ')}.`];
  return `${['## Drift of ratios', ...parts, ...missing].join('\n\n')}\n`;
}

function ratiosTable(ratios: readonly RatioComparison[]): string {
  const ordered = [...ratios].sort((left, right) => right.difference - left.difference);
  const rows = ordered.map(({ name, earlier, later, difference, agrees }) => [
    name,
    spreadText(earlier),
    spreadText(later),
    `${Number.isFinite(difference) ? percentText(difference) : 'not comparable'}${agrees ? '' : ' (!)'}`,
  ]);
  return markdownTable(['Ratio', 'Kept', 'This run', 'Apart'], rows, [false, true, true, true]);
}
