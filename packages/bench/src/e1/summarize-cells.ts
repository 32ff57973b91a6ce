import { type LatencyCounts, LatencyHistogram } from '../load/latency-histogram.ts';
import { lagNote } from '../load/saturation.ts';
import { type Spread, spread } from '../spread.ts';
import { bytesPerClient, type CellRun, cpuShare, type Measured } from './cell-run.ts';
import { countBelow, duePercentileMs } from './latency-share.ts';
import type { Way } from './ways.ts';

/** What one way with so many clients came to, over its repeats. What cannot be told is absent. */
export interface CellSummary {
  readonly way: Way;
  readonly clients: number;
  /** Repeats that were measured; 0 where none could be. */
  readonly repeats: number;
  /** Why some repeat could not be measured. */
  readonly failure?: string;
  /** Why the latencies of some repeats do not count. */
  readonly refusal?: string;
  /** Latencies of repeats whose load was not busy with itself. */
  readonly latency?: LatencyFigures;
  /** That the load was away for long beside the delays that are told. */
  readonly lagNote?: string;
  /** CPU time of the server, and of what stands before it, for a delivery, microseconds. */
  readonly cpuPerDelivery?: Spread;
  /** The same beside readers in C, where it was measured so. */
  readonly leanCpuPerDelivery?: Spread;
  /** CPU time of the load for a delivery where it is pushed to, microseconds. */
  readonly loadPerDelivery?: Spread;
  /** Share of a core for an update every so often. */
  readonly cpuShare?: Spread;
  readonly requestsPerSecond?: Spread;
  readonly requestsPerUpdateAndClient?: Spread;
  /** Requests that were answered by nothing of use. */
  readonly failedRequests?: number;
  readonly skippedShare?: Spread;
  /** Share of all updates due that were skipped or lost. */
  readonly missingShare?: Spread;
  readonly lost: number;
  readonly doubled: number;
  readonly residentBytes?: Spread;
  readonly bytesPerClient?: Spread;
  readonly loadShare?: Spread;
  readonly loadLagMs?: Spread;
}

/** How late updates were: milliseconds, and shares of all that were due. */
interface LatencyFigures {
  /** Absent where, in some repeat, so much was lost or skipped that it is not known; so is the next. */
  readonly p50Ms?: Spread;
  readonly p99Ms?: Spread;
  /** Of what came; absent where, in some repeat, nothing did. */
  readonly longestMs?: Spread;
  /** Share of all updates due that a client had within 1 s. */
  readonly underOneSecond: Spread;
  /** Of our client: share of all updates due that it had later than its MAL, or never. */
  readonly malMissed?: Spread;
  /** All repeats added up. */
  readonly histogram: LatencyCounts;
}

/** The summary of every way and number of clients that was run, in the order of the ways. */
export function summarizeCells(
  runs: readonly CellRun[],
  ways: readonly Way[],
  sizes: readonly number[],
  everyMs: number,
): readonly CellSummary[] {
  return ways.flatMap((way) =>
    sizes.flatMap((clients) => {
      const own = runs.filter((run) => run.way === way.id && run.clients === clients);
      return own.length === 0 ? [] : [summarize(way, clients, own, everyMs)];
    }),
  );
}

/** The summary of a way with so many clients. */
export function cellOf(cells: readonly CellSummary[], wayId: string, clients: number): CellSummary | undefined {
  return cells.find((cell) => cell.way.id === wayId && cell.clients === clients);
}

