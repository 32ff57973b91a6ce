import { type Cursor, parseCursor } from '@ldes-live/rdf-stream';

/** From where a push connection goes on. */
export interface ResumePosition {
  /** Sequence number after which to go on. */
  readonly after: number;
  /** What was asked for, where the log does not hold what follows it. */
  readonly gapFrom?: Cursor;
}

/**
 * From where to go on: after `Last-Event-ID`, else after `?from=`, else at the head.
 *
 * A cursor of another life of the log, past its head, or before members that retention erased, is a gap: what followed
 * it is not here.
 *
 * @param log.heldFrom - every member from this sequence number on can be read
 * @throws {@link StreamError} `ERR_CURSOR_MALFORMED` - the cursor that counts cannot be read
 * @see specs/push.md PUSH-4 to PUSH-7
 */
export function resumePosition(
  request: { readonly lastEventId?: string | undefined; readonly from?: string | undefined },
  { head, heldFrom }: { readonly head: Cursor; readonly heldFrom: number },
): ResumePosition {
  // An empty Last-Event-ID is what a reader has that never got an id.
  const asked = request.lastEventId || request.from;
  if (!asked) return { after: head.sequence };
  const cursor = parseCursor(asked);
  const isHeld = cursor.epoch === head.epoch && cursor.sequence <= head.sequence && cursor.sequence + 1 >= heldFrom;
  return isHeld ? { after: cursor.sequence } : { after: head.sequence, gapFrom: cursor };
}
