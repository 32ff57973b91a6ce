import { type Format, formatOf, formats, parseQuads } from '@ldes-live/codec';
import { type Cursor, httpFields, parseCursor } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from './errors.ts';
import { ageSeconds, type HttpReader, type HttpResponse } from './http-reader.ts';
import { type Link, parseLinks } from './link-header.ts';

/** What the header of a stream's document says, whatever its body. */
export interface DocumentHead {
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly links: readonly Link[];
  /** The newest member that it accounts for. */
  readonly cursor?: Cursor;
  readonly etag?: string;
  /** When the next update is expected, epoch milliseconds on the server's clock. */
  readonly nextUpdateMs?: number;
  /** Our clock when it was asked for, epoch milliseconds. */
  readonly sentMs: number;
  /** How long it had been in caches at most, milliseconds. */
  readonly ageMs: number;
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
 * @throws {@link StreamError} `ERR_MEDIA_TYPE_UNSUPPORTED` - it is in none of them; those of
 * {@link HttpReader.get}; `ERR_RDF_MALFORMED` and the like - it cannot be parsed
 */
export async function readDocument(
  http: HttpReader,
  url: string,
  request: { readonly signal: AbortSignal; readonly etag?: string; readonly revalidate?: boolean },
): Promise<StreamDocument> {
  const response = await http.get(url, { ...request, accept: ACCEPT });
  const head = documentHead(response);
  if (response.status === 304) return head;
  const mediaType = response.headers.get('content-type') ?? '';
  const format = formatOf(mediaType);
  if (!format) throw errors.ERR_MEDIA_TYPE_UNSUPPORTED({ url, mediaType });
  return { ...head, quads: await parseQuads(response.text, format, head.url) };
}

function documentHead({ url, headers, sentMs }: HttpResponse): DocumentHead {
  const cursor = readCursor(headers.get(httpFields.cursor));
  const nextUpdateMs = Date.parse(headers.get(httpFields.nextUpdate) ?? '');
  const etag = headers.get('etag');
  const age = ageSeconds(headers);
  return {
    url,
    links: parseLinks(headers.get('link') ?? '', url),
    ...(cursor ? { cursor } : {}),
    ...(etag === null ? {} : { etag }),
    ...(Number.isNaN(nextUpdateMs) ? {} : { nextUpdateMs }),
    sentMs,
    // Age is rounded down.
    ageMs: age > 0 ? (age + 1) * 1000 : 0,
  };
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
