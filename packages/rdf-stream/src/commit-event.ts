import { commitPieces } from './commit-pieces.ts';
import { formatCursor } from './cursor.ts';
import type { Commit } from './member.ts';
import type { StreamDescription } from './stream-description.ts';
import { updateEvent } from './update-event.ts';

/**
 * The Server-Sent Event of a whole commit, by {@link updateEvent}: its cursor is the id.
 *
 * @param prefixes - namespaces by prefix; the document declares those that it uses
 * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - a term that JSON-LD cannot hold
 * @see specs/push.md PUSH-3
 */
export function commitEvent(
  commit: Commit,
  description: StreamDescription,
  prefixes: Readonly<Record<string, string>>,
): Uint8Array {
  return updateEvent(commitPieces(commit.members, description, prefixes), formatCursor(commit.cursor));
}
