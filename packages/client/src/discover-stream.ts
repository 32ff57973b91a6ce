import { readStreamContext, type StreamContext } from '@ldes-live/codec';
import { DEFAULT_BREAK_EVEN_SECONDS } from '@ldes-live/latency';
import {
  BREAK_EVEN_ATTRIBUTE,
  type Cursor,
  EVENT_STREAM_MEDIA_TYPE,
  httpFields,
  isStreamError,
  relations,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from './errors.ts';
import type { HttpReader } from './http-reader.ts';
import { findLink, type Link } from './link-header.ts';
import { readDocument } from './read-document.ts';

/** Where push is offered, and for whom. */
export interface PushOffer {
  readonly url: string;
  /** The MAL below which push is the cheaper way, milliseconds. */
  readonly breakEvenMs: number;
}

/** What a follower has to know of a stream. */
export interface StreamProfile {
  /** Where its root stands, by its own account. */
  readonly rootUrl: string;
  readonly context: StreamContext;
  /** The log's head as the root has it. */
  readonly cursor: Cursor;
  readonly latestUrl: string;
  readonly pagesUrl: string;
  readonly push?: PushOffer;
}

/**
 * Finds out about a stream from its root.
 *
 * @throws {@link StreamError} `ERR_NOT_ROOT` - it is another document of a stream of ours
 * @throws {@link StreamError} `ERR_NOT_LIVE` - the document is not the root of a stream of ours; those of
 * {@link readDocument} and `readStreamContext`
 * @see specs/documents.md
 */
export async function discoverStream(http: HttpReader, url: string, signal: AbortSignal): Promise<StreamProfile> {
  const root = await readDocument(http, url, { signal });
  const { cursor, links } = root;
  // Its own name for itself: the URL that leads to it may go through a proxy or another host name.
  const rootUrl = findLink(links, relations.root)?.target ?? root.url;
  const context = contextOf(root.quads ?? [], url, rootUrl);
  if (!cursor) throw errors.ERR_NOT_LIVE({ url, missing: `the header field ${httpFields.cursor}` });
  const push = pushOffer(links);
  return {
    rootUrl,
    context,
    cursor,
    latestUrl: requiredLink(links, relations.latest, url),
    pagesUrl: requiredLink(links, relations.pages, url),
    ...(push ? { push } : {}),
  };
}

function contextOf(quads: readonly Quad[], url: string, rootUrl: string): StreamContext {
  try {
    return readStreamContext(quads, rootUrl);
  } catch (error) {
    const isOther = isStreamError(error, 'ERR_VIEW_NOT_FOUND') && new URL(rootUrl).pathname !== new URL(url).pathname;
    throw isOther ? errors.ERR_NOT_ROOT({ url, rootUrl }, error) : error;
  }
}

/** The push endpoint that a document of a stream links to, if any. */
export function pushOffer(links: readonly Link[]): PushOffer | undefined {
  const link = findLink(links, relations.push, EVENT_STREAM_MEDIA_TYPE);
  if (!link) return undefined;
  const stated = Number(link.parameters[BREAK_EVEN_ATTRIBUTE] || Number.NaN);
  const breakEvenSeconds = stated >= 0 ? stated : DEFAULT_BREAK_EVEN_SECONDS;
  return { url: link.target, breakEvenMs: breakEvenSeconds * 1000 };
}

function requiredLink(links: readonly Link[], rel: string, url: string): string {
  const link = findLink(links, rel);
  if (!link) throw errors.ERR_NOT_LIVE({ url, missing: `a Link header field with rel="${rel}"` });
  return link.target;
}
