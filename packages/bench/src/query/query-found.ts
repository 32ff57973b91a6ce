import type { Found } from '../report/make-report.ts';
import { preformatted } from '../report/preformatted.ts';
import type { Section } from '../report/report.ts';
import type { EvaluationResult, EvaluationRow } from './measure-evaluation.ts';
import type { StallsResult } from './measure-stalls.ts';
import type { EvaluationSize, QueryPlan } from './query-plan.ts';
import { stallsText } from './stalls-text.ts';

/** What each measurement found; absent those that were left out. */
interface QueryResults {
  readonly evaluation?: EvaluationResult;
  readonly stalls?: StallsResult;
}

const MIB = 1024 ** 2;

/** What of the report is this experiment's own. */
export function queryFound({ evaluation, stalls }: QueryResults, plan: QueryPlan): Omit<Found, 'workload' | 'data'> {
  const rows = evaluation?.rows ?? [];
  return {
    repeats: plan.evaluation.commits,
    warnings: (stalls?.runs ?? [])
      .filter(({ overclaims, torn }) => overclaims + torn > 0)
      .map(
        ({ engine, overclaims, torn }) =>
          `${engine}: ${overclaims} answers claimed more than they had, ${torn} had a commit in part.`,
      ),
    sections: [
      ...(evaluation ? [localSection(rows, plan.evaluation), wholeSection(rows)] : []),
      ...(stalls ? [preformatted('The thread that follows', stallsText(stalls, plan.stalls))] : []),
    ],
    ratios: Object.fromEntries(
      rows.map(({ quads, engine, local }) => [`asked again / live, ${engine}, ${quads} quads`, local.ratio] as const),
    ),
    histograms: {},
  };
}

function localSection(rows: readonly EvaluationRow[], { entities, commits }: EvaluationSize): Section {
  return {
    title: 'A query whose solutions follow from one observation each',
    text: [
      'Live counts from the commit being handed out to its result being read, MAL 1 ms. Again is the same query by Comunica as a whole, its store being up to date, in turns in the same process. To be shown: at least 10 times as fast at 100,000 quads.',
    ],
    tables: [
      {
        caption: `Commits of ${entities} observations of 5 quads each to the latest state, ${commits} of them after some to warm up; median (least to greatest)`,
        columns: ['Engine, quads', 'Live, ms', 'Again, ms', 'Times as fast'],
        rows: rows.map((row) => [nameOf(row), row.local.told, row.local.again, row.local.ratio]),
      },
    ],
  };
}

function wholeSection(rows: readonly EvaluationRow[]): Section {
  return {
    title: 'An aggregate over all observations, and memory',
    text: [
      'An evaluation is as its results say; the start is from the state being handed out to the first result. Memory is that of a process with one live query alone, after the last commit, once.',
    ],
    tables: [
      {
        caption: 'Asked as a whole after each commit; memory beside that of the query above',
        columns: ['Engine, quads', 'Evaluation, ms', 'Start, ms', 'Memory, MiB', 'Memory of one observation each, MiB'],
        rows: rows.map((row) => [
          nameOf(row),
          row.whole.evaluation,
          row.whole.startMs,
          row.whole.residentBytes / MIB,
          row.local.residentBytes && row.local.residentBytes / MIB,
        ]),
      },
    ],
  };
}

function nameOf({ engine, quads }: EvaluationRow): string {
  return `${engine}, ${quads}`;
}
