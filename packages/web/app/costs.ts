/*
 * What following costs, measured and computed, so that a person can compare the two ways. The formulas are those of
 * `latency`, for one reader; sizes come from what the stream itself has sent.
 *
 *   samples of the last minute -> { requestsPerMinute: 12, bytesPerMinute: 40_000 }         measured
 *   MAL 1 s, interval 5 s, a state of 20 kB, 4 kB an update -> push 12 events, pull 12 polls  computed
 */
import { capacityNeed, DEFAULT_CAPACITY_COSTS, type Mode, usersServed } from '@ldes-live/latency';
import type { LagSample, LiveStream, StatusSample } from './live-stream.ts';

export interface Spending {
  readonly requestsPerMinute: number;
  readonly bytesPerMinute: number;
}

const MINUTE_MS = 60_000;
// Shorter than this, one poll more or less says nothing.
const LEAST_MS = 5000;
// Requests, or updates, from which on their mean says something.
const LEAST_MEASURED = 3;

/** What the last minute cost in the present mode; `undefined` until there is something to tell. */
export function measuredSpending(samples: readonly StatusSample[], nowMs: number): Spending | undefined {
  const newest = samples.at(-1);
  if (!newest) return undefined;
  const changedAt = samples.findLastIndex(({ mode, malMs }) => mode !== newest.mode || malMs !== newest.malMs) + 1;
  const oldest = samples.slice(changedAt).find(({ atMs }) => atMs >= nowMs - MINUTE_MS);
  if (!oldest || newest.atMs - oldest.atMs < LEAST_MS) return undefined;
  const minutes = (newest.atMs - oldest.atMs) / MINUTE_MS;
  return {
    requestsPerMinute: (newest.requests - oldest.requests) / minutes,
    bytesPerMinute: (newest.bytes - oldest.bytes) / minutes,
  };
}

/** From one commit to the next, the median of those seen, seconds; `undefined` before there are three. */
export function observedInterval(lags: readonly LagSample[]): number | undefined {
  if (lags.length < 3) return undefined;
  const gaps = lags.slice(1).map(({ atMs, lagMs }, index) => {
    const before = lags[index] as LagSample;
    return (atMs - lagMs - (before.atMs - before.lagMs)) / 1000;
  });
  const median = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] as number;
  return median > 0.05 ? median : undefined;
}

export interface CostQuestion {
  readonly malSeconds: number;
  readonly intervalSeconds: number | undefined;
  /** Bytes of the whole state, which a poll reads. */
  readonly stateBytes: number;
  /** Bytes of what changes with one commit, which an event brings. */
  readonly updateBytes: number;
}

/**
 * The sizes for a stream: as they were measured where its way was taken already, else by the size of its first state. What is
 * not known yet counts as if all entities changed each time.
 */
export function costQuestion(stream: LiveStream, intervalSeconds: number | undefined): CostQuestion {
  const { lags, entities, spent, firstState } = stream;
  const malSeconds = stream.malSeconds.value;
  const memberBytes = firstState ? firstState.bytes / firstState.members : 0;
  const pushed = spent.push.updates >= LEAST_MEASURED ? spent.push.bytes / spent.push.updates : memberBytes;
  const members = lags.length > 0 ? lags.reduce((sum, { updates }) => sum + updates, 0) / lags.length : entities.size;
  const { requests } = spent.pull;
  const stateBytes = requests >= LEAST_MEASURED ? spent.pull.bytes / requests : memberBytes * entities.size;
  return { malSeconds, intervalSeconds, stateBytes, updateBytes: pushed * members };
}

/** What one reader costs by a mode, and how many readers one core of a server has room for. */
export function computedSpending(mode: Mode, question: CostQuestion): Spending & { readonly readersPerCore: number } {
  const { malSeconds, intervalSeconds, stateBytes, updateBytes } = question;
  const payloadBytes = mode === 'pull' ? stateBytes : updateBytes;
  const costs = DEFAULT_CAPACITY_COSTS;
  const asked = { users: 1, malSeconds, payloadBytes, costs, ...(intervalSeconds && { intervalSeconds }) };
  const { meanPerSecond, bytesPerSecond, peakPerSecond, peakBytesPerSecond } = capacityNeed(mode, asked);
  return {
    requestsPerMinute: (meanPerSecond ?? peakPerSecond) * 60,
    bytesPerMinute: (bytesPerSecond ?? peakBytesPerSecond) * 60,
    readersPerCore: usersServed(mode, asked),
  };
}
