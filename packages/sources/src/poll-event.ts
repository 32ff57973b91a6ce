import type { PollOutcome } from './poll-outcome.ts';
import type { SourceEvent } from './source.ts';

/**
 * What is reported of a poll.
 *
 * @param poll - which feed, when it began, and how long it took
 * @param visibleMs - from its beginning until its drafts were appended, milliseconds; absent when it had none
 */
export function pollEvent(
  poll: Pick<SourceEvent, 'origin' | 'startedAtMs' | 'durationMs'>,
  outcome: PollOutcome,
  visibleMs: number | undefined,
): SourceEvent {
  const { besideProblems } = outcome;
  if (outcome.kind === 'unchanged') return { ...poll, kind: 'unchanged', by: outcome.by, problems: besideProblems };
  if (outcome.kind === 'failed') return { ...poll, kind: 'failed', error: outcome.error };
  if (outcome.kind === 'rejected') {
    const { error, findings } = outcome;
    const problems = [...besideProblems, ...outcome.problems];
    return { ...poll, kind: 'rejected', error, findings, problems };
  }
  const { bytes, entities, upserts, deletes, findings } = outcome;
  const problems = [...besideProblems, ...outcome.problems];
  const taken = { ...poll, kind: 'accepted', bytes, entities, upserts, deletes, findings, problems } as const;
  return visibleMs === undefined ? taken : { ...taken, visibleMs };
}
