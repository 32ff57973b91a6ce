import type { Freshness } from '@ldes-live/latency';
import {
  BREAK_EVEN_ATTRIBUTE,
  EVENT_STREAM_MEDIA_TYPE,
  formatCursor,
  httpFields,
  relations,
} from '@ldes-live/rdf-stream';
import type { Representation } from '../documents/representations.ts';
import type { DocumentState } from '../documents/stream-document.ts';
import type { StreamUrls } from '../documents/stream-urls.ts';

/** Header fields of a response, by name. */
export type Headers = Readonly<Record<string, string>>;

/** `Cache-Control` of what never changes: a year, which is as long as caches keep anything. */
const IMMUTABLE_CACHE_CONTROL = 'public, max-age=31536000, immutable';

/** `Cache-Control` of what must not be kept. */
export const NO_STORE = 'no-store';

/** Fields that say how long a document may be kept. @see specs/documents.md DOC-8 */
export function cachingHeaders(fresh: Freshness | 'immutable', nowMs: number): Headers {
  const date = new Date(nowMs).toUTCString();
  if (fresh === 'immutable') return { 'cache-control': IMMUTABLE_CACHE_CONTROL, date };
  return {
    'cache-control': `public, max-age=${fresh.maxAgeSeconds}`,
    date,
    expires: new Date(fresh.expiresMs).toUTCString(),
    ...(fresh.nextUpdateMs === undefined
      ? {}
      : { [httpFields.nextUpdate]: new Date(fresh.nextUpdateMs).toISOString() }),
  };
}

/** Fields that say which state of the stream a document shows, and what changes with the request. */
export function stateHeaders(representation: Representation, state: DocumentState): Headers {
  return {
    etag: representation.etag,
    'last-modified': new Date(representation.lastModifiedMs).toUTCString(),
    vary: 'Accept',
    [httpFields.cursor]: formatCursor(state.cursor),
  };
}

/**
 * The `Link` field of a stream's documents.
 *
 * @param breakEvenSeconds - the MAL below which push is the cheaper way
 * @param nextPage - URL of the page after a sealed page
 * @see specs/documents.md DOC-12
 * @see https://www.rfc-editor.org/rfc/rfc8288
 */
export function linkHeader(urls: StreamUrls, breakEvenSeconds: number, nextPage?: string): string {
  const links = [
    `<${urls.root}>; rel="${relations.root}"`,
    `<${urls.latest}>; rel="${relations.latest}"`,
    `<${urls.pages}>; rel="${relations.pages}"`,
    `<${urls.events}>; rel="${relations.push}"; type="${EVENT_STREAM_MEDIA_TYPE}"; ${BREAK_EVEN_ATTRIBUTE}="${breakEvenSeconds}"`,
  ];
  if (nextPage) links.push(`<${nextPage}>; rel="${relations.nextPage}"`);
  return links.join(', ');
}
