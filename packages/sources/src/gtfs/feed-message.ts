import type { Alert, Shape, Stop, TripModifications, TripUpdate, VehiclePosition } from './feed-entities.ts';
import type { WireEnumValue } from './wire-enums.ts';
import type { WireMessage } from './wire-message.ts';

/** A whole feed: what one poll fetches. */
export interface FeedMessage extends WireMessage {
  readonly header: FeedHeader;
  readonly entity?: readonly FeedEntity[];
}

/** What is said of the feed as a whole. */
export interface FeedHeader extends WireMessage {
  readonly gtfs_realtime_version: string;
  readonly incrementality?: WireEnumValue<'Incrementality'>;
  /** POSIX seconds. */
  readonly timestamp?: number;
  readonly feed_version?: string;
}

/** One thing of the feed: usually of one kind, legally of several. */
export interface FeedEntity extends WireMessage {
  /** Serves incrementality only; most producers change it from poll to poll. */
  readonly id: string;
  readonly is_deleted?: boolean;
  readonly trip_update?: TripUpdate;
  readonly vehicle?: VehiclePosition;
  readonly alert?: Alert;
  readonly shape?: Shape;
  readonly stop?: Stop;
  readonly trip_modifications?: TripModifications;
}
