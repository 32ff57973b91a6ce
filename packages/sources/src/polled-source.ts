import type { Draft, LatestView } from '@ldes-live/rdf-stream';
import { createHealthLedger } from './health-ledger.ts';
import { pollEvent } from './poll-event.ts';
import { EMPTY_MEMORY, named, type PolledFeed, type PollOutcome, pollFeed } from './poll-feed.ts';
import { firstPollMs, nextPollMs } from './poll-schedule.ts';
import type { Source } from './source.ts';
import type { SourceEdge } from './source-edge.ts';
import type { SourceEvent } from './source-event.ts';
import { VISIBLE_DELAY_SAMPLES, visibleDelayMs } from './visible-delay.ts';

/** A feed and how often it is polled. */
export interface PolledSourceOptions extends PolledFeed {
  readonly intervalMs: number;
}

/**
 * Makes the source that polls a feed: poll, judge, hand on what changed, wait.
 *
 * A poll that fails leaves the last state and is followed by the next poll; only the signal and the
 * consumer end the iteration.
 *
 * @see specs/gtfs-realtime.md GTFS-37
 */
export function createPolledSource(options: PolledSourceOptions, edge: SourceEdge): Source {
  const { origin, intervalMs } = options;
  const ledger = createHealthLedger(origin);
  let plannedMs: number | undefined;
  let visibleDelaysMs: readonly number[] = [];

  const plan = (atMs: number | undefined): void => {
    plannedMs = atMs;
    ledger.planned(atMs);
  };

  const conclude = (event: SourceEvent): void => {
    const judgedAtMs = event.startedAtMs + event.durationMs;
    if (event.kind === 'failed' || event.kind === 'heldBack') ledger.bad(judgedAtMs, event.error);
    else ledger.good(judgedAtMs, event.kind === 'taken' ? event.findings : undefined);
    try {
      edge.report(event);
    } catch (thrown) {
      // Whoever watches must not stop what is watched.
      ledger.problem(edge.clock(), named(thrown));
    }
  };

  async function* drafts(latest: LatestView, signal: AbortSignal): AsyncGenerator<readonly Draft[], void, void> {
    // A memory for each iteration: what an earlier one handed on last may not have been appended.
    let memory = EMPTY_MEMORY;
    let failures = 0;
    const firstMs = firstPollMs(edge.clock(), intervalMs, edge.random());
    let nextMs = firstMs;
    plan(nextMs);
    try {
      while (await reached(nextMs, edge, signal)) {
        const startedAtMs = edge.clock();
        const outcome = await pollFeed(options, memory, latest, edge, signal);
        if (signal.aborted) return;
        const durationMs = Math.max(0, edge.clock() - startedAtMs);
        let visibleMs: number | undefined;
        if (outcome.kind === 'taken' && outcome.drafts.length > 0) {
          yield outcome.drafts;
          visibleMs = Math.max(0, edge.clock() - startedAtMs);
          // From when it was planned, since a busy machine may begin late; and no clock that is set in
          // between may put the next update off by more than an interval.
          const delayMs = Math.min(Math.max(visibleMs, edge.clock() - nextMs), intervalMs);
          visibleDelaysMs = [...visibleDelaysMs, delayMs].slice(-VISIBLE_DELAY_SAMPLES);
        }
        memory = outcome.memory;
        failures = outcome.kind === 'failed' ? failures + 1 : 0;
        nextMs = nextPollMs({
          intervalMs,
          firstMs,
          lastMs: nextMs,
          nowMs: edge.clock(),
          failures,
          random: edge.random(),
          ...requestedWait(outcome),
        });
        plan(nextMs);
        conclude(pollEvent({ origin, startedAtMs, durationMs }, outcome, visibleMs));
      }
    } finally {
      plan(undefined);
    }
  }

  return {
    origin,
    drafts,
    health: ledger.health,
    schedule: () =>
      plannedMs === undefined
        ? { kind: 'unknown' }
        : { kind: 'interval', intervalMs, nextMs: plannedMs + visibleDelayMs(visibleDelaysMs) },
  };
}

async function reached(timeMs: number, edge: SourceEdge, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  try {
    await edge.sleep(timeMs - edge.clock(), signal);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
  return !signal.aborted;
}

function requestedWait(outcome: PollOutcome): { retryAfterMs?: number } {
  const retryAfterMs = outcome.kind === 'failed' ? outcome.error.details.retryAfterMs : undefined;
  return typeof retryAfterMs === 'number' ? { retryAfterMs } : {};
}
