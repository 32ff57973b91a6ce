import type { BodyReading, SeenBody, Snapshot } from '../snapshot.ts';
import type { DecodedFeed } from './decode-feed.ts';
import { type EntityDraftsOptions, entityDrafts } from './entity-drafts.ts';
import { brokenRules } from './rules/broken-rules.ts';
import { isStale } from './rules/header-rules.ts';
import type { PreviousFeed } from './rules/rule.ts';

/**
 * What a feed says, and what is to be noticed of it: which rules it breaks, then what was odd in reading it. Pure.
 *
 * @see specs/gtfs-realtime.md GTFS-50
 */
export function readFeed(decoded: DecodedFeed, reading: BodyReading, options: EntityDraftsOptions): Snapshot {
  const { header } = decoded.feed;
  const { headerTime, ...said } = entityDrafts(decoded, options);
  const previous = reading.seen && previousFeed(reading.seen, reading.bodyHash);
  const context = { nowSeconds: reading.nowMs / 1000, ...(previous ? { previous } : {}) };
  const snapshot: Snapshot = {
    ...said,
    // Rules first: where there are more names than health tells apart, the last ones are counted together.
    findings: { ...brokenRules(decoded.feed, context), ...said.findings },
    laterFindings: (nowMs) => (isStale(header, nowMs / 1000) ? { W008: 1 } : {}),
  };
  return headerTime === undefined ? snapshot : { ...snapshot, headerTimeMs: headerTime * 1000 };
}

function previousFeed({ bodyHash, seenAtMs, headerTimeMs }: SeenBody, hashNow: string): PreviousFeed {
  return {
    isSame: bodyHash === hashNow,
    seenSeconds: seenAtMs / 1000,
    ...(headerTimeMs === undefined ? {} : { timestamp: headerTimeMs / 1000 }),
  };
}
