import type { Figure } from '../report/figure.ts';
import { numberText } from '../report/number-text.ts';
import type { Cell, Section, Table } from '../report/report.ts';
import type { Spread } from '../spread.ts';
import type { CellRun, Measured } from './cell-run.ts';
import { densityFigure } from './density-figures.ts';
import { fairP99Ms, pairRatios } from './pair-ratios.ts';
import { publishedStatement } from './published.ts';
import type { CellSummary } from './summarize-cells.ts';
import { baselineOf } from './ways.ts';

const FIGURES = [
  ['polling-express', 'e1-latency-polling-express', 'Polling Express straight (figure 2 of the article)'],
  ['polling-live', 'e1-latency-polling-live', 'Polling ldes-live straight (beside figure 2)'],
  [
    'polling-express-nginx',
    'e1-latency-polling-express-nginx',
    'Polling Express through nginx (figure 3.1 of the article)',
  ],
  ['polling-live-nginx', 'e1-latency-polling-live-nginx', 'Polling ldes-live through nginx (beside figure 3.1)'],
  ['polling-live-varnish', 'e1-latency-polling-live-varnish', 'Polling ldes-live through Varnish (beside figure 3.1)'],
  ['sse-express', 'e1-latency-sse-express', 'SSE of the Express loop (figure 3.2 of the article)'],
  ['sse-live', 'e1-latency-sse-live', 'SSE of ldes-live (beside figure 3.2)'],
] as const;

const NEVER = 'never came';

const COLUMNS = [
  'Way and clients',
  'p50, ms',
  'p99, ms',
  'Longest that came, ms',
  'Under 1 s, %',
  'Skipped, %',
  'Lost, all repeats',
  'Twice, all repeats',
  'p99 ÷ Express',
  'The article says',
];

/** How late clients have what is new: the densities of the article's figures, and a row for every cell. */
export function latencySection(cells: readonly CellSummary[], runs: readonly CellRun[]): Section {
  const ways = [...new Map(cells.map(({ way }) => [way.id, way])).values()];
  const ours = ways
    .filter(({ kind }) => kind === 'mal')
    .map(({ id, malSeconds }) => [id, `e1-latency-${id}`, `Our client at MAL ${malSeconds} s, straight`] as const);
  const figures: Figure[] = [...FIGURES, ...ours].flatMap(
    ([way, id, title]) => densityFigure(cells, way, { id: figureId(id), title }) ?? [],
  );
  return {
    title: 'Latency on the client',
    text: [
      'From the instant that an update was due until a client had all of it, of every update and client. The article draws the same from a tenth of its updates, on a linear axis to 5 s; here the axis is logarithmic, and the density is for each factor of ten: a peak of the same height holds the same share of what came, however far right it is. Percentiles are of all updates that were due: what a client skipped, since it had a newer one by then, and what was lost, since it had not come when what is measured had ended, and where clients poll an interval later, is later than all that came, and where a percentile is one of these it “never came”.',
      'A client of the article that finds its copy fresh waits for its next turn: half its pause is the least that its median can be, whatever serves it. Pushed updates have no such wait; what is seen there is how long the server takes to write to all. Our client takes the time that its MAL gives it, so that requests are spread over it: what counts is how few updates come later, which the bars tell.',
      `${updatesText(runs)} The last ratio is to Express with as many clients: pushed, or polled straight or through nginx as the way is, Varnish beside nginx.`,
    ],
    ...(figures.length > 0 && { figures }),
    tables: [
      table('Polling, the article’s client', 'polling', cells, runs),
      table('Polling, our client', 'mal', cells, runs),
      table('SSE', 'sse', cells, runs),
    ].filter(({ rows }) => rows.length > 0),
  };
}

/** How many updates the figures are of: few, to very many clients. */
function updatesText(runs: readonly CellRun[]): string {
  const range = (isPushed: boolean, figure: (measured: Measured) => number) => {
    const values = runs.flatMap(({ way, measured }) =>
      measured && way.startsWith('sse-') === isPushed ? [figure(measured)] : [],
    );
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return values.length === 0
      ? undefined
      : least === most
        ? numberText(least)
        : `${numberText(least)} to ${numberText(most)}`;
  };
  const part = (isPushed: boolean, how: string) => {
    const updates = range(isPushed, (measured) => measured.updates);
    const seconds = range(isPushed, ({ intervalMs }) => intervalMs / 1000);
    return updates === undefined ? [] : [`${updates} where they ${how}, one every ${seconds} s`];
  };
  return `Updates of each client in a repeat: ${[...part(false, 'poll'), ...part(true, 'are pushed to')].join('; ')}.`;
}

function table(caption: string, kind: string, cells: readonly CellSummary[], runs: readonly CellRun[]): Table {
  const own = cells.filter(({ way }) => way.kind === kind);
  return { caption, columns: COLUMNS, rows: own.map((cell) => row(cell, runs)) };
}

function row(cell: CellSummary, runs: readonly CellRun[]): readonly Cell[] {
  const { way, clients, latency, skippedShare, repeats, lost, doubled } = cell;
  const under = baselineOf(way);
  const ratio = under === way.id ? undefined : pairRatios(runs, { over: way.id, under, clients }, fairP99Ms);
  return [
    cellName(cell),
    latency ? (latency.p50Ms ?? NEVER) : repeats === 0 ? 'failed' : 'refused',
    latency && (latency.p99Ms ?? NEVER),
    latency?.longestMs,
    percent(latency?.underOneSecond),
    percent(skippedShare),
    repeats === 0 ? undefined : lost,
    repeats === 0 ? undefined : doubled,
    ratio,
    publishedStatement(way, clients),
  ];
}

/** Ids of figures have no full stops, as MALs may. */
function figureId(id: string): string {
  return id.replaceAll('.', '-');
}

/** What a row of a table is called. */
export function cellName({ way, clients }: Pick<CellSummary, 'way' | 'clients'>): string {
  return `${way.name}, ${clients.toLocaleString('en-GB')}`;
}

/** Shares as percentages. */
export function percent(share: Spread | undefined): Spread | undefined {
  if (!share) return undefined;
  const { median, min, max, repeats } = share;
  return { median: median * 100, min: min * 100, max: max * 100, repeats };
}
