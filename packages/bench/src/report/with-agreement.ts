import { isDeepStrictEqual } from 'node:util';
import { compareRuns, percentText, type RunComparison } from './compare-runs.ts';
import type { Report, Section } from './report.ts';

/**
 * A report that also says how far its ratios agree with those of an earlier run of the same experiment and workload, and
 * warns where they do not. Unchanged beside a run of something else.
 */
export function withAgreement(report: Report, earlier: Report): Report {
  if (!isSameWorkload(report, earlier)) return report;
  const comparison = compareRuns(earlier, report);
  const warnings = comparison.agrees ? [] : [`Beside the run of ${earlier.startedAt}: ${comparison.verdict}`];
  return {
    ...report,
    warnings: [...report.warnings, ...warnings],
    sections: [...report.sections, agreementSection(comparison)],
  };
}

/** How far two runs agree, ratio by ratio: those that differ first. */
function agreementSection(comparison: RunComparison): Section {
  const { ratios, onlyEarlier, onlyLater, toleranceShare } = comparison;
  const ordered = [...ratios].sort((left, right) => right.difference - left.difference);
  const missing = [
    onlyEarlier.length > 0 ? [`Only the earlier run has: ${onlyEarlier.join('; ')}.`] : [],
    onlyLater.length > 0 ? [`Only this run has: ${onlyLater.join('; ')}.`] : [],
  ].flat();
  return {
    title: 'Agreement with an earlier run',
    text: [`${comparison.verdict} The earlier run began at ${comparison.earlierStartedAt}.`, ...missing],
    tables: [
      {
        caption: `Ratios of both runs; they agree when their medians are at most ${percentText(toleranceShare)} apart`,
        columns: ['Ratio', 'Earlier', 'Now', 'Apart', 'Agrees'],
        rows: ordered.map(({ name, earlier, later, difference, agrees, isJudged }) => [
          name,
          earlier,
          later,
          Number.isFinite(difference) ? percentText(difference) : 'cannot be divided',
          isJudged ? (agrees ? 'yes' : 'no') : 'too few repeats',
        ]),
      },
    ],
  };
}

/** Whether two runs measured the same: their ratios can be compared, and the later takes the place of the earlier. */
export function isSameWorkload(left: Report, right: Report): boolean {
  // An earlier report has been JSON, where what is undefined is missing.
  const workloadOf = (report: Report) => JSON.parse(JSON.stringify(report.workload));
  return (
    left.experiment === right.experiment &&
    left.isQuick === right.isQuick &&
    isDeepStrictEqual(workloadOf(left), workloadOf(right))
  );
}
