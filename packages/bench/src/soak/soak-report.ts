/* What a soak found, as JSON and as a page of Markdown. */
import type { PushStats } from '../load/push-counts.ts';
import type { Machine } from '../machine.ts';
import type { ClientCounts, StreamName } from './clients.ts';
import type { LookFigure } from './server-lives.ts';
import type { Bound, Sample, Trend, Verdict } from './trend.ts';

/** A count that may be so small or so large. */
export interface Check {
  readonly name: string;
  readonly value: number;
  readonly least?: number;
  readonly most?: number;
}

export function isRight({ value, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }: Check): boolean {
  return value >= least && value <= most;
}

export interface FigureReport extends Trend {
  readonly figure: LookFigure;
  readonly bound: Bound;
  readonly verdict: Verdict;
}

export interface SoakReport {
  readonly startedAt: string;
  readonly minutes: number;
  readonly seed: number;
  readonly machine: Machine;
  /** Cores that other programs kept busy in the beginning. */
  readonly busyCores: number;
  readonly stolenShare: number;
  /** How each life of the server ended. */
  readonly ends: readonly string[];
  readonly reloads: number;
  readonly feedFailures: number;
  readonly heads: Readonly<Record<StreamName, number>>;
  readonly counts: ClientCounts;
  /** What readers of plain sockets met. */
  readonly loads: readonly (PushStats & Readonly<Record<'gaps' | 'conflations', number>> & { readonly name: string })[];
  readonly polls: Readonly<Record<'requests' | 'failed', number>>;
  readonly figures: readonly FigureReport[];
  readonly checks: readonly Check[];
  readonly remarks: readonly string[];
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
}

/** The page. */
export function soakMarkdown(report: SoakReport): string {
  const { machine, figures, checks, counts, heads } = report;
  const wrong = [
    ...checks.filter((check) => !isRight(check)).map(({ name }) => name),
    ...figures.filter(({ verdict }) => verdict === 'grows' || verdict === 'high').map(({ figure }) => figure),
  ];
  const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
    [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
  const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');
  return [
    `# Soak of ${number(report.minutes)} minutes, ${report.startedAt}`,
    wrong.length === 0 ? 'All verdicts are right.' : `**Wrong: ${wrong.join('; ')}.**`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB, ${machine.platform}, Node ${machine.node}. Other programs kept ` +
      `${number(report.busyCores)} cores busy in the beginning. Seed ${report.seed}.`,
    '## Figures of the server',
    'A slope is of all lives of the server, without the warm-up of each. The interval holds it in 95 of 100 cases.',
    table(
      ['figure', 'mean', 'largest', 'slope in an hour', 'interval', 'samples', 'flat up to', 'verdict'],
      figures.map((one) => [
        one.figure,
        number(one.level),
        number(one.max),
        number(one.perHour),
        `${number(one.low)} to ${number(one.high)}`,
        String(one.samples),
        `${number(one.bound.growthShare * one.level)}${one.bound.max === undefined ? '' : `, at most ${one.bound.max}`}`,
        one.verdict,
      ]),
    ),
    '## Checks',
    table(
      ['what', 'found', 'may be', ''],
      checks.map((check) => [
        check.name,
        number(check.value),
        check.least === undefined ? `at most ${check.most}` : `at least ${check.least}`,
        isRight(check) ? 'right' : '**wrong**',
      ]),
    ),
    '## What happened',
    list([
      ...report.ends.map((end, life) => `life ${life}: ${end}`),
      `${report.reloads} reloads, ${report.feedFailures} answers of feeds that failed`,
      ...report.loads.map(
        ({ name, opened, ended, refused, gaps, conflations }) =>
          `${name}: opened ${opened}, ended ${ended}, refused ${refused}, gaps ${gaps}, conflations ${conflations}`,
      ),
      `${report.polls.requests} polls, ${report.polls.failed} without an answer`,
      ...Object.entries(heads).map(([stream, head]) => `${stream}: ${head} members`),
      ...Object.entries(counts).map(([name, count]) => `${name}: ${count}`),
    ]),
    ...(report.remarks.length === 0 ? [] : ['## Remarks of readers', list(report.remarks)]),
    '',
  ].join('\n\n');
}

function number(value: number): string {
  if (Number.isNaN(value)) return '-';
  return Math.abs(value) >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3);
}
