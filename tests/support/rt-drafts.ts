import type { UpsertDraft } from '@ldes-live/rdf-stream';
import { createRtReader, encodeFeed, type FeedMessage, type RtReaderOptions } from '@ldes-live/sources';

/** The drafts of all that a GTFS-Realtime feed says, as if all of it were new. */
export async function rtDrafts(feed: FeedMessage | Uint8Array, options: RtReaderOptions): Promise<UpsertDraft[]> {
  const { entities } = await createRtReader(options)(feed instanceof Uint8Array ? feed : encodeFeed(feed));
  return entities.map((one) => ({ kind: 'upsert', origin: 'feed', ...one, quads: one.quads() }));
}
