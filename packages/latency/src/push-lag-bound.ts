/** What a push connection tells about how late its updates can be. */
export interface PushEvidence {
  /** Time since anything was last received, milliseconds. */
  readonly silentMs: number;
  /** How often the server sends something at least, milliseconds. */
  readonly heartbeatMs: number;
  /** How late updates have come lately, milliseconds. */
  readonly deliveryMs: number;
}

/**
 * How late an update on a push connection may be, in milliseconds.
 *
 * As long as the heartbeat is heard, updates take what they took lately. A connection that missed its
 * heartbeat may have lost everything since it was last heard.
 *
 * @see specs/mal.md MAL-9
 */
export function pushLagBound({ silentMs, heartbeatMs, deliveryMs }: PushEvidence): number {
  return silentMs <= heartbeatMs + deliveryMs ? deliveryMs : silentMs + deliveryMs;
}
