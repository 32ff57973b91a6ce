import type { Cell, Section } from '../report/report.ts';
import { spread } from '../spread.ts';
import type { BrowserPlan } from './e3-plan.ts';
import type { BrowserResult, BrowserRun } from './measure-browser.ts';
import { KEPT_UP_P99_MS } from './run-step.ts';
import { TRANSPORT_NAMES } from './transport.ts';

const PAGES = {
  table: 'The table page: every row is kept, the newest 20 are drawn',
  chart: 'The chart page: windows of 1 s, the newest 30 are drawn',
} as const;

/** The browser in a report. */
export function browserSection({ isMissing, runs }: BrowserResult, plan: BrowserPlan): Section {
  if (isMissing) return { title: 'In a browser', text: ['There is no Chromium here: this was not measured.'] };
  return {
    title: 'In a browser',
    text: [
      `Chromium, without a window, shows the rows of one connection, ${1000 / plan.intervalMs} batches a second, in a table and in a chart, and draws at most every 200 ms. CPU is that of all its processes, which share one core. The longest gap is between two draws: it is 200 ms and a frame where the page keeps up.`,
      `One page that is not counted is shown before all others, and each page has rows for ${plan.warmUpMs / 1000} s and has drawn before anything counts. Rows count as there that are parsed at most ${KEPT_UP_P99_MS} ms after the instant of the last batch: those after it are behind, and their delays count all the same.`,
      'A page has one connection, since a browser opens no more than six to an origin over HTTP/1.1, which is what all servers here speak; the published test used HTTP/2.',
    ],
    tables: plan.pages.map((page) => ({
      caption: PAGES[page],
      columns: [
        'transport',
        'offered, rows/s',
        'came, rows/s',
        'draws',
        'longest gap, ms',
        'browser CPU, %',
        'server CPU, %',
        'p99, ms',
        'lost, behind or twice',
      ],
      rows: plan.batches.flatMap((batch) =>
        plan.transports.map((transport) =>
          rowOf(runs.filter((run) => run.page === page && run.batch === batch && run.transport === transport)),
        ),
      ),
    })),
  };
}

function rowOf(runs: readonly BrowserRun[]): Cell[] {
  const cell = (value: (run: BrowserRun) => number | undefined): Cell => {
    const values = runs.flatMap((run) => value(run) ?? []);
    return values.length > 0 ? spread(values) : undefined;
  };
  const [first] = runs;
  return [
    first && TRANSPORT_NAMES[first.transport],
    first?.offeredPerSecond,
    cell(({ rowsPerSecond }) => Math.round(rowsPerSecond)),
    cell(({ draws }) => draws),
    cell(({ longestGapMs }) => Math.round(longestGapMs)),
    cell(({ browserShare }) => browserShare && browserShare * 100),
    cell(({ serverShare }) => serverShare * 100),
    cell(({ p99Micros }) => p99Micros / 1000),
    runs.reduce((sum, { lost, behind, doubled }) => sum + lost + behind + doubled, 0),
  ];
}
