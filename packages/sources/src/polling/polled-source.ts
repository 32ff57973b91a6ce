/* One feed, polled: wait (schedule) -> poll (documents, read, judge) -> yield batches -> next state, health, listeners.
 *
 * What one poll leaves to the next is one immutable `FeedState`. The consumer appends a batch before it pulls the next. A
 * new iteration starts from an empty state: what the last one yielded may not have been appended.
 *
 *   for await (const batch of source.drafts(log.latest, signal)) await log.append(batch)
 *     batch  [{ kind: 'upsert', entity, origin, fingerprint, quads: [...] }, { kind: 'delete', entity, origin }] */

import { type Draft, isStreamError, type LatestView, type StreamError } from '@ldes-live/rdf-stream';
import { named } from '../options.ts';
import { Slices } from '../slices.ts';
import { PollListeners, type Source, type SourceEnvironment, type SourceEvent } from '../source.ts';
import { HealthTracker } from './health.ts';
import { type Change, LIMIT_BATCH } from './judge.ts';
import { EMPTY_STATE, failedPoll, type PolledFeed, type PollResult, poll } from './poll.ts';
import { type PollInterval, PollSchedule } from './schedule.ts';

/** A feed and how often it is polled. */
export interface PolledSourceOptions extends PolledFeed, PollInterval {}

/**
 * Makes the source that polls a feed.
 *
 * A poll that fails leaves the last state and is followed by the next poll; only the signal and the consumer end the
 * iteration.
 *
 * @see specs/gtfs-realtime.md
 */
export function createPolledSource(feed: PolledSourceOptions, environment: SourceEnvironment): Source {
  const { origin } = feed;
  const { clock } = environment;
  const tracker = new HealthTracker(origin);
  const schedule = new PollSchedule(feed, environment);
  // Whoever watches must not stop what is watched.
  const listeners = new PollListeners((thrown) => tracker.problem(clock(), named(thrown)));
  let untold: readonly StreamError[] = [];

  const plan = () => tracker.planned(schedule.next?.atMs, schedule.next?.visibleMs);

  const conclude = (result: PollResult, event: SourceEvent): void => {
    const judgedAtMs = event.startedAtMs + event.durationMs;
    for (const problem of result.warnings) tracker.problem(judgedAtMs, problem);
    const findings = 'findings' in result ? result.findings : undefined;
    if ('error' in result) tracker.bad(judgedAtMs, result.error, findings);
    else tracker.good(judgedAtMs, findings, result.state.accepted?.dataMs);
    listeners.report(event);
  };

  async function* drafts(latest: LatestView, signal: AbortSignal): AsyncGenerator<readonly Draft[], void, void> {
    let state = EMPTY_STATE;
    let atMs = schedule.begin();
    plan();
    try {
      while (await reached(atMs, environment, signal)) {
        const startedAtMs = clock();
        let result = await poll(feed, state, latest, environment, signal);
        if ('problems' in result) {
          result = { ...result, problems: [...untold, ...result.problems] };
          // The consumer may fail to store what came, and fields that nothing maps are told once for a document.
          untold = result.problems.filter((problem) => isStreamError(problem, 'ERR_MAPPING_UNMAPPED'));
        }
        if (signal.aborted) return;
        const durationMs = Math.max(0, clock() - startedAtMs);
        // What is published is let go: a first import would fill the memory until its last batch.
        const batches = result.kind === 'accepted' ? [...result.batches] : [];
        const isChange = batches.length > 0;
        if (result.kind === 'accepted') result = { ...result, batches: [] };
        while (batches.length > 0) {
          let rest = batches.shift() as readonly Change[];
          while (rest.length > 0 && result.kind === 'accepted') {
            const made = await draftsOf(rest, origin).catch(named);
            if (isStreamError(made)) {
              result = failedPoll(made, state);
              break;
            }
            yield made;
            rest = rest.slice(made.length);
            // A poll whose batches are all stored counts, whatever the signal says by then.
            if (signal.aborted && (rest.length > 0 || batches.length > 0)) return;
          }
        }
        let visibleMs: number | undefined;
        if (result.kind === 'accepted' && isChange) {
          visibleMs = Math.max(0, clock() - startedAtMs);
          schedule.updated(visibleMs);
        }
        state = result.state;
        atMs = schedule.after(result, startedAtMs);
        plan();
        conclude(result, eventOf(result, { origin, startedAtMs, durationMs }, visibleMs));
        if ('problems' in result) untold = [];
      }
    } finally {
      schedule.end();
      plan();
    }
  }

  return { origin, drafts, health: tracker.health, schedule: schedule.schedule, onPoll: listeners.onPoll };
}

/** From so many quads on no more changes are made drafts of together: in memory they take some 60 MB. */
const BATCH_QUADS = 200_000;

/**
 * The drafts of the first changes of a batch, of all where they have few quads. RDF is made for what changed alone, and
 * before the log has its turn.
 */
export async function draftsOf(batch: readonly Change[], origin: string): Promise<Draft[]> {
  const slices = new Slices();
  const drafts: Draft[] = [];
  let count = 0;
  for (const change of batch) {
    if (count >= BATCH_QUADS || drafts.length === LIMIT_BATCH) break;
    if (slices.isOver) await slices.next();
    if ('kind' in change) drafts.push(change);
    else {
      const { entity, id, fingerprint, versionTime } = change;
      const quads = change.quads();
      count += quads.length;
      drafts.push({ kind: 'upsert', entity, origin, id, quads, fingerprint, versionTime });
    }
  }
  return drafts;
}

function eventOf(
  result: PollResult,
  when: Pick<SourceEvent, 'origin' | 'startedAtMs' | 'durationMs'>,
  visibleMs: number | undefined,
): SourceEvent {
  const { kind, warnings } = result;
  if (kind === 'failed') return { ...when, kind, error: result.error };
  if (kind === 'unchanged') return { ...when, kind, by: result.by, problems: warnings };
  const { findings } = result;
  const problems = [...warnings, ...result.problems];
  if (kind === 'rejected') return { ...when, kind, error: result.error, findings, problems };
  const { bytes, entities, upserts, deletes } = result;
  return { ...when, kind, bytes, entities, upserts, deletes, findings, problems, visibleMs };
}

async function reached(timeMs: number, { clock, sleep }: SourceEnvironment, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  try {
    await sleep(timeMs - clock(), signal);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
  return !signal.aborted;
}
