import type { FeedEntity, FeedMessage } from '../../../src/gtfs-rt/feed-message.ts';
import type { PreviousFeed } from '../../../src/gtfs-rt/rules/rule.ts';
import { feedOf, stop, updateEntity } from './judged-feed.ts';

/** How a rule is broken, how often then, and how it is kept; after which feed, where that matters. */
export type RuleCase = readonly [
  id: string,
  what: string,
  breaks: FeedMessage,
  count: number,
  keeps: FeedMessage,
  breaksAfter?: Partial<PreviousFeed>,
  keepsAfter?: Partial<PreviousFeed>,
];

/** A feed of these entities. */
export const entities = (...list: readonly FeedEntity[]): FeedMessage => feedOf(list);

/** A feed of one trip with these stop times. */
export const stops = (...list: readonly Parameters<typeof stop>[]): FeedMessage =>
  entities(updateEntity({ stop_time_update: list.map((one) => stop(...one)) }));

/** An arrival at a time. */
export const at = (time: number) => ({ arrival: { time } });

/** In place of a value that is left out. */
export const undone = undefined as never;
