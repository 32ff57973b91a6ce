import { encodeFeed } from '../src/gtfs/wire.ts';

/** What a feed of vehicles is to say. */
export interface VehicleFeed {
  /** How many vehicles, from number 0. */
  readonly vehicles: number;
  /** Where they all are: another number, another content. */
  readonly latitude: number;
  /** `FeedHeader.timestamp`, POSIX seconds. */
  readonly timestamp?: number;
}

/** The bytes of a GTFS-Realtime feed of vehicles. */
export function vehicleFeed({ vehicles, latitude, timestamp }: VehicleFeed): Uint8Array {
  const header = { gtfs_realtime_version: '2.0', incrementality: 'FULL_DATASET' } as const;
  return encodeFeed({
    header: timestamp === undefined ? header : { ...header, timestamp },
    entity: Array.from({ length: vehicles }, (_, index) => ({
      id: `${index}`,
      vehicle: { vehicle: { id: `vehicle-${index}` }, position: { latitude, longitude: 4 } },
    })),
  });
}
