import { MAX_INTERVAL_MS } from './check-option.ts';
import { requestedWaitMs } from './named-error.ts';
import type { PollOutcome } from './poll-outcome.ts';
import { firstPollMs, nextPollMs } from './poll-schedule.ts';
import type { SourceEnvironment } from './source.ts';
import { statedIntervalMs, statedPollMs } from './stated-poll.ts';

/** How often a feed is polled. */
export interface PollRhythm {
  /** Milliseconds; where the feed states how long it holds, and that is to count, until it has. */
  readonly intervalMs: number;
  /** The least time between polls where what the feed states counts, milliseconds; absent where it does not count. */
  readonly leastIntervalMs?: number;
  /** The longest time between them that what the feed states may lead to, milliseconds. @defaultValue a day */
  readonly mostIntervalMs?: number;
}

/** A poll to come. */
export interface PlannedPoll {
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** How long after the one before it polls come, as far as is known, milliseconds. */
  readonly intervalMs: number;
}

/** Plans the polls of one iteration. */
export interface PollPlanner {
  first(): PlannedPoll;
  /** The poll after one that has ended. */
  after(outcome: PollOutcome, startedAtMs: number): PlannedPoll;
}

/**
 * Makes the planner of one iteration: by slots of the interval, or by what the feed states of its next version. After
 * failures it is always by slots.
 *
 * @see specs/gtfs-realtime.md GTFS-41
 * @see specs/sources.md SRC-18, SRC-19
 */
export function createPollPlanner(rhythm: PollRhythm, edge: Pick<SourceEnvironment, 'clock' | 'random'>): PollPlanner {
  const { leastIntervalMs: leastMs, mostIntervalMs: mostMs = MAX_INTERVAL_MS } = rhythm;
  let failures = 0;
  let firstMs = 0;
  let last: PlannedPoll = { atMs: 0, intervalMs: rhythm.intervalMs };

  const plan = (outcome: PollOutcome, startedAtMs: number): PlannedPoll => {
    const nowMs = edge.clock();
    const random = edge.random();
    const { ttlMs, headerMs: documentMs } = outcome.memory.said ?? {};
    const isStated = leastMs !== undefined && ttlMs !== undefined;
    const intervalMs = isStated ? statedIntervalMs(ttlMs, leastMs, mostMs) : rhythm.intervalMs;
    if (isStated && failures === 0) {
      const atMs = statedPollMs({ documentMs, ttlMs, startedAtMs, nowMs, leastMs, mostMs, random });
      // Slots of another interval, after a failure, begin where this one is.
      firstMs = atMs;
      return { atMs, intervalMs };
    }
    const retryAfterMs = outcome.kind === 'failed' ? requestedWaitMs(outcome.error) : undefined;
    const asked = retryAfterMs === undefined ? {} : { retryAfterMs };
    const atMs = nextPollMs({ intervalMs, firstMs, lastMs: last.atMs, nowMs, failures, random, ...asked });
    return { atMs, intervalMs };
  };

  return {
    first() {
      firstMs = firstPollMs(edge.clock(), rhythm.intervalMs, edge.random());
      last = { ...last, atMs: firstMs };
      return last;
    },
    after(outcome, startedAtMs) {
      failures = outcome.kind === 'failed' ? failures + 1 : 0;
      last = plan(outcome, startedAtMs);
      return last;
    },
  };
}
