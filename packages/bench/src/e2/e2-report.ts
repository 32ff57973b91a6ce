import type { Found } from '../report/make-report.ts';
import type { Report, Section } from '../report/report.ts';
import type { Spread } from '../spread.ts';
import { delayFigure } from './delay-figure.ts';
import type { E2Plan } from './e2-plan.ts';
import { bytesTable, cpuTable, delayTable, malTable } from './e2-tables.ts';
import { bytesText, cpuText, delayText, malText } from './e2-text.ts';
import { POLLING, WEBSOCKET } from './job-way.ts';
import type { WayRun } from './judge-run.ts';
import { bytesOf, cpuOf, medianDelayOf, ratioOf, summarizeWay, type WaySummary } from './way-summary.ts';

/** What the experiment found, by its runs. */
export function findE2(plan: E2Plan, runs: readonly WayRun[]): Omit<Found, 'versions'> {
  const summaries = plan.ways.flatMap((way) => {
    const own = runs.filter((run) => run.way === way.name);
    return own.length > 0 ? [summarizeWay(way, own)] : [];
  });
  return {
    workload: {
      users: plan.users,
      jobsPerUser: plan.jobs,
      longestJobMs: plan.longestMs,
      patienceMs: plan.patienceMs,
      warmUpJobsPerUser: plan.warmUpJobs,
    },
    repeats: plan.repeats,
    warnings: warningsOf(plan, summaries),
    sections: sectionsOf(plan, summaries),
    ratios: ratiosOf(summaries),
    histograms: Object.fromEntries(
      summaries.flatMap(({ way, delays, histogram }) => (delays ? [[way.label, histogram.toSparse()]] : [])),
    ),
    data: { plan, runs },
  };
}

function sectionsOf({ longestMs }: E2Plan, summaries: readonly WaySummary[]): readonly Section[] {
  const mals = malTable(summaries);
  return [
    {
      title: 'Delay from completion to notice',
      text: delayText(summaries, longestMs),
      figures: [delayFigure(summaries)],
      tables: [delayTable(summaries)],
    },
    { title: 'Bytes of a job', text: bytesText(summaries), tables: [bytesTable(summaries)] },
    { title: 'CPU time of the server', text: cpuText(summaries), tables: [cpuTable(summaries)] },
    ...(mals ? [{ title: 'MALs', text: malText(summaries), tables: [mals] }] : []),
  ];
}

function ratiosOf(summaries: readonly WaySummary[]): Report['ratios'] {
  const find = (name: string) => summaries.find(({ way }) => way.name === name);
  const pairs = [
    ...summaries.filter(({ way }) => way.name !== WEBSOCKET).map((of) => [of, find(WEBSOCKET)] as const),
    ...summaries.filter(({ way }) => isOurs(way.kind)).map((of) => [of, find(POLLING)] as const),
  ];
  const ratios: Record<string, Spread> = {};
  const add = (
    what: string,
    of: WaySummary,
    beside: WaySummary | undefined,
    figure: (run: WayRun) => number | undefined,
  ) => {
    const ratio = ratioOf(of, beside, figure);
    if (ratio) ratios[`${what} of ${of.way.label} / ${beside?.way.label}`] = ratio;
  };
  for (const [of, beside] of pairs) add('bytes', of, beside, bytesOf);
  for (const [of, beside] of pairs) add('cpu', of, beside, cpuOf);
  const [slow, fast] = [find(POLLING), find('polling-250')];
  // The others notice within milliseconds, of which a ratio says nothing.
  if (slow?.delays && fast?.delays) add('median delay', slow, fast, medianDelayOf);
  return ratios;
}

function warningsOf(plan: E2Plan, summaries: readonly WaySummary[]): readonly string[] {
  return summaries.flatMap(({ way, runs, timed }) => {
    const total = (figure: (run: WayRun) => number) => runs.reduce((sum, run) => sum + figure(run), 0);
    const [lost, doubled, untrue] = [total((run) => run.lost), total((run) => run.doubled), total((run) => run.untrue)];
    const saturated = runs.find((run) => run.saturated !== undefined)?.saturated;
    const patience = (plan.longestMs + plan.patienceMs) / 1000;
    return [
      ...(saturated === undefined
        ? []
        : [`${way.label}: delays of ${timed.length} of ${runs.length} repeats count, since of another ${saturated}.`]),
      ...(lost === 0
        ? []
        : [`${way.label}: jobs that were not noticed within ${patience} s, or this and the MAL: ${lost}.`]),
      ...(doubled === 0 ? [] : [`${way.label}: notices of what had been noticed: ${doubled}.`]),
      ...(untrue === 0 ? [] : [`${way.label}: notices of jobs that were not complete: ${untrue}.`]),
    ];
  });
}

function isOurs(kind: string): boolean {
  return kind === 'live' || kind === 'entity';
}
