import { type BodyReading, candidateOf, type SeenBody, type Snapshot } from '../source.ts';
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
  const said = entityDrafts(decoded, options);
  const previous = reading.seen && previousFeed(reading.seen, reading.bodyHash);
  const context = { nowSeconds: reading.nowMs / 1000, ...(previous ? { previous } : {}) };
  return {
    entities: said.drafts.map(candidateOf),
    deleted: said.deletedEntities,
    unreadable: said.unreadableEntities,
    unnamedRecords: 0,
    differential: said.differential,
    // Rules first: where there are more names than health tells apart, the last ones are counted together.
    findings: { ...brokenRules(decoded.feed, context), ...said.findings },
    laterFindings: (nowMs) => (isStale(header, nowMs / 1000) ? { W008: 1 } : {}),
    problems: [],
    headerMs: said.headerTime === undefined ? undefined : said.headerTime * 1000,
  };
}

function previousFeed({ bodyHash, seenAtMs, headerMs }: SeenBody, hashNow: string): PreviousFeed {
  return {
    isSame: bodyHash === hashNow,
    seenSeconds: seenAtMs / 1000,
    ...(headerMs === undefined ? {} : { timestamp: headerMs / 1000 }),
  };
}
