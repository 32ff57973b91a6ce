import { isStreamError } from '@ldes-live/rdf-stream';

/** Errors for which waiting is the remedy, whatever was read. */
const PASSING = new Set(['ERR_UNREACHABLE', 'ERR_RESPONSE_TIMEOUT', 'ERR_DOCUMENT_INCOMPLETE']);

/** Errors that only the reader of the stream can mend. */
const LASTING = new Set(['ERR_RESPONSE_TOO_LARGE', 'ERR_CURSOR_UNSUPPORTED', 'ERR_TRANSITION_IMPOSSIBLE']);

/**
 * Whether an error may mend itself, so that the follower waits and tries again instead of throwing it.
 *
 * @param known - whether the stream has been read before: what once was a stream is taken to become one again
 * @param root - whether what was asked cannot be found elsewhere: the root, or a page of an LDES that is not ours
 * @see specs/mal.md
 */
export function canMend(error: unknown, { known, root }: { known: boolean; root: boolean }): boolean {
  if (!isStreamError(error) || LASTING.has(error.code) || error.code.startsWith('ERR_TREE_')) return false;
  if (PASSING.has(error.code)) return true;
  if (error.code === 'ERR_RESPONSE_STATUS') return canMendStatus(error.details.status as number, root);
  return known;
}

function canMendStatus(status: number, root: boolean): boolean {
  if (status >= 500 || [408, 425, 429].includes(status)) return true;
  // A document of a stream may go: the root tells whether it moved or the stream ended.
  return !root && (status === 404 || status === 410);
}
