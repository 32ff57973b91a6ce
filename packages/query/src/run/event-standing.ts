import { formatCursor, type Member } from '@ldes-live/rdf-stream';
import type { SourceEvent } from '../commit-source.ts';
import type { TimeWindowOptions } from '../view-options.ts';
import { isState } from '../views/is-state.ts';
import { memberTimeMs } from '../views/windows.ts';

/** By which of their times members belong to windows. */
export type WindowTime = NonNullable<TimeWindowOptions['time']>;

/** Where a source stands by what it has brought. */
export interface Standing {
  /** As results name it. */
  readonly cursor: string | undefined;
  /** When the newest of it was published, epoch milliseconds; `-Infinity` before anything. */
  readonly publishedMs: number;
  /** The latest instant of any member by the time that windows go by, epoch milliseconds; `-Infinity` before any member. */
  readonly newestMs: number;
}

/** Of a source that has brought nothing. */
export const UNBEGUN: Standing = { cursor: undefined, publishedMs: -Infinity, newestMs: -Infinity };

/** Where a source stands after what it brought. A state begins anew, but what was told of windows stays told. */
export function standingAfter(before: Standing, event: SourceEvent, time: WindowTime): Standing {
  const newestMs = Math.max(before.newestMs, newest(event.members, time));
  if (!isState(event)) return { cursor: formatCursor(event.cursor), publishedMs: Date.parse(event.time), newestMs };
  return { cursor: event.cursor, publishedMs: newest(event.members, 'published'), newestMs };
}

function newest(members: readonly Member[], time: WindowTime): number {
  let newestMs = -Infinity;
  for (const member of members) {
    const ms = memberTimeMs(member, time);
    // What is no instant is in no window, and says nothing of the present.
    if (ms > newestMs) newestMs = ms;
  }
  return newestMs;
}
