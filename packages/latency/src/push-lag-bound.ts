/** What a push connection tells about how late its updates can be. */
export interface PushEvidence {
  /** Time since anything was last received, an event or a heartbeat, milliseconds. */
  readonly silentMs: number;
  /** How late updates have come lately, milliseconds. */
  readonly deliveryMs: number;
  /** Time since the predicted next update, milliseconds: negative before it; absent where nothing is predicted. */
  readonly dueMs?: number;
}

/**
 * How late an update on a push connection may already be, in milliseconds. Pure.
 *
 * Whatever was published since the connection was last heard may be held up or lost: silence is no proof that
 * nothing has happened. But nothing can be missing before it is due.
 *
 * @see specs/mal.md MAL-9
 */
export function pushLagBound({ silentMs, deliveryMs, dueMs = silentMs }: PushEvidence): number {
  return Math.max(0, Math.min(silentMs, dueMs)) + deliveryMs;
}
