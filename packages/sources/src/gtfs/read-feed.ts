import { candidateOf, type Snapshot } from '../source.ts';
import { type EntityDraftsOptions, entityDrafts } from './entity-drafts.ts';
import type { DecodedFeed } from './wire.ts';

/** What a feed says. Pure. */
export function readFeed(decoded: DecodedFeed, options: EntityDraftsOptions): Snapshot {
  const said = entityDrafts(decoded, options);
  return {
    entities: said.drafts.map(candidateOf),
    deleted: said.deletedEntities,
    unreadable: said.unreadableEntities,
    unnamedRecords: 0,
    differential: said.differential,
    findings: said.findings,
    problems: [],
    headerMs: said.headerTime === undefined ? undefined : said.headerTime * 1000,
  };
}
