import { isStreamError } from '@ldes-live/rdf-stream';
import { type DocumentHead, readDocument } from '../http/document.ts';
import type { HttpClient } from '../http/http-client.ts';
import { PageIndex } from './page-index.ts';

/** What asking for a page brought. */
export type FetchedPage =
  | { readonly kind: 'read'; readonly head: DocumentHead; readonly index: PageIndex }
  /** It is as it was (304). */
  | { readonly kind: 'same'; readonly head: DocumentHead }
  /** It was removed for good, which counts as a page without members (410). */
  | { readonly kind: 'gone' };

/**
 * Asks for a page of a tree.
 *
 * @throws {@link StreamError} those of {@link readDocument}
 * @see specs/any-ldes.md READ-18
 */
export async function fetchPage(
  http: HttpClient,
  url: string,
  request: { readonly signal: AbortSignal; readonly etag?: string; readonly revalidate?: boolean },
): Promise<FetchedPage> {
  try {
    const { quads, ...head } = await readDocument(http, url, request);
    return quads ? { kind: 'read', head, index: new PageIndex(quads, head.url) } : { kind: 'same', head };
  } catch (error) {
    if (isStreamError(error, 'ERR_RESPONSE_STATUS') && error.details.status === 410) return { kind: 'gone' };
    throw error;
  }
}
