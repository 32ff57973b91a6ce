import { DEFAULT_BREAK_EVEN_SECONDS } from '@ldes-live/latency';
import {
  BREAK_EVEN_ATTRIBUTE,
  type Cursor,
  EVENT_STREAM_MEDIA_TYPE,
  findLink,
  httpFields,
  isStreamError,
  type Link,
  ldes,
  live,
  readStreamContext,
  relations,
  type StreamContext,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { StreamDocument } from '../http/read-document.ts';

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

/** Whether a document belongs to a stream of ours, though something of it may be missing: all else is any LDES. */
export function isLive({ cursor, links, quads = [] }: StreamDocument): boolean {
  if (cursor || findLink(links, relations.root)) return true;
  return quads.some(
    ({ predicate, object: { value } }) =>
      predicate.value === ldes.sequencePath && (value === live.sequence || FORMER_SEQUENCE.test(value)),
  );
}

// Of logs that are older, the vocabulary stands below the publisher's own URL.
const FORMER_SEQUENCE = /\/ns\/live#sequence$/;

/**
 * Finds out about a stream of ours from its root, or which part of it is missing.
 *
 * @param url - as it was given
 * @throws {@link StreamError} `ERR_NOT_ROOT` - it is another document of a stream of ours
 * @throws {@link StreamError} those of `readStreamContext`
 * @see specs/documents.md
 */
export function profileOf(root: StreamDocument, url: string): StreamProfile | { readonly missing: string } {
  const { cursor, links } = root;
  // Its own name for itself: the URL that leads to it may go through a proxy or another host name.
  const rootUrl = findLink(links, relations.root)?.target ?? root.url;
  const context = contextOf(root.quads ?? [], url, rootUrl);
  const latestUrl = findLink(links, relations.latest)?.target;
  const pagesUrl = findLink(links, relations.pages)?.target;
  if (!cursor) return { missing: `the header field ${httpFields.cursor}` };
  if (latestUrl === undefined) return { missing: `a Link header field with rel="${relations.latest}"` };
  if (pagesUrl === undefined) return { missing: `a Link header field with rel="${relations.pages}"` };
  const push = pushOffer(links);
  return {
    rootUrl,
    context,
    cursor,
    latestUrl,
    pagesUrl,
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
