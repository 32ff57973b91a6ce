import { prefixes } from '@ldes-live/rdf-stream';
import type { View } from './documents/document.ts';
import { entityView, latestView } from './documents/latest.ts';
import { MemberTexts, type MemberTextsOptions } from './documents/member-texts.ts';
import { timeView } from './documents/pages.ts';
import { placeView } from './documents/tiles.ts';
import type { PostEndpoint } from './ingest/endpoint.ts';
import { CommitCounts, RequestCounts } from './metrics.ts';
import type { ScheduledStream, WatchedSources } from './options.ts';

/** A stream with the views that it is published by, and the requests for it that were answered. */
export interface PublishedStream extends ScheduledStream, WatchedSources {
  readonly texts: MemberTexts;
  readonly views: readonly View[];
  readonly requests: RequestCounts;
  readonly commits: CommitCounts;
  /** Takes its posts; absent where it takes none. */
  readonly post?: PostEndpoint;
}

/**
 * Makes the views of a stream.
 *
 * @param post - takes its posts
 * @param writing - what its texts are written with
 */
export function publishedStream(
  stream: ScheduledStream & WatchedSources,
  post?: PostEndpoint,
  writing: Omit<MemberTextsOptions, 'description'> = { prefixes },
): PublishedStream {
  const texts = new MemberTexts(stream.log, { description: stream.description, ...writing });
  const written = { ...stream, texts };
  return {
    ...written,
    views: [timeView(written), latestView(written), placeView(written), entityView(written)],
    requests: new RequestCounts(),
    commits: new CommitCounts(stream.log),
    ...(post && { post }),
  };
}
