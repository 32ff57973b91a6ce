import { type Freshness, MICRO_CACHE_SECONDS } from '@ldes-live/latency';
import { BREAK_EVEN_ATTRIBUTE, EVENT_STREAM_MEDIA_TYPE, formats, httpFields, relations } from '@ldes-live/rdf-stream';
import type { Caching, DocumentState, StreamUrls } from '../documents/document.ts';

/** `Cache-Control` of what never changes: a year, which is as long as caches keep anything. */
export const IMMUTABLE_CACHE_CONTROL = 'public, max-age=31536000, immutable';

/** `Cache-Control` of what must not be kept. */
export const NO_STORE = 'no-store';

/** `Vary` of what is chosen by format and encoding. */
export const VARY = 'Accept, Accept-Encoding';

/** For how long a cache may answer with an old state while the server does not answer at all, seconds. */
const STALE_IF_ERROR_SECONDS = 300;

/**
 * Fields that say how long a document may be kept, as names and values in turns.
 *
 * @param fresh - absent for what never changes
 * @param nowMs - epoch milliseconds
 * @see specs/documents.md DOC-8, DOC-40
 */
export function cachingFields(caching: Caching, fresh: Freshness | undefined, nowMs: number): string[] {
  const date = ['date', new Date(nowMs).toUTCString()];
  if (!fresh) return ['cache-control', IMMUTABLE_CACHE_CONTROL, ...date];
  const { maxAgeSeconds, expiresMs, nextUpdateMs } = fresh;
  const kept = `public, max-age=${maxAgeSeconds}`;
  const expires = ['expires', new Date(expiresMs).toUTCString()];
  if (caching !== 'scheduled') return ['cache-control', kept, ...date, ...expires];
  return [
    'cache-control',
    `${kept}, stale-if-error=${STALE_IF_ERROR_SECONDS}`,
    ...date,
    ...expires,
    'x-accel-expires',
    `@${nginxSeconds(fresh)}`,
    ...(nextUpdateMs === undefined ? [] : [httpFields.nextUpdate, new Date(nextUpdateMs).toISOString()]),
  ];
}

// nginx keeps what it has through the second that it is told. An update that may come at any moment it would hide for a
// second: what may be followed by one is told to have expired, and nginx keeps it as an old document only.
function nginxSeconds({ maxAgeSeconds, expiresMs, nextUpdateMs }: Freshness): number {
  const mayComeAnyMoment = nextUpdateMs === undefined && maxAgeSeconds <= MICRO_CACHE_SECONDS;
  return Math.floor(expiresMs / 1000) - (mayComeAnyMoment ? 2 : 1);
}

/** What the `Link` fields of all streams say alike. */
export interface LinkTargets {
  /** The MAL below which push is the cheaper way, where the stream states none. */
  readonly breakEvenSeconds: number;
  /** What streams state of it, by their URLs. */
  readonly statedBreakEvens: Readonly<Record<string, number>>;
  /** URLs of the JSON-LD contexts of the own terms. */
  readonly contextUrls: readonly string[];
}

/**
 * The `Link` field of a stream's documents.
 *
 * @param state - of the document, where it may lead further than all do
 * @see specs/documents.md DOC-12, DOC-64
 * @see https://www.rfc-editor.org/rfc/rfc8288
 */
export function linkHeader(
  urls: StreamUrls,
  { breakEvenSeconds, statedBreakEvens, contextUrls }: LinkTargets,
  { nextPage, hasTail, cursor }: Pick<DocumentState, 'nextPage' | 'hasTail' | 'cursor'> = {},
): string {
  const links = [
    `<${urls.root}>; rel="${relations.root}"`,
    `<${urls.latest}>; rel="${relations.latest}"`,
    `<${urls.pages}>; rel="${relations.pages}"`,
    `<${urls.events}>; rel="${relations.push}"; type="${EVENT_STREAM_MEDIA_TYPE}"; ${BREAK_EVEN_ATTRIBUTE}="${statedBreakEvens[urls.root] ?? breakEvenSeconds}"`,
  ];
  // Not as the context to read JSON-LD by: readers would fetch it for every page, and documents carry their own.
  for (const url of contextUrls) links.push(`<${url}>; rel="describedby"; type="${formats.jsonld.mediaType}"`);
  if (nextPage) links.push(`<${nextPage}>; rel="${relations.nextPage}"`);
  if (hasTail && cursor) links.push(`<${urls.tail(cursor)}>; rel="${relations.tail}"`);
  return links.join(', ');
}
