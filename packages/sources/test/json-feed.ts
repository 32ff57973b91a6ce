import type { UpsertDraft } from '@ldes-live/rdf-stream';
import type { FeedBody } from '../src/feed-body.ts';
import type { Snapshot } from '../src/snapshot.ts';

/** A feed in the simplest form that a polled source can be tested with. */
export interface JsonFeed {
  readonly entities: Readonly<Record<string, string>>;
  readonly timeMs?: number;
}

export function jsonFeed(feed: JsonFeed): string {
  return JSON.stringify(feed);
}

/** A reader of JSON feeds, which counts how often it reads. */
export function jsonReader(origin: string): { read: (body: FeedBody) => Snapshot; count: number } {
  const reader = {
    count: 0,
    read({ pages: [bytes = new Uint8Array()] }: FeedBody): Snapshot {
      reader.count += 1;
      const feed = JSON.parse(Buffer.from(bytes).toString()) as JsonFeed;
      const drafts = Object.entries(feed.entities).map(
        ([entity, fingerprint]): UpsertDraft => ({ kind: 'upsert', entity, origin, quads: [], fingerprint }),
      );
      const said = {
        drafts,
        deletedEntities: [],
        unreadableEntities: [],
        differential: false,
        findings: { read: reader.count },
      };
      return feed.timeMs === undefined ? said : { ...said, headerTimeMs: feed.timeMs };
    },
  };
  return reader;
}

/** So many entities of one content, named by their numbers. */
export function numbered(count: number, content = '1'): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`e${index}`, content]));
}