function summarize(way: Way, clients: number, runs: readonly CellRun[], everyMs: number): CellSummary {
  const measured = runs.flatMap((run) => run.measured ?? []);
  const failure = runs.find((run) => run.failure !== undefined)?.failure;
  const refusal = runs.find((run) => run.refusal !== undefined)?.refusal;
  const fair = runs.flatMap((run) => (run.refusal === undefined && run.measured ? [run.measured] : []));
  const sum = (count: (run: Measured) => number) => measured.reduce((total, run) => total + count(run), 0);
  const polls = way.kind !== 'sse';
  const note = fair.map(lagNoteOf).find((one) => one !== undefined);
  const delivering = measured.filter(({ delivered }) => delivered > 0);
  return {
    way,
    clients,
    repeats: measured.length,
    lost: sum((run) => run.lost),
    doubled: sum((run) => run.doubled),
    ...(failure !== undefined && { failure }),
    ...(refusal !== undefined && { refusal }),
    ...(fair.length > 0 && { latency: latencyFigures(way, fair) }),
    ...(note !== undefined && { lagNote: note }),
    ...given(
      'cpuPerDelivery',
      delivering.map(({ serverCpuMicros, delivered }) => serverCpuMicros / delivered),
    ),
    ...(!polls &&
      given(
        'loadPerDelivery',
        delivering.map(({ loadShare, wallMicros, delivered }) => (loadShare * wallMicros) / delivered),
      )),
    ...given(
      'leanCpuPerDelivery',
      measured.flatMap(({ leanCpuMicros }) => leanCpuMicros ?? []),
    ),
    ...given(
      'cpuShare',
      measured.map((run) => cpuShare(run, everyMs)),
    ),
    ...(polls && {
      ...given(
        'requestsPerSecond',
        measured.map((run) => ((run.requests ?? 0) * 1e6) / run.wallMicros),
      ),
      ...given(
        'requestsPerUpdateAndClient',
        measured.map((run) => (run.requests ?? 0) / run.expected),
      ),
      failedRequests: sum((run) => run.failed ?? 0),
    }),
    ...given(
      'skippedShare',
      measured.map((run) => run.skipped / run.expected),
    ),
    ...given(
      'missingShare',
      measured.map((run) => (run.skipped + run.lost) / run.expected),
    ),
    ...given(
      'residentBytes',
      measured.flatMap((run) => run.residentBytes ?? []),
    ),
    ...given(
      'bytesPerClient',
      measured.flatMap((run) => bytesPerClient(run, clients) ?? []),
    ),
    ...given(
      'loadShare',
      measured.map((run) => run.loadShare),
    ),
    ...given(
      'loadLagMs',
      measured.map((run) => run.loadLagMs),
    ),
  };
}

function latencyFigures({ malSeconds }: Way, runs: readonly Measured[]): LatencyFigures {
  const all = new LatencyHistogram();
  for (const { latency } of runs) all.add(latency);
  const percentiles = (share: number) => runs.map((run) => duePercentileMs(share, run));
  return {
    ...givenAll('p50Ms', percentiles(0.5)),
    ...givenAll('p99Ms', percentiles(0.99)),
    ...givenAll(
      'longestMs',
      runs.map(({ latency }) => (latency.counts.length > 0 ? latency.max / 1000 : undefined)),
    ),
    underOneSecond: spread(runs.map((run) => Math.min(1, countBelow(run.latency, 1e6) / run.expected))),
    ...(malSeconds !== undefined &&
      givenAll(
        'malMissed',
        runs.map((run) => malMissedShare(run, malSeconds)),
      )),
    histogram: all.toSparse(),
  };
}

/**
 * Share of all updates due that came later than the MAL or never did. With updates that follow each other sooner than the MAL, a
 * client may pass some by, and at the end have some still to come in time: these are not missed, and where that is all of them
 * nothing is known.
 */
function malMissedShare(run: Measured, malSeconds: number): number | undefined {
  const { latency, delivered, skipped, lost, expected, updates, intervalMs } = run;
  const late = Math.max(0, delivered - countBelow(latency, malSeconds * 1e6 + 1));
  const updatesOfMal = (malSeconds * 1000) / intervalMs;
  if (updatesOfMal <= 1) return (late + skipped + lost) / expected;
  if (updates <= Math.ceil(updatesOfMal)) return undefined;
  const stillToCome = (expected / updates) * Math.ceil(updatesOfMal);
  return (late + Math.max(0, lost - stillToCome)) / expected;
}

function lagNoteOf(run: Measured): string | undefined {
  const p99Ms = duePercentileMs(0.99, run);
  if (p99Ms === undefined) return undefined;
  return lagNote({ longestLoopLagMicros: run.loadLagMs * 1000, p99Micros: p99Ms * 1000 });
}

/** The spread of values that all are known. */
function givenAll<Name extends string>(
  name: Name,
  values: readonly (number | undefined)[],
): { [key in Name]?: Spread } {
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length ? given(name, known) : {};
}

function given<Name extends string>(name: Name, values: readonly number[]): { [key in Name]?: Spread } {
  return values.length === 0 ? {} : ({ [name]: spread(values) } as { [key in Name]?: Spread });
}
