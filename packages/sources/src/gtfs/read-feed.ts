import type { Snapshot } from '../snapshot.ts';
import type { DecodedFeed } from './decode-feed.ts';
import { type EntityDraftsOptions, entityDrafts } from './entity-drafts.ts';

/** What a feed says. Pure. */
export function readFeed(decoded: DecodedFeed, options: EntityDraftsOptions): Snapshot {
  const { headerTime, ...snapshot } = entityDrafts(decoded, options);
  return headerTime === undefined ? snapshot : { ...snapshot, headerTimeMs: headerTime * 1000 };
}
