import { prefixes } from '@ldes-live/rdf-stream';
import { MemberTexts, type MemberTextsOptions } from '../documents/member-texts.ts';
import type { PostEndpoint } from '../ingest/post-endpoint.ts';
import { RequestCounts } from '../metrics/request-counts.ts';
import type { ScheduledStream } from '../options.ts';
import type { EntryPoint, View } from './view.ts';
import { views } from './views.ts';

/** A stream with the views that it is published by, and the requests for it that were answered. */
export interface PublishedStream extends ScheduledStream {
  readonly texts: MemberTexts;
  readonly views: readonly View[];
  readonly requests: RequestCounts;
  /** Takes its posts; absent where it takes none. */
  readonly post?: PostEndpoint;
}

/**
 * Makes the views of a stream.
 *
 * @param post - takes its posts, and is one more of its sources
 * @param writing - what its texts are written with
 */
export function publishedStream(
  stream: ScheduledStream,
  post?: PostEndpoint,
  writing: Omit<MemberTextsOptions, 'description'> = { prefixes },
): PublishedStream {
  const texts = new MemberTexts(stream.log, { description: stream.description, ...writing });
  const written = { ...stream, texts };
  const published = { ...written, views: views.map((make) => make(written)), requests: new RequestCounts() };
  if (!post) return published;
  return { ...published, post, sources: () => [...stream.sources(), post.health()] };
}

/** The documents that a reader of a stream can begin at. */
export function entryPoints({ views }: Pick<PublishedStream, 'views'>): EntryPoint[] {
  return views.flatMap(({ entry }) => entry ?? []);
}

/** IRI of the view that begins at a document, as the document itself names it. */
export function viewIri(url: string): string {
  return `${url}#view`;
}
