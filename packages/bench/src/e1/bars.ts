import { numberText } from '../report/number-text.ts';
import { type Spread, spread } from '../spread.ts';
import { bytesPerClient, type CellRun, cpuPerDelivery } from './cell-run.ts';
import { fairP99Ms, pairRatios } from './pair-ratios.ts';
import type { CellSummary } from './summarize-cells.ts';

/** A bar that the framework sets itself, and whether it was kept. */
export interface Bar {
  readonly what: string;
  /** In words, such as `at most 1.3`. */
  readonly bar: string;
  /** What was measured; absent where it could not be. */
  readonly value?: Spread;
  /** By its median: kept or missed, how far from the limit, and whether the repeats agree on that. */
  readonly verdict: string;
}

interface Limit {
  readonly what: string;
  readonly limit: number;
  /** Whether the limit itself is too much. */
  readonly isBelow?: boolean;
}

const CPU_TO_C = 1.3;
const CPU_TO_FASTIFY_SSE = 1 / 3;
const P99_TO_C = 1.5;
const KIB_PER_CLIENT = 12;
const REQUESTS_PER_UPDATE = 1.05;
const MAL_MISSED_PERCENT = 0.1;

/**
 * Every bar that a run of this experiment can judge.
 *
 * @param clients - how many the bars of push are judged at
 */
export function judgeBars(runs: readonly CellRun[], cells: readonly CellSummary[], clients: number): readonly Bar[] {
  const beside = (under: string, figure: Parameters<typeof pairRatios>[2]) =>
    pairRatios(runs, { over: 'sse-live', under, clients }, figure);
  const live = runs.flatMap((run) => (run.way === 'sse-live' && run.clients === clients ? (run.measured ?? []) : []));
  const memory = live.flatMap((measured) => bytesPerClient(measured, clients) ?? []);
  const at = `${clients.toLocaleString('en-GB')} clients`;
  return [
    judge(
      { what: `CPU time of a delivery ÷ that of the loop in C, ${at}`, limit: CPU_TO_C },
      beside('sse-c', cpuPerDelivery),
    ),
    judge(
      { what: `CPU time of a delivery ÷ that of @fastify/sse, ${at}`, limit: CPU_TO_FASTIFY_SSE },
      beside('sse-fastify', cpuPerDelivery),
    ),
    judge(
      { what: `CPU time of a delivery ÷ that of Nchan, ${at}`, limit: 1, isBelow: true },
      beside('sse-nchan', cpuPerDelivery),
    ),
    judge(
      { what: `99th percentile of the delay ÷ that of the loop in C, ${at}`, limit: P99_TO_C },
      beside('sse-c', fairP99Ms),
    ),
    judge(
      { what: `Memory of a push connection, KiB, ${at}`, limit: KIB_PER_CLIENT },
      memory.length === 0 ? undefined : spread(memory.map((bytes) => bytes / 1024)),
    ),
    ...pollingBars(cells),
    {
      what: 'Requests a second of `GET /S/latest` ÷ those of a bare Fastify route',
      bar: 'at least 0.9',
      verdict: 'judged by the experiment `documents`',
    },
  ];
}

/** How our polling client did, at the number of clients where it did worst. */
function pollingBars(cells: readonly CellSummary[]): readonly Bar[] {
  const ours = cells.filter(({ way }) => way.kind === 'mal');
  const requests = worst(ours, (cell) => cell.requestsPerUpdateAndClient);
  const missed = worst(ours, (cell) => cell.latency?.malMissed);
  return [
    judge({ what: `Requests for an update and client${requests.where}`, limit: REQUESTS_PER_UPDATE }, requests.value),
    judge(
      { what: `Updates later than the MAL, %${missed.where}`, limit: MAL_MISSED_PERCENT, isBelow: true },
      missed.value && percent(missed.value),
    ),
  ];
}

function worst(
  cells: readonly CellSummary[],
  figure: (cell: CellSummary) => Spread | undefined,
): { readonly value: Spread | undefined; readonly where: string } {
  const found = cells.flatMap((cell) => {
    const value = figure(cell);
    return value ? [{ cell, value }] : [];
  });
  const most = found.sort((left, right) => right.value.median - left.value.median)[0];
  if (!most) return { value: undefined, where: '' };
  const { clients, way } = most.cell;
  return {
    value: most.value,
    where: `, at worst (${clients.toLocaleString('en-GB')} clients, MAL ${way.malSeconds} s)`,
  };
}

function judge({ what, limit, isBelow = false }: Limit, value: Spread | undefined): Bar {
  const bar = `${isBelow ? 'below' : 'at most'} ${numberText(limit)}`;
  if (value === undefined) return { what, bar, verdict: 'not measured' };
  const isKept = isBelow ? value.median < limit : value.median <= limit;
  const away = `${numberText(Math.abs(value.median / limit - 1) * 100)} % ${value.median > limit ? 'above' : 'below'} the limit`;
  const isDivided = value.min < limit && value.max > limit;
  const repeats = isDivided ? ' by the median; the repeats lie on both sides' : '';
  return { what, bar, value, verdict: `${isKept ? 'kept' : 'missed'}${repeats}, ${away}` };
}

function percent({ median, min, max, repeats }: Spread): Spread {
  return { median: median * 100, min: min * 100, max: max * 100, repeats };
}
