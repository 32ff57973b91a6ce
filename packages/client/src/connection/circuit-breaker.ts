import { backoffMs } from '@ldes-live/latency';

/** Whether a push endpoint deserves another connection, from how the last ones went. */
export interface PushTrust {
  /** Connections in a row that brought nothing. */
  readonly strikes: number;
  /** How often in a row push was given up for a time. */
  readonly withdrawals: number;
  /** Until when push is given up, epoch milliseconds. */
  readonly againAtMs: number;
  /** What is held against it, in words. */
  readonly problem: string;
}

/** Nothing held against it. */
export const FULL_TRUST: PushTrust = { strikes: 0, withdrawals: 0, againAtMs: Number.NEGATIVE_INFINITY, problem: '' };

/** After how many fruitless connections in a row push is given up for a time. */
export const STRIKE_LIMIT = 3;

/** The longest first wait until push is tried again after strikes, milliseconds; it doubles each time. */
export const STRUCK_PAUSE_MS = 10_000;
/** The longest first wait until push is tried again after a refusal, milliseconds; it doubles each time. */
export const REFUSED_PAUSE_MS = 60_000;
/** The longest wait until push is tried again, milliseconds. */
export const LONGEST_PAUSE_MS = 1_800_000;

/** What a judgement needs to know. */
export interface TrustCircumstances {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** In [0, 1). */
  readonly random: number;
  /** What the server asked for, milliseconds. */
  readonly retryAfterMs?: number;
}

/** After a connection that failed or brought nothing. */
export function pushStruck(trust: PushTrust, problem: string, circumstances: TrustCircumstances): PushTrust {
  const strikes = trust.strikes + 1;
  return strikes < STRIKE_LIMIT
    ? { ...trust, strikes, problem }
    : withdrawn(trust, problem, circumstances, STRUCK_PAUSE_MS);
}

/** After an answer that says, or shows, that there is no push to be had. */
export function pushRefused(trust: PushTrust, problem: string, circumstances: TrustCircumstances): PushTrust {
  return withdrawn(trust, problem, circumstances, REFUSED_PAUSE_MS);
}

/** Whether push may be tried. */
export function isPushTrusted(trust: PushTrust, nowMs: number): boolean {
  return nowMs >= trust.againAtMs;
}

function withdrawn(
  trust: PushTrust,
  problem: string,
  { nowMs, ...wait }: TrustCircumstances,
  baseMs: number,
): PushTrust {
  const withdrawals = trust.withdrawals + 1;
  const pauseMs = backoffMs({ ...wait, attempt: withdrawals, baseMs, maxMs: LONGEST_PAUSE_MS });
  // One strike short of the limit: the next attempt is a trial.
  return { strikes: STRIKE_LIMIT - 1, withdrawals, againAtMs: nowMs + pauseMs, problem };
}
