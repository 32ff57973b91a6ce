import type { LineSeries, LinesFigure } from '../report/figure.ts';
import { rowNameText, spreadText } from '../report/number-text.ts';
import type { Cell, Report, Section, Table } from '../report/report.ts';
import { type Spread, spread } from '../spread.ts';
import { countSpread } from './count-spread.ts';
import type { MostPlan } from './e3-plan.ts';
import { mostRatio } from './e3-ratios.ts';
import { limitOf } from './limit-of.ts';
import { intervalOf, type MostRun, mostRows } from './measure-most.ts';
import { PUBLISHED_MOST } from './published-e3.ts';
import { KEPT_UP_P99_MS } from './run-step.ts';
import { TRANSPORT_NAMES, type Transport } from './transport.ts';

const WORDS = {
  batch: { test: 'Test I', level: 'batch, rows', what: (plan: MostPlan) => `${plan.fixed} connections, growing batch` },
  connections: {
    test: 'Test II',
    level: 'connections',
    what: (plan: MostPlan) => `batches of ${plan.fixed} rows, growing number of connections`,
  },
} as const;

/** Test I or II in a report. */
export function mostSection(runs: readonly MostRun[], plan: MostPlan, ratios: Report['ratios']): Section {
  const { test, what } = WORDS[plan.grows];
  return {
    title: `${test}: the most rows a second, ${what(plan)}`,
    text: [
      `Each connection gets a batch at every instant of a fixed schedule. Rows are kept up with when each comes once, and 99 % of the batches are parsed within ${KEPT_UP_P99_MS} ms of their instant; steps take ${plan.stepMs / 1000} s. Rows a second are counted over all connections, as published. The most that came is the greatest rate of any step, of those that were not kept up with too: there a consumer reads without a pause. Ratios are of these.`,
      ...comparison(ratios, plan),
    ],
    figures: [figureOf(runs, plan)],
    tables: [reachedTable(runs, plan), costTable(runs, plan)],
  };
}

function reachedTable(runs: readonly MostRun[], plan: MostPlan): Table {
  const published = PUBLISHED_MOST[plan.grows];
  const base = published.websocket?.rowsPerSecond ?? Number.NaN;
  const columns = ['transport', 'every, ms', WORDS[plan.grows].level, 'rows/s kept up with', 'most rows/s that came'];
  return {
    caption: 'What was reached, and what was published',
    columns: [...columns, 'to WebSocket', 'published rows/s', 'published, to WebSocket'],
    rows: plan.transports.map((transport) => {
      const those = runs.filter((run) => run.transport === transport);
      const bests = those.flatMap(({ best }) => best ?? []);
      const other = published[transport];
      return [
        TRANSPORT_NAMES[transport],
        intervalOf(plan, transport),
        countSpread(bests.map(({ level }) => level)),
        spreadOf(bests.map(({ rowsPerSecond }) => Math.round(rowsPerSecond))),
        spreadOf(those.flatMap((run) => mostRows(run) ?? []).map(Math.round)),
        mostRatio(runs, transport, 'websocket'),
        other && `${rowNameText(other.rowsPerSecond)}${other.level === undefined ? '' : ` at ${other.level}`}`,
        other && rowNameText(other.rowsPerSecond / base),
      ];
    }),
  };
}

function costTable(runs: readonly MostRun[], { grows, transports }: MostPlan): Table {
  return {
    caption: 'The highest step that was kept up with; CPU in % of one core',
    columns: [
      'transport',
      'bytes a row',
      'p99, ms',
      'client CPU, %',
      'published',
      'server CPU, %',
      'published',
      'what was full next',
    ],
    rows: transports.map((transport) => {
      const those = runs.filter((run) => run.transport === transport);
      const bests = those.flatMap(({ best }) => best ?? []);
      const { clientShare, serverShare } = PUBLISHED_MOST[grows][transport] ?? {};
      return [
        TRANSPORT_NAMES[transport],
        spreadOf(bests.map(({ bytesPerRow }) => Math.round(bytesPerRow)).filter((bytes) => bytes > 0)),
        spreadOf(bests.map(({ p99Micros }) => p99Micros / 1000)),
        spreadOf(bests.map((best) => best.clientShare * 100)),
        percent(clientShare),
        spreadOf(bests.map((best) => best.serverShare * 100)),
        percent(serverShare),
        [...new Set(those.map(limitOf))].join(', '),
      ];
    }),
  };
}

function percent(share: number | undefined): Cell {
  return share === undefined ? undefined : Math.round(share * 100);
}

function comparison(ratios: Report['ratios'], { grows }: MostPlan): readonly string[] {
  const end = `, ${WORDS[grows].test.replace('T', 't')}`;
  const said = Object.entries(ratios).filter(([name]) => name.startsWith('rows/s of ') && name.endsWith(end));
  if (said.length === 0) return [];
  const parts = said.map(([name, ratio]) => {
    const pair = name.slice('rows/s of '.length, -end.length).replace(' / ', ' to ');
    return `${pair} ${spreadText(ratio)}`;
  });
  return [`Ratios of the most rows a second that came, within one repeat: ${parts.join('; ')}.`];
}

function figureOf(runs: readonly MostRun[], plan: MostPlan): LinesFigure {
  const { test, level, what } = WORDS[plan.grows];
  return {
    kind: 'lines',
    id: plan.grows === 'batch' ? 'rows-by-batch' : 'rows-by-connections',
    title: `${test}: rows that came, ${what(plan)}`,
    x: { label: level, scale: 'log' },
    y: { label: 'rows/s, all connections', scale: 'log' },
    series: plan.transports.map((transport) => seriesOf(runs, transport, intervalOf(plan, transport))),
  };
}

/** Every step, kept up with or not: where the line bends is the limit. */
function seriesOf(runs: readonly MostRun[], transport: Transport, intervalMs: number): LineSeries {
  const steps = runs.filter((run) => run.transport === transport).flatMap((run) => run.steps);
  const came = steps.filter(({ rowsPerSecond }) => rowsPerSecond > 0);
  const levels = [...new Set(came.map(({ level }) => level))].sort((left, right) => left - right);
  return {
    name: `${TRANSPORT_NAMES[transport]}, every ${intervalMs} ms`,
    points: levels.map((level) => {
      const { median, min, max } = spread(
        came.filter((step) => step.level === level).map((step) => step.rowsPerSecond),
      );
      return { x: level, y: median, low: min, high: max };
    }),
  };
}

function spreadOf(values: readonly number[]): Spread | undefined {
  return values.length > 0 ? spread(values) : undefined;
}
