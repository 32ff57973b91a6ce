import type { Alert, TripUpdate, VehiclePosition } from '../feed-entities.ts';
import type { FeedEntity, FeedHeader, FeedMessage } from '../feed-message.ts';

/** A rule that feeds should keep, and how often one breaks it. */
export interface Rule {
  /** The id that the public validator has for it, or a name of our own. */
  readonly id: string;
  /** One phrase that says what is wrong. */
  readonly title: string;
  /** `error` where the specification is broken, `warning` where its advice is not followed. */
  readonly severity: 'error' | 'warning';
  /** What it looks at. Each check is pure and tells how often the rule is broken there. */
  readonly checks: RuleChecks;
}

/** The checks of a rule, by what they look at. */
export interface RuleChecks {
  /** The feed as a whole. */
  readonly feed?: (feed: FeedMessage, context: RuleContext) => number;
  readonly entity?: (entity: FeedEntity, header: FeedHeader) => number;
  readonly tripUpdate?: (update: TripUpdate, context: EntityContext) => number;
  readonly vehicle?: (position: VehiclePosition, context: EntityContext) => number;
  readonly alert?: (alert: Alert, context: EntityContext) => number;
}

/** What a feed is judged by besides itself. */
export interface RuleContext {
  /** The present, POSIX seconds. */
  readonly nowSeconds: number;
  /** The feed that was seen before it; absent when it is the first. */
  readonly previous?: PreviousFeed;
}

/** What is remembered of the feed before. */
export interface PreviousFeed {
  /** Its `FeedHeader.timestamp`, POSIX seconds. */
  readonly timestamp?: number;
  /** When it was last seen, POSIX seconds. */
  readonly seenSeconds: number;
  /** Whether it had the same content, byte for byte. */
  readonly isSame: boolean;
}

/** What an entity is judged by besides itself. */
export interface EntityContext {
  /** The present, POSIX seconds. */
  readonly nowSeconds: number;
  readonly header: FeedHeader;
}

/** 1 for what is so, 0 for what is not: how often a rule is broken by what can break it once. */
export function once(isBroken: boolean): number {
  return isBroken ? 1 : 0;
}
