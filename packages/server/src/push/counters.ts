import { REFUSE_REASONS } from './admission.ts';
import { CLOSE_REASONS } from './subscriber.ts';

/** Upper bounds of the buckets of the time that a commit takes to reach all subscribers, seconds. */
export const FAN_OUT_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

const zeros = <Reason extends string>(reasons: readonly Reason[]) =>
  Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<Reason, number>;

/** What the push of one stream has done in one process since it started. */
export class PushCounters {
  /** Subscribers that get commits as they come, and those that catch up. */
  live = 0;
  catchingUp = 0;
  accepted = 0;
  readonly refused = zeros(REFUSE_REASONS);
  readonly closed = zeros(CLOSE_REASONS);
  commits = 0;
  /** Events, bytes as encoded, and comments for want of events, that were handed to subscribers. */
  deliveries = 0;
  bytes = 0;
  heartbeats = 0;
  /** Times that a subscriber was given the newest state instead of the commits that it lacked. */
  conflations = 0;
  gaps = 0;
  /** Subscribers that came with a cursor that was not the head. */
  replays = 0;
  /** Bytes of events that wait for subscribers that were live, as of the last tick. */
  queueBytes = 0;
  /** How many commits took no longer than each of {@link FAN_OUT_BOUNDS_SECONDS} to be handed to all; the last is for longer ones. */
  readonly fanOutCounts: number[] = new Array<number>(FAN_OUT_BOUNDS_SECONDS.length + 1).fill(0);
  fanOutSeconds = 0;

  fannedOut(seconds: number): void {
    const bucket = FAN_OUT_BOUNDS_SECONDS.findIndex((bound) => seconds <= bound);
    const index = bucket < 0 ? FAN_OUT_BOUNDS_SECONDS.length : bucket;
    this.fanOutCounts[index] = (this.fanOutCounts[index] as number) + 1;
    this.fanOutSeconds += seconds;
  }
}
