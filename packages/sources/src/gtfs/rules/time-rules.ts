import type { Alert, TripUpdate } from '../feed-entities.ts';
import type { FeedHeader } from '../feed-message.ts';
import { inFuture, notPosix } from './posix-time.ts';
import { type EntityContext, once, type Rule } from './rule.ts';

type Timed = { readonly timestamp?: number };

const notPosixInUpdate = ({ timestamp, stop_time_update: stops = [] }: TripUpdate): number => {
  let count = notPosix(timestamp);
  for (const { arrival, departure } of stops) count += notPosix(arrival?.time) + notPosix(departure?.time);
  return count;
};

const notPosixInAlert = ({ active_period: periods = [] }: Alert): number => {
  let count = 0;
  for (const { start, end } of periods) count += notPosix(start) + notPosix(end);
  return count;
};

const afterHeader = ({ timestamp }: Timed, { header }: EntityContext): number =>
  once(timestamp !== undefined && header.timestamp !== undefined && timestamp > header.timestamp);

const ahead = ({ timestamp }: Timed, { nowSeconds }: EntityContext): number => inFuture(timestamp, nowSeconds);

const untimed = ({ timestamp }: Timed): number => once(timestamp === undefined);

/** Whether a feed says that it is of version 2 or later, by which more is required. */
export function isVersion2({ gtfs_realtime_version: version }: FeedHeader): boolean {
  return Number(version) >= 2;
}

/** Rules about times that hold for feeds and for what is in them. */
export const timeRules: readonly Rule[] = [
  {
    id: 'E001',
    title: 'a time is not in POSIX seconds',
    severity: 'error',
    checks: {
      feed: ({ header }) => notPosix(header.timestamp),
      tripUpdate: notPosixInUpdate,
      vehicle: ({ timestamp }) => notPosix(timestamp),
      alert: notPosixInAlert,
    },
  },
  {
    id: 'E012',
    title: 'an entity is newer than the header says the feed is',
    severity: 'error',
    checks: { tripUpdate: afterHeader, vehicle: afterHeader },
  },
  {
    id: 'E050',
    title: 'a timestamp lies in the future',
    severity: 'error',
    checks: {
      feed: ({ header }, { nowSeconds }) => inFuture(header.timestamp, nowSeconds),
      tripUpdate: ahead,
      vehicle: ahead,
    },
  },
  {
    id: 'W001',
    title: 'a timestamp is missing',
    severity: 'warning',
    checks: {
      // From version 2 on a header without one breaks E048.
      feed: ({ header }) => (isVersion2(header) ? 0 : untimed(header)),
      tripUpdate: untimed,
      vehicle: untimed,
    },
  },
];
