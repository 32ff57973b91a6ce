import {
  type Cursor,
  cursorOf,
  type Format,
  formatOf,
  formats,
  httpFields,
  isStreamError,
  type Link,
  parseLinks,
  parseQuads,
  parseSourceState,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import { pauses } from '../waiting.ts';
import { ageSeconds, dateMs, type HttpClient, type HttpResponse } from './http-client.ts';

/*
 * A document of a stream: its quads, and what its header says of freshness.
 *
 *   200, Age: 3, Cache-Control: max-age=10, Next-Update: ... -> { quads, ageMs: 4_000, freshUntilMs, nextUpdateMs, cursor, ... }
 *   304 -> the same without quads
 */

/** What the header of a stream's document says, whatever its body. */
export interface DocumentHead extends Pick<HttpResponse, 'url' | 'sentMs' | 'number' | 'receipt'> {
  readonly links: readonly Link[];
  /** The newest member that it accounts for. */
  readonly cursor?: Cursor | undefined;
  readonly etag?: string | undefined;
  /** When the next update is expected, epoch milliseconds on the server's clock. */
  readonly nextUpdateMs?: number | undefined;
  /** How long it had been in caches at most, milliseconds. */
  readonly ageMs: number;
  /** How long it may be reused from when it was made (`max-age`), milliseconds. */
  readonly maxAgeMs?: number | undefined;
  /** Until when a cache may reuse it (`max-age`, else `Expires`), epoch milliseconds on our clock. */
  readonly freshUntilMs?: number | undefined;
  /** Whether it will never change (`Cache-Control: immutable`). */
  readonly isImmutable: boolean;
  /** What was published after that it may not have, epoch milliseconds on the server's clock: its server is cut off. */
  readonly completeToMs?: number | undefined;
}

export interface StreamDocument extends DocumentHead {
  /** Absent when they are those that the asker has. */
  readonly quads?: readonly Quad[];
}

// Formats that hold every stream, the quickest to read first.
const READABLE: readonly Format[] = ['nquads', 'trig', 'turtle', 'ntriples', 'jsonld'];

export const ACCEPT = READABLE.map((format, index) => {
  const { mediaType } = formats[format];
  return index === 0 ? mediaType : `${mediaType};q=${(1 - index / 10).toFixed(1)}`;
}).join(', ');

/** How a document is asked for: `etag` of what the asker has of it; `revalidate`: past all caches; `share`: of its limits. */
interface DocumentRequest {
  readonly signal: AbortSignal;
  readonly etag?: string | undefined;
  readonly revalidate?: boolean;
  /** Of how many that are read at once: they share what one alone may be. @defaultValue 1 */
  readonly share?: number;
}

/**
 * Reads a document of a stream in any of the five formats.
 *
 * @throws {@link StreamError} `ERR_DOCUMENT_INCOMPLETE` - it is answered 304, though no tag was sent;
 * `ERR_MEDIA_TYPE_UNSUPPORTED` - it is in none of them; those of requests and of parsing
 */
export async function readDocument(http: HttpClient, url: string, request: DocumentRequest): Promise<StreamDocument> {
  const response = await http.get(url, { ...request, accept: ACCEPT });
  const head = documentHead(response);
  if (response.status === 304) {
    if (request.etag !== undefined) return head;
    const problem = 'answers 304, though it was asked for without an entity tag';
    throw errors.ERR_DOCUMENT_INCOMPLETE({ url, problem });
  }
  const mediaType = response.headers.get('content-type') ?? '';
  const format = formatOf(mediaType);
  if (!format) throw errors.ERR_MEDIA_TYPE_UNSUPPORTED({ url, mediaType });
  return {
    ...head,
    quads: await parseQuads(response.text, format, head.url, {
      loadContext: (context) => http.loadContext(context, request.signal),
      limitQuads: http.limits.documentQuads / (request.share ?? 1),
      pause: pauses(),
      limitContextWork: http.limits.contextWork,
    }),
  };
}

/** As {@link readDocument}; `undefined` where the answer has one of some statuses, such as 410. */
export async function findDocument(
  missing: readonly number[],
  ...request: Parameters<typeof readDocument>
): Promise<StreamDocument | undefined> {
  try {
    return await readDocument(...request);
  } catch (error) {
    const isMissing = isStreamError(error, 'ERR_RESPONSE_STATUS') && missing.includes(error.details.status as number);
    if (isMissing) return undefined;
    throw error;
  }
}

function documentHead({ url, headers, sentMs, number, receipt }: HttpResponse): DocumentHead {
  const caching = cachingOf(headers);
  const { maxAgeMs } = caching;
  const source = parseSourceState(headers.get(httpFields.source) ?? '');
  const freshMs = maxAgeMs === undefined ? expiresAfterMs(headers) : Math.max(0, maxAgeMs - ageSeconds(headers) * 1000);
  return {
    url,
    links: parseLinks(headers.get('link') ?? '', url),
    // Someone else's field of that name is not a cursor of ours.
    cursor: cursorOf(headers.get(httpFields.cursor) ?? ''),
    etag: headers.get('etag') ?? undefined,
    nextUpdateMs: dateMs(headers, httpFields.nextUpdate),
    sentMs,
    number,
    receipt,
    ...caching,
    completeToMs: source?.kind === 'failing' ? source.completeToMs : undefined,
    freshUntilMs: freshMs === undefined ? undefined : sentMs + freshMs,
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
    maxAgeMs: maxAge === undefined ? undefined : Number(maxAge) * 1000,
    isImmutable: /(?:^|,)\s*immutable\s*(?:,|$)/i.test(cacheControl),
  };
}

// By the server's own clock, so that it does not matter how ours differs.
function expiresAfterMs(headers: Headers): number | undefined {
  const expiresMs = dateMs(headers, 'expires');
  const madeMs = dateMs(headers, 'date');
  return expiresMs === undefined || madeMs === undefined ? undefined : Math.max(0, expiresMs - madeMs);
}
