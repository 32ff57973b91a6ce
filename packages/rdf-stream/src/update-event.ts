import { type CommitPieces, piecesDocument } from './commit-pieces.ts';
import { pushEvents } from './protocol.ts';
import { formatSseEvent } from './sse.ts';

const encoder = new TextEncoder();

/**
 * The Server-Sent Event of members of a commit: `event: update`, its id, and one line of data, the self-contained JSON-LD
 * document of the members.
 *
 * @param id - the cursor that a reader has arrived at with it; empty leaves the reader's as it was
 * @param chosen - indices of the members, at least one, ascending; all of them when absent
 * @returns the frame in UTF-8, the blank line that ends it included
 * @throws {@link StreamError} `ERR_SSE_FIELD_INVALID` - a line break or NUL in the id
 * @see specs/push.md PUSH-3
 */
export function updateEvent(pieces: CommitPieces, id: string, chosen?: readonly number[]): Uint8Array {
  const data = piecesDocument(pieces, chosen);
  return encoder.encode(formatSseEvent({ event: pushEvents.update, ...(id === '' ? {} : { id }), data }));
}
