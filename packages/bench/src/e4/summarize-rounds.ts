import { type LatencyCounts, LatencyHistogram } from '../load/latency-histogram.ts';
import { latencyMoments } from '../load/latency-moments.ts';
import { type Spread, spread } from '../spread.ts';
import { largestKept } from './growth.ts';
import type { ClientsRun } from './measure-clients.ts';
import { PUBLISHED } from './published.ts';
import type { RoundKind } from './requester-messages.ts';
import { cpuOf, judgeRound, percentileOf, type Round, serverShare, type Verdict } from './round.ts';
import { endOf, SEARCH_ENDS, type SearchEnd } from './search-end.ts';
import { type UnsteadyLimit, unsteadyLimitOf } from './unsteady-limit.ts';

/** What the repeats gave at one rate, without those that were refused. */
export interface RateSummary {
  readonly place: number;
  readonly perSecond: number;
  /** One for each repeat that came to this rate, refused ones included. */
  readonly verdicts: readonly Verdict[];
  readonly delays?: DelaySummary;
  /** CPU time of the server for an update or a round trip, microseconds; absent where none came. */
  readonly cpuMicros?: Spread;
  readonly serverShare: Spread;
  readonly loadShare: Spread;
}

/** Delays, milliseconds. */
interface DelaySummary {
  readonly meanMs: Spread;
  readonly standardDeviationMs: Spread;
  readonly p50Ms: Spread;
  readonly p95Ms: Spread;
  readonly p99Ms: Spread;
  readonly longestMs: Spread;
  /** Of all repeats, added up. */
  readonly latency: LatencyCounts;
}

/** What the repeats gave with so many clients. */
export interface ClientsSummary {
  readonly kind: RoundKind;
  readonly clients: number;
  readonly isDurable: boolean;
  /** Ascending by rate. */
  readonly rates: readonly RateSummary[];
  /** The largest rate that each repeat kept; absent where one kept none. */
  readonly largest?: Spread;
  /** Where repeats do not agree, so that the largest is none to tell; absent where they do. */
  readonly unsteady?: UnsteadyLimit;
  /** What ended the search for the largest, of all repeats; in this order. */
  readonly endedBy: readonly SearchEnd[];
  /** The greatest rate that was kept in each repeat. */
  readonly steady?: RateSummary;
  /** The greatest of those at which the server has a third of its core left: as was published. */
  readonly eased?: RateSummary;
}

/** Sums up the repeats of one kind, by clients; what is on disk is by itself. */
export function summarizeRounds(runs: readonly ClientsRun[], kind: RoundKind): readonly ClientsSummary[] {
  const ofKind = runs.filter(({ rounds }) => rounds.some((round) => round.kind === kind));
  const keyOf = ({ clients, isDurable }: ClientsRun) => `${isDurable} ${clients}`;
  return [...new Set(ofKind.map(keyOf))].map((key) =>
    summarizeClients(
      ofKind.filter((run) => keyOf(run) === key),
      kind,
    ),
  );
}

function summarizeClients(repeats: readonly ClientsRun[], kind: RoundKind): ClientsSummary {
  const { clients, isDurable } = repeats[0] as ClientsRun;
  const rounds = repeats.map((run) => run.rounds.filter((round) => round.kind === kind));
  const places = [...new Set(rounds.flat().map(({ place }) => place))].sort((left, right) => left - right);
  const rates = places.map((place) => summarizeRate(rounds.flat().filter((round) => round.place === place)));
  const isSteady = ({ verdicts }: RateSummary) =>
    verdicts.length === repeats.length && verdicts.every((verdict) => verdict === 'kept');
  const steady = rates.filter(isSteady);
  const eased = steady.filter((rate) => rate.serverShare.median <= PUBLISHED.cpuShare);
  const largest = rounds.flatMap((one) => largestOf(one)?.perSecond ?? []);
  const unsteady = unsteadyLimitOf(rounds.flat());
  return {
    kind,
    clients,
    isDurable,
    rates,
    endedBy: SEARCH_ENDS.filter((end) => rounds.some((one) => endOf(one) === end)),
    ...(largest.length === repeats.length && { largest: spread(largest) }),
    ...(unsteady && { unsteady }),
    ...(steady.length > 0 && { steady: steady.at(-1) as RateSummary }),
    ...(eased.length > 0 && { eased: eased.at(-1) as RateSummary }),
  };
}

/** The round with the largest rate that was kept in one repeat. */
function largestOf(rounds: readonly Round[]): Round | undefined {
  const place = largestKept(rounds.map((round) => ({ place: round.place, isKept: judgeRound(round) === 'kept' })));
  return rounds.find((round) => round.place === place);
}

function summarizeRate(rounds: readonly Round[]): RateSummary {
  const { place, perSecond } = rounds[0] as Round;
  const verdicts = rounds.map(judgeRound);
  const valid = rounds.filter((_, index) => verdicts[index] !== 'refused');
  const came = rounds.filter(({ arrived }) => arrived > 0);
  const of = (figure: (round: Round) => number) => spread(rounds.map(figure));
  return {
    place,
    perSecond,
    verdicts,
    ...(valid.length > 0 && { delays: summarizeDelays(valid) }),
    ...(came.length > 0 && { cpuMicros: spread(came.map(cpuOf)) }),
    serverShare: of(serverShare),
    loadShare: of(({ cpuMicros, wallMicros }) => cpuMicros / wallMicros),
  };
}

function summarizeDelays(rounds: readonly Round[]): DelaySummary {
  const all = new LatencyHistogram();
  for (const { latency } of rounds) all.add(latency);
  const ofMs = (figure: (round: Round) => number) => spread(rounds.map((round) => figure(round) / 1000));
  return {
    meanMs: ofMs(({ latency }) => latencyMoments(latency).mean),
    standardDeviationMs: ofMs(({ latency }) => latencyMoments(latency).standardDeviation),
    p50Ms: ofMs((round) => percentileOf(round, 0.5)),
    p95Ms: ofMs((round) => percentileOf(round, 0.95)),
    p99Ms: ofMs((round) => percentileOf(round, 0.99)),
    longestMs: ofMs(({ latency }) => latency.max),
    latency: all.toSparse(),
  };
}
