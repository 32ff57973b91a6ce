import type { PollOutcome } from './poll-feed.ts';
import type { SourceEvent } from './source-event.ts';

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
  if (outcome.kind === 'unchanged') return { ...poll, kind: 'unchanged', by: outcome.by };
  if (outcome.kind !== 'taken') return { ...poll, kind: outcome.kind, error: outcome.error };
  const { bytes, entities, deletes, findings } = outcome;
  const upserts = outcome.drafts.length - deletes;
  const taken = { ...poll, kind: 'taken', bytes, entities, upserts, deletes, findings } as const;
  return visibleMs === undefined ? taken : { ...taken, visibleMs };
}
