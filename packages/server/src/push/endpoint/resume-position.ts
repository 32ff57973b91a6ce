import { type Cursor, parseCursor } from '@ldes-live/rdf-stream';

/** From where a push connection goes on. */
export interface ResumePosition {
  /** Sequence number after which to go on; 0 where the whole state is to come first. */
  readonly after: number;
  /** Whether the whole state is to come first. */
  readonly isState: boolean;
  /** What was asked for, where what follows it is not here, or too much to send. */
  readonly gapFrom?: Cursor;
}

/** What is there to go on with. */
export interface Held {
  readonly head: Cursor;
  /** What is on its way here too, where that is known. */
  readonly published?: Cursor | undefined;
  /** Every member from this sequence number on can be read. */
  readonly heldFrom: number;
  /** How many members are sent again at most. */
  readonly limitReplayMembers: number;
}

/** The value of `?from=` that asks for the whole state first. */
const LATEST = 'latest';

/** Whether a reader names what is not here yet, but may be where this side takes its commits from. */
export function isAhead({ gapFrom }: ResumePosition, head: Cursor): boolean {
  return gapFrom !== undefined && gapFrom.epoch === head.epoch && gapFrom.sequence > head.sequence;
}

/**
 * From where to go on: after `Last-Event-ID`, else after `?from=`, else at the head.
 *
 * A cursor of another life of the log, past its head, before members that retention erased, or too far back is a gap.
 *
 * @throws {@link StreamError} `ERR_CURSOR_MALFORMED` - the cursor that counts cannot be read
 * @see specs/push.md PUSH-4 to PUSH-7
 */
export function resumePosition(
  request: { readonly lastEventId?: string | undefined; readonly from?: string | undefined },
  { head, published = head, heldFrom, limitReplayMembers }: Held,
): ResumePosition {
  // An empty Last-Event-ID is what a reader has that never got an id.
  const asked = request.lastEventId || request.from;
  if (!asked) return { after: head.sequence, isState: false };
  if (asked === LATEST && !request.lastEventId) return { after: 0, isState: true };
  const cursor = parseCursor(asked);
  const lacking = head.sequence - cursor.sequence;
  const isKnown = cursor.epoch === head.epoch && cursor.sequence <= published.sequence;
  const isHeld = isKnown && lacking <= limitReplayMembers && cursor.sequence + 1 >= heldFrom;
  if (isHeld) return { after: cursor.sequence, isState: false };
  return { after: head.sequence, isState: false, gapFrom: cursor };
}
