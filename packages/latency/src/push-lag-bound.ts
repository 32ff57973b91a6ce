/** What a push connection tells about how late its updates can be. */
export interface PushEvidence {
  /** Time since anything was last received, an event or a heartbeat, milliseconds. */
  readonly silentMs: number;
  /** How late updates have come lately, milliseconds. */
  readonly deliveryMs: number;
}

/**
 * How late an update on a push connection may already be, in milliseconds.
 *
 * Whatever was published since the connection was last heard may be held up or lost: silence is no proof that
 * nothing has happened.
 *
 * @see specs/mal.md MAL-9
 */
export function pushLagBound({ silentMs, deliveryMs }: PushEvidence): number {
  return Math.max(0, silentMs) + deliveryMs;
}
