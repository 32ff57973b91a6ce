import type { FeedHeader, FeedMessage } from '../feed-message.ts';
import { once, type Rule, type RuleContext } from './rule.ts';
import { isVersion2 } from './time-rules.ts';

/** How long a feed may go without a refresh, seconds. */
const REFRESH_SECONDS = 35;

/** How old the header's time may be, seconds. */
const AGE_SECONDS = 65;

const changedWithoutTime = ({ header: { timestamp } }: FeedMessage, { previous }: RuleContext): number =>
  once(previous !== undefined && !previous.isSame && timestamp !== undefined && timestamp === previous.timestamp);

const wentBack = ({ header: { timestamp } }: FeedMessage, { previous }: RuleContext): number =>
  once(previous?.timestamp !== undefined && timestamp !== undefined && timestamp < previous.timestamp);

const refreshedLate = ({ header: { timestamp } }: FeedMessage, { previous, nowSeconds }: RuleContext): number => {
  if (previous?.timestamp === undefined || timestamp === undefined) return 0;
  // Who looks less often than that cannot tell a slow feed from one that was refreshed in between.
  const isWatched = nowSeconds - previous.seenSeconds <= REFRESH_SECONDS;
  return once(isWatched && timestamp - previous.timestamp > REFRESH_SECONDS);
};

/**
 * How often the header is too old for the present.
 *
 * @see specs/gtfs-realtime.md GTFS-55
 */
export function isStale({ timestamp }: FeedHeader, nowSeconds: number): number {
  return once(timestamp !== undefined && nowSeconds - timestamp > AGE_SECONDS);
}

/** Rules about the header, by itself, by the clock, and by the feed before. */
export const headerRules: readonly Rule[] = [
  {
    id: 'E017',
    title: 'the content changed and the header has the same timestamp',
    severity: 'error',
    checks: { feed: changedWithoutTime },
  },
  {
    id: 'E018',
    title: 'the timestamp of the header went back',
    severity: 'error',
    checks: { feed: wentBack },
  },
  {
    id: 'E038',
    title: 'the version is neither 1.0 nor 2.0',
    severity: 'error',
    checks: { feed: ({ header }) => once(!['1.0', '2.0'].includes(header.gtfs_realtime_version)) },
  },
  {
    id: 'E048',
    title: 'the header has no timestamp, which version 2 requires',
    severity: 'error',
    checks: { feed: ({ header }) => once(isVersion2(header) && header.timestamp === undefined) },
  },
  {
    id: 'E049',
    title: 'the header has no incrementality, which version 2 requires',
    severity: 'error',
    checks: { feed: ({ header }) => once(isVersion2(header) && header.incrementality === undefined) },
  },
  {
    id: 'W007',
    title: `the feed was not refreshed for more than ${REFRESH_SECONDS} seconds`,
    severity: 'warning',
    checks: { feed: refreshedLate },
  },
  {
    id: 'W008',
    title: `the timestamp of the header is older than ${AGE_SECONDS} seconds`,
    severity: 'warning',
    checks: { feed: ({ header }, { nowSeconds }) => isStale(header, nowSeconds) },
  },
];
