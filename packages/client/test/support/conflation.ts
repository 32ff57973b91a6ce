import { type Commit, formatCursor, parseCursor, prefixes } from '@ldes-live/rdf-stream';
import { commitEvent } from '@ldes-live/test-support/events';
import type { ScriptedOrigin } from './scripted-origin.ts';

/** The events of a conflation from a cursor to the head: the newest of each entity that changed, one event each. */
export function conflation(origin: ScriptedOrigin, from: string): Uint8Array[] {
  const after = parseCursor(from).sequence;
  const newest = new Map(origin.members.map((member) => [member.entity, member]));
  const changed = [...newest.values()]
    .filter(({ sequence }) => sequence > after)
    .sort((left, right) => left.sequence - right.sequence);
  const { head } = origin;
  const events = changed.map((member): string => {
    const part: Commit = { cursor: head, time: member.time, members: [member] };
    return new TextDecoder().decode(commitEvent(part, origin.description, prefixes));
  });
  // Only the last has the cursor: up to there all has been told.
  const parts = events.map((event, index) => (index < events.length - 1 ? event.replace(/^id: .*\n/m, '') : event));
  const begin = `event: conflated\ndata: ${JSON.stringify({ from, to: formatCursor(head) })}\n\n`;
  return [begin, ...parts].map((text) => new TextEncoder().encode(text));
}
