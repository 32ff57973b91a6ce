import type { Figure, LineSeries } from '../report/figure.ts';
import { rowNameText } from '../report/number-text.ts';
import type { Cell, Section, Table } from '../report/report.ts';
import { densitySeries } from './density-series.ts';
import { PUBLISHED } from './published.ts';
import type { RoundKind } from './requester-messages.ts';
import { LIMIT_P99_MICROS, WORDS } from './round.ts';
import type { ClientsSummary, RateSummary } from './summarize-rounds.ts';

const DELAY_COLUMNS = ['Mean, ms', 'SD, ms', 'p50, ms', 'p95, ms', 'p99, ms', 'Longest, ms'];

/** The delays at all rates with each number of clients: the largest rate that was kept, and how delays grow towards it. */
export function ratesSection(
  title: string,
  text: readonly string[],
  kind: RoundKind,
  summaries: readonly ClientsSummary[],
): Section {
  return {
    title,
    text,
    figures: [...growthFigure(kind, summaries), ...densityFigure(kind, summaries)],
    tables: [delaysTable(kind, summaries), ratesTable(kind, summaries)],
  };
}

/** Why figures that all repeats have in common are not told. */
export const NO_COMMON_RATE = 'no rate was kept by every repeat';

/** How a number of clients is named. */
export function nameOf({ clients, isDurable }: Pick<ClientsSummary, 'clients' | 'isDurable'>): string {
  return `${rowNameText(clients)} clients${isDurable ? ', logs on disk' : ''}`;
}

/** A rate as a whole number in full. */
export function rateText(perSecond: number): string {
  return rowNameText(Math.round(perSecond));
}

function growthFigure(kind: RoundKind, summaries: readonly ClientsSummary[]): Figure[] {
  const series: LineSeries[] = summaries.map((summary) => ({
    name: nameOf(summary),
    points: summary.rates.flatMap(({ perSecond, delays }) =>
      delays ? [{ x: perSecond, y: delays.p99Ms.median, low: delays.p99Ms.min, high: delays.p99Ms.max }] : [],
    ),
  }));
  const drawn = series.filter(({ points }) => points.length > 0);
  if (drawn.length === 0) return [];
  const limitMs = LIMIT_P99_MICROS / 1000;
  return [
    {
      kind: 'lines',
      id: `e4-${kind}-p99${durability(summaries)}`,
      title: `99th percentile of the delay against the rate, ${WORDS[kind].many}`,
      x: { label: `${WORDS[kind].many} a second`, scale: 'log' },
      y: { label: 'p99, ms', scale: 'log' },
      series: drawn,
      marks: [{ axis: 'y', at: limitMs, label: `${limitMs} ms` }],
    },
  ];
}

function densityFigure(kind: RoundKind, summaries: readonly ClientsSummary[]): Figure[] {
  const series = summaries.flatMap((summary) => {
    const { steady } = summary;
    if (!steady?.delays) return [];
    return [densitySeries(`${nameOf(summary)}, ${rateText(steady.perSecond)}/s`, steady.delays.latency)];
  });
  if (series.length === 0) return [];
  return [
    {
      kind: 'density',
      id: `e4-${kind}-density${durability(summaries)}`,
      title: `Delay of ${WORDS[kind].many} at the largest rate that every repeat kept`,
      x: { label: 'delay, ms', scale: 'log' },
      y: { label: 'density, for each factor of ten' },
      series,
    },
  ];
}

/** So that figures of logs on disk have ids of their own. */
function durability(summaries: readonly ClientsSummary[]): string {
  return summaries.some(({ isDurable }) => isDurable) ? '-durable' : '';
}

/** The rates at which repeats agree, beside what was published. */
function delaysTable(kind: RoundKind, summaries: readonly ClientsSummary[]): Table {
  const rows = summaries.flatMap((summary): Cell[][] => {
    const { steady, eased } = summary;
    if (!steady) return [[nameOf(summary), `not told: ${NO_COMMON_RATE}`]];
    const isSame = steady.place === eased?.place;
    return [
      ...(eased && !isSame ? [delaysRow(nameOf(summary), AS_PUBLISHED, eased)] : []),
      delaysRow(nameOf(summary), isSame ? `${LARGEST}, ${AS_PUBLISHED}` : LARGEST, steady),
    ];
  });
  return {
    caption: `Delay of ${WORDS[kind].many} at the largest rate that every repeat kept, and at the largest of these that left the server as much of its cores as was published`,
    columns: ['Set-up', 'Rate', 'Rate, /s', 'Server', ...DELAY_COLUMNS],
    rows: kind === 'requests' ? [publishedRow(), ...rows] : rows,
  };
}

/** All digits that were published. */
function asPublished(value: number | undefined): Cell {
  return value === undefined ? undefined : rowNameText(value);
}

const LARGEST = 'largest kept';
const AS_PUBLISHED = `≤ ${PUBLISHED.cpuShare * 100} % CPU`;

function publishedRow(): Cell[] {
  const { clients, cores, requestsPerSecond, cpuShare, meanMs, standardDeviationMs, p95Ms, p99Ms, longestMs } =
    PUBLISHED;
  const delays = [meanMs, standardDeviationMs, undefined, p95Ms, p99Ms, longestMs];
  const name = `Published: ${rowNameText(clients)} clients, ${cores} cores`;
  return [name, undefined, ...[requestsPerSecond, cpuShare, ...delays].map(asPublished)];
}

function delaysRow(name: string, which: string, { perSecond, serverShare, delays }: RateSummary): Cell[] {
  const { meanMs, standardDeviationMs, p50Ms, p95Ms, p99Ms, longestMs } = delays ?? {};
  const rate = Math.round(perSecond);
  return [name, which, rate, serverShare, meanMs, standardDeviationMs, p50Ms, p95Ms, p99Ms, longestMs];
}

function ratesTable(kind: RoundKind, summaries: readonly ClientsSummary[]): Table {
  return {
    caption:
      'All rates that were tried, and how many repeats kept them; where the load was saturated no delay is told. Server and load: shares of their cores',
    columns: ['Clients and rate', 'Kept', 'p50, ms', 'p99, ms', `CPU of one ${WORDS[kind].one}, µs`, 'Server', 'Load'],
    rows: summaries.flatMap((summary) =>
      summary.rates.map(({ perSecond, verdicts, delays, cpuMicros, serverShare, loadShare }) => [
        `${nameOf(summary)}, ${rateText(perSecond)}/s`,
        keptText(verdicts),
        delays?.p50Ms,
        delays?.p99Ms,
        cpuMicros,
        serverShare,
        loadShare,
      ]),
    ),
  };
}

function keptText(verdicts: RateSummary['verdicts']): string {
  const kept = verdicts.filter((verdict) => verdict === 'kept').length;
  const others = [...new Set(verdicts.filter((verdict) => verdict !== 'kept'))];
  return `${kept} of ${verdicts.length}${others.length > 0 ? ` (${others.join(', ')})` : ''}`;
}
