import { LatencyHistogram } from '../load/latency-histogram.ts';
import { saturation } from '../load/saturation.ts';
import type { RequesterReport, RoundKind } from './requester-messages.ts';

/** What was asked for at one rate, and what came of it. JSON. */
export interface Round extends RequesterReport {
  readonly kind: RoundKind;
  readonly clients: number;
  /** Place of its rate on the grid. */
  readonly place: number;
  /** Updates or requests a second. */
  readonly perSecond: number;
  readonly scheduled: number;
  readonly serverCpuMicros: number;
  /** From the first instant of the schedule until all had come, microseconds. */
  readonly busyMicros: number;
}

/** How a round was: `refused` where the load was saturated, so that its figures are those of the load. */
export type Verdict = 'kept' | 'late' | 'incomplete' | 'refused';

/** The delay that no more than a hundredth may exceed: what was published, microseconds. */
export const LIMIT_P99_MICROS = 130_000;

/** Whether a round was kept: all came once, and 99 % of it within the limit. */
export function judgeRound(round: Round): Verdict {
  if (refusalOf(round) !== undefined) return 'refused';
  const { lost, doubled, strays } = round;
  if (lost + doubled + strays + failedPosts(round) > 0) return 'incomplete';
  return percentileOf(round, 0.99) > LIMIT_P99_MICROS ? 'late' : 'kept';
}

/** What is counted in a round, in words. */
export const WORDS = {
  updates: { one: 'update', many: 'updates' },
  requests: { one: 'round trip', many: 'round trips' },
} as const satisfies Record<RoundKind, object>;

/** Why the figures of a round are those of the load, or `undefined`. */
export function refusalOf(round: Round): string | undefined {
  return saturation({ ...round, processes: 1 });
}

/** Posts that were answered by anything but 201, or not at all. */
export function failedPosts({ posts: { requests, replies } }: Round): number {
  return [requests, replies].reduce(
    (sum, { statuses, unanswered }) =>
      Object.entries(statuses).reduce((failed, [status, count]) => failed + (status === '201' ? 0 : count), sum) +
      unanswered,
    0,
  );
}

/** A percentile of a round's delays, microseconds. */
export function percentileOf({ latency }: Round, share: number): number {
  const histogram = new LatencyHistogram();
  histogram.add(latency);
  return histogram.percentile(share);
}

/** Share of its core that the server took. */
export function serverShare({ serverCpuMicros, busyMicros }: Round): number {
  return serverCpuMicros / busyMicros;
}

/** CPU time of the server for what came, microseconds: of an update, or of a round trip. */
export function cpuOf({ serverCpuMicros, arrived }: Round): number {
  return serverCpuMicros / arrived;
}
