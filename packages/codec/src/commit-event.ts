import { type Commit, formatCursor, pushEvents, type StreamDescription } from '@ldes-live/rdf-stream';
import { memberQuads } from './member-quads.ts';
import { formatSseEvent } from './sse-event.ts';
import { writeQuads } from './write-quads.ts';

const encoder = new TextEncoder();

/**
 * The Server-Sent Event of a commit: `event: update`, its cursor as the id, and one line of data, the
 * self-contained JSON-LD document of its members.
 *
 * @param prefixes - namespaces by prefix; the document declares those that it uses
 * @returns the frame in UTF-8, the blank line that ends it included
 * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - a term that JSON-LD cannot hold
 * @see specs/push.md
 */
export function commitEvent(
  commit: Commit,
  description: StreamDescription,
  prefixes: Readonly<Record<string, string>>,
): Uint8Array {
  const data = writeQuads(memberQuads(description, commit.members), 'jsonld', prefixes);
  return encoder.encode(formatSseEvent({ event: pushEvents.update, id: formatCursor(commit.cursor), data }));
}
