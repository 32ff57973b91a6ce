import {
  type Cursor,
  type Format,
  formatOf,
  formats,
  httpFields,
  type Link,
  parseCursor,
  parseLinks,
  parseQuads,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import { ageSeconds, type HttpClient, type HttpResponse } from './http-client.ts';

/** What the header of a stream's document says, whatever its body. */
export interface DocumentHead extends Pick<HttpResponse, 'url' | 'sentMs' | 'number' | 'receipt'> {
  readonly links: readonly Link[];
  /** The newest member that it accounts for. */
  readonly cursor?: Cursor;
  readonly etag?: string;
  /** When the next update is expected, epoch milliseconds on the server's clock. */
  readonly nextUpdateMs?: number;
  /** How long it had been in caches at most, milliseconds. */
  readonly ageMs: number;
  /** How long it may be reused from when it was made (`max-age`), milliseconds. */
  readonly maxAgeMs?: number;
  /** Until when a cache may reuse it (`max-age`, else `Expires`), epoch milliseconds on our clock. */
  readonly freshUntilMs?: number;
  /** Whether it will never change (`Cache-Control: immutable`). */
  readonly isImmutable: boolean;
}

/** A document of a stream. */
export interface StreamDocument extends DocumentHead {
  /** What it says; `undefined` when it says what the asker has. */
  readonly quads?: readonly Quad[];
}

// Formats that hold every stream, the quickest to read first.
const READABLE: readonly Format[] = ['nquads', 'trig', 'turtle', 'ntriples', 'jsonld'];

/** The `Accept` field of requests for documents. */
export const ACCEPT = READABLE.map((format, index) => {
  const { mediaType } = formats[format];
  return index === 0 ? mediaType : `${mediaType};q=${(1 - index / 10).toFixed(1)}`;
}).join(', ');

/**
 * Reads a document of a stream in any of the five formats.
 *
 * @throws {@link StreamError} `ERR_DOCUMENT_INCOMPLETE` - it is said to be as the asker has it, who has nothing of it
 * (MAL-80)
 * @throws {@link StreamError} `ERR_MEDIA_TYPE_UNSUPPORTED` - it is in none of them; those of
 * {@link HttpClient.get}; `ERR_RDF_MALFORMED` and the like - it cannot be parsed
 */
export async function readDocument(
  http: HttpClient,
  url: string,
  request: { readonly signal: AbortSignal; readonly etag?: string; readonly revalidate?: boolean },
): Promise<StreamDocument> {
  const response = await http.get(url, { ...request, accept: ACCEPT });
  const head = documentHead(response);
  if (response.status === 304) {
    if (request.etag !== undefined) return head;
    throw errors.ERR_DOCUMENT_INCOMPLETE({
      url,
      problem: 'answers 304, though it was asked for without an entity tag',
    });
  }
  const mediaType = response.headers.get('content-type') ?? '';
  const format = formatOf(mediaType);
  if (!format) throw errors.ERR_MEDIA_TYPE_UNSUPPORTED({ url, mediaType });
  return {
    ...head,
    quads: await parseQuads(response.text, format, head.url, {
      loadContext: (context) => http.loadContext(context, request.signal),
      limitQuads: http.limits.documentQuads,
    }),
  };
}

function documentHead(response: HttpResponse): DocumentHead {
  const { url, headers, sentMs, number, receipt } = response;
  const cursor = readCursor(headers.get(httpFields.cursor));
  const nextUpdateMs = Date.parse(headers.get(httpFields.nextUpdate) ?? '');
  const etag = headers.get('etag');
  const caching = cachingOf(headers);
  const { maxAgeMs } = caching;
  const freshMs = maxAgeMs === undefined ? expiresAfterMs(headers) : Math.max(0, maxAgeMs - ageSeconds(headers) * 1000);
  return {
    url,
    links: parseLinks(headers.get('link') ?? '', url),
    ...(cursor ? { cursor } : {}),
    ...(etag === null ? {} : { etag }),
    ...(Number.isNaN(nextUpdateMs) ? {} : { nextUpdateMs }),
    sentMs,
    number,
    receipt,
    ...caching,
    ...(freshMs === undefined ? {} : { freshUntilMs: sentMs + freshMs }),
  };
}

/** What a header says of how old its document is, and how long it stays as it is. */
export function cachingOf(headers: Headers): Pick<DocumentHead, 'ageMs' | 'maxAgeMs' | 'isImmutable'> {
  const age = ageSeconds(headers);
  const cacheControl = headers.get('cache-control') ?? '';
  const maxAge = /(?:^|,)\s*max-age=(\d{1,10})\s*(?:,|$)/i.exec(cacheControl)?.[1];
  return {
    // Age is rounded down.
    ageMs: age > 0 ? (age + 1) * 1000 : 0,
    ...(maxAge === undefined ? {} : { maxAgeMs: Number(maxAge) * 1000 }),
    isImmutable: /(?:^|,)\s*immutable\s*(?:,|$)/i.test(cacheControl),
  };
}

// By the server's own clock, so that it does not matter how ours differs.
function expiresAfterMs(headers: Headers): number | undefined {
  const ms = Date.parse(headers.get('expires') ?? '') - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function readCursor(field: string | null): Cursor | undefined {
  if (field === null) return undefined;
  try {
    return parseCursor(field);
  } catch {
    // Someone else's field of that name is no cursor of ours: the document counts as having none.
    return undefined;
  }
}
