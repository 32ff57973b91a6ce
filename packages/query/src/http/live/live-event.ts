import type { LiveResult } from '../../live-result.ts';
import { type Problem, problemOf } from '../problem.ts';

/** Types of the events of a live query. */
const liveEvents = { snapshot: 'snapshot', update: 'update', error: 'error', end: 'end' } as const;

/** How long a reader is to wait before it asks again what has failed, milliseconds. */
const RETRY_FAILED_MS = 60_000;

/**
 * An event of an answer, as Server-Sent Events have it.
 *
 * @param sequence - its id
 * @param answer - members of its JSON object, short of the braces
 * @param facts - see {@link factsOf}
 * @see specs/query.md QUERY-71
 */
export function answerEvent(type: 'snapshot' | 'update', sequence: number, answer: string, facts: string): Buffer {
  return Buffer.from(`event: ${type}\nid: ${sequence}\ndata: {"sequence":${sequence},${answer},${facts}}\n\n`);
}

/** What a result says beside its answer, as members of a JSON object, short of the braces. */
export function factsOf({ evaluatedAt, dataAsOf, evaluationMs, cursors, overrun, window }: LiveResult): string {
  const facts = {
    evaluatedAt,
    dataAsOf,
    evaluationMs: Math.round(evaluationMs),
    ...(cursors[0] !== undefined && { cursor: cursors[0] }),
    // Absent means that the MAL was kept.
    ...(overrun && { overrun }),
    ...(window && { window }),
  };
  return JSON.stringify(facts).slice(1, -1);
}

/** The event that tells why a stream ends: what is asked again at once would fail again. */
export function errorEvent(error: unknown, retryMs = RETRY_FAILED_MS): Buffer {
  const { text }: Problem = problemOf(error);
  return Buffer.from(`event: ${liveEvents.error}\nretry: ${retryMs}\ndata: ${text}\n\n`);
}

/** The event that says that nothing more comes. */
export function endEvent(reason: 'stopping' | 'ended'): Buffer {
  return Buffer.from(`event: ${liveEvents.end}\ndata: ${JSON.stringify({ reason })}\n\n`);
}

/** What is sent when there is nothing to tell. */
export const HEARTBEAT = Buffer.from(':\n\n');

/** What a stream begins with: when to come back if it is cut. */
export function openingOf(retryMs: number): Buffer {
  return Buffer.from(`retry: ${retryMs}\n:\n\n`);
}
