import type { LagSample } from './mqtt-messages.ts';

/** How late some messages were. */
export interface LagSummary {
  readonly messages: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Share of the messages that were later than the limit, from 0 to 1. */
  readonly lateShare: number;
}

/** What a lag is to stay under, milliseconds. */
export const LIMIT_LAG_MS = 250;

/** Sums up lags; all 0 of nothing. */
export function summarizeLags(samples: readonly LagSample[]): LagSummary {
  const lagsMs = samples.map(([, lagMs]) => lagMs).sort((left, right) => left - right);
  const rank = (share: number) => lagsMs[Math.max(0, Math.ceil(lagsMs.length * share) - 1)] ?? 0;
  const late = lagsMs.filter((lagMs) => lagMs > LIMIT_LAG_MS).length;
  return {
    messages: lagsMs.length,
    p50Ms: rank(0.5),
    p99Ms: rank(0.99),
    longestMs: rank(1),
    lateShare: lagsMs.length === 0 ? 0 : late / lagsMs.length,
  };
}

/** Whether a message was to be published within some time from an instant on. */
export function isWithin([plannedMs]: LagSample, fromMs: number, durationMs: number): boolean {
  return plannedMs >= fromMs && plannedMs < fromMs + durationMs;
}
