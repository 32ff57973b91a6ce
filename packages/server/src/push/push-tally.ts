/** Why a push connection ended, or none came to be. */
export const CLOSE_REASONS = ['reader', 'slow', 'age', 'shutdown', 'error'] as const;
export type CloseReason = (typeof CLOSE_REASONS)[number];

/** Why a push connection was refused. */
export const REFUSE_REASONS = ['connections', 'address', 'rate', 'stopping'] as const;
export type RefuseReason = (typeof REFUSE_REASONS)[number];

/** Upper bounds of the buckets of the time that a commit takes to reach all connections, seconds. */
export const FAN_OUT_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/**
 * What the push of one stream has done in one process since it started, in plain numbers, so that processes can be added
 * up. What happens per connection and commit is counted per commit.
 */
export class PushTally {
  /** Connections that get commits as they come. */
  live = 0;
  /** Connections that are brought up to the head, or are behind it. */
  behind = 0;
  /** Connections that were opened. */
  accepted = 0;
  readonly refused: Record<RefuseReason, number> = { connections: 0, address: 0, rate: 0, stopping: 0 };
  readonly closed: Record<CloseReason, number> = { reader: 0, slow: 0, age: 0, shutdown: 0, error: 0 };
  /** Commits that were sent. */
  commits = 0;
  /** Events handed to connections. */
  deliveries = 0;
  /** Bytes handed to connections, as encoded for them. */
  bytes = 0;
  /** Comments handed to connections for want of events. */
  heartbeats = 0;
  /** Times that a connection was given the newest state instead of the commits that it lacked. */
  conflations = 0;
  /** Times that a connection was told that what it lacks is no longer held. */
  gaps = 0;
  /** Connections that came with a cursor that was not the head. */
  replays = 0;
  /** Bytes of events that wait for connections that are behind, as of the last heartbeat tick. */
  queueBytes = 0;
  /** How many commits took no longer than each of {@link FAN_OUT_BOUNDS_SECONDS} to be handed to all; the last is for longer ones. */
  readonly fanOutCounts: number[] = new Array<number>(FAN_OUT_BOUNDS_SECONDS.length + 1).fill(0);
  fanOutSeconds = 0;

  /** Notes how long a commit took to be handed to all. */
  fannedOut(seconds: number): void {
    const bucket = FAN_OUT_BOUNDS_SECONDS.findIndex((bound) => seconds <= bound);
    const index = bucket < 0 ? FAN_OUT_BOUNDS_SECONDS.length : bucket;
    this.fanOutCounts[index] = (this.fanOutCounts[index] as number) + 1;
    this.fanOutSeconds += seconds;
  }
}
