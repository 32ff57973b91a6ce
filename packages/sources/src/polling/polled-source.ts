import {
  type Draft,
  type FindingMeaning,
  isStreamError,
  type LatestView,
  type StreamError,
} from '@ldes-live/rdf-stream';
import { named } from '../options.ts';
import { PollListeners, type Source, type SourceEnvironment, type SourceEvent } from '../source.ts';
import { createHealthLedger } from './health.ts';
import { EMPTY_MEMORY, type PolledFeed, type PollOutcome, pollEvent, pollFeed } from './poll.ts';
import {
  createPollPlanner,
  type PlannedPoll,
  type PollRhythm,
  VISIBLE_DELAY_SAMPLES,
  visibleDelayMs,
} from './schedule.ts';

/** A feed and how often it is polled. */
export interface PolledSourceOptions extends PolledFeed, PollRhythm {
  /** What a finding means, where that is known. */
  readonly meaningOf?: (finding: string) => FindingMeaning | undefined;
}

/**
 * Makes the source that polls a feed: poll, judge, hand on what changed, wait.
 *
 * A poll that fails leaves the last state and is followed by the next poll; only the signal and the
 * consumer end the iteration.
 *
 * @see specs/gtfs-realtime.md GTFS-37
 */
export function createPolledSource(options: PolledSourceOptions, edge: SourceEnvironment): Source {
  const { origin } = options;
  const ledger = createHealthLedger(origin, options.meaningOf);
  const listeners = new PollListeners();
  let planned: PlannedPoll | undefined;
  let visibleDelaysMs: readonly number[] = [];
  let untold: readonly StreamError[] = [];

  const plan = (next: PlannedPoll | undefined): void => {
    planned = next;
    ledger.planned(next?.atMs, next && next.atMs + visibleDelayMs(visibleDelaysMs));
  };

  const conclude = (event: SourceEvent, outcome: PollOutcome): void => {
    const judgedAtMs = event.startedAtMs + event.durationMs;
    for (const problem of outcome.besideProblems) ledger.problem(judgedAtMs, problem);
    if (outcome.kind === 'failed') ledger.bad(judgedAtMs, outcome.error);
    else if (outcome.kind === 'rejected') ledger.bad(judgedAtMs, outcome.error, outcome.findings);
    else ledger.good(judgedAtMs, outcome.findings, outcome.memory.said?.dataMs);
    try {
      listeners.report(event);
    } catch (thrown) {
      // Whoever watches must not stop what is watched.
      ledger.problem(edge.clock(), named(thrown));
    }
  };

  async function* drafts(latest: LatestView, signal: AbortSignal): AsyncGenerator<readonly Draft[], void, void> {
    // A memory for each iteration: what an earlier one handed on last may not have been appended.
    let memory = EMPTY_MEMORY;
    const planner = createPollPlanner(options, edge);
    let next = planner.first();
    plan(next);
    try {
      while (await reached(next.atMs, edge, signal)) {
        const startedAtMs = edge.clock();
        const outcome = withProblems(await pollFeed(options, memory, latest, edge, signal), untold);
        // The consumer may fail to store what came, and the poll is not told of then.
        untold = onceToldOf(outcome) ?? untold;
        if (signal.aborted) return;
        const durationMs = Math.max(0, edge.clock() - startedAtMs);
        let visibleMs: number | undefined;
        if (outcome.kind === 'accepted' && outcome.batches.length > 0) {
          for (const batch of outcome.batches) {
            yield batch;
            // A poll whose batches are all stored counts, whatever the signal says by then.
            if (signal.aborted && batch !== outcome.batches.at(-1)) return;
          }
          visibleMs = Math.max(0, edge.clock() - startedAtMs);
          // From when it was planned, since a busy machine may begin late; and no clock that is set in
          // between may put the next update off by more than an interval.
          const delayMs = Math.min(Math.max(visibleMs, edge.clock() - next.atMs), next.intervalMs);
          visibleDelaysMs = [...visibleDelaysMs, delayMs].slice(-VISIBLE_DELAY_SAMPLES);
        }
        memory = outcome.memory;
        next = planner.after(outcome, startedAtMs);
        plan(next);
        const event = pollEvent({ origin, startedAtMs, durationMs }, outcome, visibleMs);
        conclude(event, outcome);
        if (onceToldOf(outcome)) untold = [];
      }
    } finally {
      plan(undefined);
    }
  }

  return {
    origin,
    drafts,
    health: ledger.health,
    onPoll: listeners.onPoll,
    schedule: () =>
      planned === undefined
        ? { kind: 'unknown' }
        : {
            kind: 'interval',
            intervalMs: planned.intervalMs,
            nextMs: planned.atMs + visibleDelayMs(visibleDelaysMs),
          },
  };
}

function withProblems(outcome: PollOutcome, before: readonly StreamError[]): PollOutcome {
  return 'problems' in outcome ? { ...outcome, problems: [...before, ...outcome.problems] } : outcome;
}

/** What does not come up again with the same document; `undefined` where the poll tells of no document. */
function onceToldOf(outcome: PollOutcome): readonly StreamError[] | undefined {
  if (!('problems' in outcome)) return undefined;
  return outcome.problems.filter((problem) => isStreamError(problem, 'ERR_MAPPING_UNMAPPED'));
}

async function reached(timeMs: number, edge: SourceEnvironment, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  try {
    await edge.sleep(timeMs - edge.clock(), signal);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
  return !signal.aborted;
}
