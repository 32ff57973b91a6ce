/*
 * Header fields: how long an answer may be kept, where its stream's other documents are, who may read it, and whether the
 * client has it already. Fields are lists of names and values in turns, as Node.js writes them fastest.
 *
 *   200 of /vehicles/latest: content-type, content-length, cache-control, date, expires, x-accel-expires, next-update,
 *                            ldes-cursor, ldes-source, etag, vary, last-modified, link, access-control-allow-origin, ...
 *   304 of it:               cache-control, date, expires, x-accel-expires, next-update, ldes-cursor, ldes-source, etag, vary
 *
 * They are put together when one of them changes: once a second at most while a document stands, whatever the requests.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import { type Freshness, freshness, MICRO_CACHE_SECONDS, nextUpdate } from '@ldes-live/latency';
import {
  BREAK_EVEN_ATTRIBUTE,
  EVENT_STREAM_MEDIA_TYPE,
  formatCursor,
  formatSourceState,
  formats,
  httpFields,
  relations,
  type SourceState,
  type StreamDescription,
} from '@ldes-live/rdf-stream';
import { type Caching, type DocumentState, type Representation, streamUrls } from '../documents/document.ts';
import type { ScheduledStream, WatchedSources } from '../options.ts';

/** `Cache-Control` of what never changes: a year, which is as long as caches keep anything. */
export const IMMUTABLE_CACHE_CONTROL = 'public, max-age=31536000, immutable';

/** `Cache-Control` of what must not be kept. */
export const NO_STORE = 'no-store';

/** `Vary` of what is chosen by format and encoding. */
export const VARY = 'Accept, Accept-Encoding';

/** The same of a private stream. */
export const VARY_PRIVATE = `${VARY}, Authorization`;

// What scripts need beyond the fields that they may always read.
const EXPOSED = ['Age', 'Date', 'ETag', 'LDES-Cursor', 'LDES-Source', 'Link', 'Next-Update', 'Retry-After'].join(', ');

/** The same for answers to posts, with what these have besides. */
export const EXPOSED_OF_POSTS = `${EXPOSED}, Accept-Post, Location, WWW-Authenticate`;

/**
 * Lets scripts of every origin read an answer, and the fields that say how fresh it is. What is published is public.
 *
 * @see specs/documents.md DOC-41
 */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
  // By which a page of another origin sees the protocol of its connections: over HTTP/2 it may open any number.
  'timing-allow-origin': '*',
};

const CORS_FIELDS = Object.entries(CORS_HEADERS).flat();

/** For how long a cache may answer with an old state while the server does not answer at all, seconds. */
const STALE_IF_ERROR_SECONDS = 300;

/**
 * Fields that say how long a document may be kept.
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

/** A stream as `Link` fields have it. */
export interface LinkedStream {
  readonly description: StreamDescription;
  /** The MAL below which push is the cheaper way. */
  readonly breakEvenSeconds: number;
  /** URLs of the JSON-LD contexts of the own terms. */
  readonly contextUrls: readonly string[];
}

/**
 * The `Link` field of a stream's documents.
 *
 * @param state - of the document, where it may lead further than all do
 * @see specs/documents.md DOC-12
 */
export function linkHeader(
  { description, breakEvenSeconds, contextUrls }: LinkedStream,
  { nextPage, hasTail, cursor }: Pick<DocumentState, 'nextPage' | 'hasTail' | 'cursor'> = {},
): string {
  const urls = streamUrls(description);
  const links = [
    `<${urls.root}>; rel="${relations.root}"`,
    `<${urls.latest}>; rel="${relations.latest}"`,
    `<${urls.pages}>; rel="${relations.pages}"`,
    `<${urls.events}>; rel="${relations.push}"; type="${EVENT_STREAM_MEDIA_TYPE}"; ${BREAK_EVEN_ATTRIBUTE}="${breakEvenSeconds}"`,
  ];
  // Not as the context to read JSON-LD by: readers would fetch it for every page, and documents carry their own.
  for (const url of contextUrls) links.push(`<${url}>; rel="describedby"; type="${formats.jsonld.mediaType}"`);
  if (nextPage) links.push(`<${nextPage}>; rel="${relations.nextPage}"`);
  if (hasTail && cursor) links.push(`<${urls.tail(cursor)}>; rel="${relations.tail}"`);
  return links.join(', ');
}

/** The header fields of the answers with a representation. */
export interface HeaderBlock {
  /** With the content, or of HEAD. */
  readonly whole: readonly string[];
  /** Of 304: what caches and pollers need anew, and nothing that follows from the entity tag. @see specs/documents.md DOC-11 */
  readonly unmodified: readonly string[];
  /** Of 304 to a script of another origin. */
  readonly unmodifiedCors: readonly string[];
}

/** What the fields of a representation change with. */
export interface Moment {
  readonly state: DocumentState;
  /** Absent for what never changes. */
  readonly fresh: Freshness | undefined;
  /** The value of `LDES-Source`; absent where there is nothing to say. */
  readonly source: string | undefined;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

interface Timed extends HeaderBlock {
  readonly link: string;
  readonly second: number;
  readonly maxAgeSeconds: number | undefined;
  readonly expiresSecond: number | undefined;
  readonly nextUpdateMs: number | undefined;
  readonly sequence: number | undefined;
  readonly source: string | undefined;
}

/** The header fields of representations. */
export class HeaderBlocks {
  readonly #timed = new WeakMap<Representation, Timed>();

  /** @param link - gives the `Link` field of the document, which is asked for once */
  of(representation: Representation, moment: Moment, link: (state: DocumentState) => string): HeaderBlock {
    const known = this.#timed.get(representation);
    const { state, fresh, source, nowMs } = moment;
    if (
      known !== undefined &&
      known.second === Math.floor(nowMs / 1000) &&
      known.maxAgeSeconds === fresh?.maxAgeSeconds &&
      known.nextUpdateMs === fresh?.nextUpdateMs &&
      known.expiresSecond === secondOf(fresh) &&
      known.sequence === state.cursor?.sequence &&
      known.source === source
    ) {
      return known;
    }
    const linked = known?.link ?? link(state);
    const block: Timed = {
      ...blockOf(representation, moment, linked),
      link: linked,
      second: Math.floor(nowMs / 1000),
      maxAgeSeconds: fresh?.maxAgeSeconds,
      expiresSecond: secondOf(fresh),
      nextUpdateMs: fresh?.nextUpdateMs,
      sequence: state.cursor?.sequence,
      source,
    };
    this.#timed.set(representation, block);
    return block;
  }
}

// The TREE profile: https://w3id.org/tree/specification/profile
const PROFILE = ';profile="https://w3id.org/tree/profile"';

function blockOf(representation: Representation, moment: Moment, link: string): HeaderBlock {
  const { etag, lastModifiedMs, variant, bytes } = representation;
  const { state, fresh, source, nowMs } = moment;
  const unmodified = [
    ...cachingFields(state.caching, fresh, nowMs),
    ...(state.cursor ? [httpFields.cursor, formatCursor(state.cursor)] : []),
    ...(source === undefined ? [] : [httpFields.source, source]),
    ...['etag', etag, 'vary', VARY],
  ];
  const { mediaType } = formats[variant.format];
  // JSON-LD is an object: it has no order that a profile could promise.
  const hasProfile = state.profile === true && variant.format !== 'jsonld';
  const whole = [
    ...['content-type', hasProfile ? `${mediaType}${PROFILE}` : mediaType],
    ...['content-length', String(bytes.length)],
    ...unmodified,
    ...['last-modified', new Date(lastModifiedMs).toUTCString()],
    ...(variant.encoding === 'identity' ? [] : ['content-encoding', variant.encoding]),
    ...['link', link],
    ...CORS_FIELDS,
  ];
  return { whole, unmodified, unmodifiedCors: [...unmodified, ...CORS_FIELDS] };
}

function secondOf(fresh: Freshness | undefined): number | undefined {
  return fresh && Math.floor(fresh.expiresMs / 1000);
}

/**
 * The fields of an answer that follows from the latest state of a stream and nothing else.
 *
 * @param shown - the cursor of the state that the answer shows, printed: one that is past holds for no time
 * @param nowMs - epoch milliseconds
 * @see specs/documents.md DOC-8, DOC-80
 */
export function latestFields(
  stream: ScheduledStream & LinkedStream & Pick<WatchedSources, 'sourceState'>,
  shown: string,
  nowMs: number,
): Readonly<Record<string, string>> {
  const { cursor, timeMs } = stream.log.head;
  const isCurrent = formatCursor(cursor) === shown;
  const source = stream.sourceState();
  const next = isCurrent ? nextUpdate(stream.schedule(), nowMs) : ({ state: 'overdue' } as const);
  const fresh = isCutOff(source) ? notKept(nowMs) : freshness(next, nowMs);
  return {
    ...recordOf(cachingFields('scheduled', fresh, nowMs)),
    [httpFields.cursor]: shown,
    ...(source && { [httpFields.source]: formatSourceState(source) }),
    ...(isCurrent && { 'last-modified': new Date(timeMs).toUTCString() }),
    link: linkHeader(stream),
  };
}

/** Whether there may be commits that this side does not have. @see specs/cluster.md CLU-24 */
export function isCutOff(source: SourceState | undefined): boolean {
  return source?.kind === 'failing' && source.completeToMs !== undefined;
}

/** Of what no cache may take for fresh. */
export function notKept(nowMs: number): Freshness {
  return { maxAgeSeconds: 0, expiresMs: nowMs };
}

/** Names and values in turns as an object. */
export function recordOf(fields: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {};
  for (let index = 0; index < fields.length; index += 2) record[fields[index] as string] = fields[index + 1] as string;
  return record;
}

const FRAMING = new Set(['content-length', 'transfer-encoding']);

/**
 * Header fields together with those of an app around, which go first. What an answer varies with counts of both. Where the
 * app says how long it may be kept, nothing else does: nginx reads X-Accel-Expires before Cache-Control. Where content
 * ends is not the app's to say.
 */
export function mergedFields(own: OutgoingHttpHeaders, around: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const said = Object.entries(around).filter(([name, value]) => value !== undefined && !FRAMING.has(name));
  const { expires, 'x-accel-expires': accelerated, ...kept } = own;
  const merged = { ...(around['cache-control'] === undefined ? own : kept), ...Object.fromEntries(said) };
  const isBoth = own.vary !== undefined && around.vary !== undefined;
  return isBoth ? { ...merged, vary: `${own.vary}, ${around.vary}` } : merged;
}

const OF_SHARED_CACHES = new Set(['x-accel-expires', 'cdn-cache-control', 'surrogate-control']);

/**
 * Header fields of an answer that is for one reader: no shared cache may keep it, not even one that reads X-Accel-Expires
 * before Cache-Control.
 *
 * @param fields - by names in lower case
 * @see specs/documents.md DOC-91
 */
export function privateFields(fields: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const kept = Object.entries(fields).filter(([name]) => !OF_SHARED_CACHES.has(name));
  const { 'cache-control': caching = NO_STORE, vary } = fields;
  const isSaid = /(?:^|,) *authorization *(?:,|$)/i.test(String(vary));
  return {
    ...Object.fromEntries(kept),
    'cache-control': privateCaching(String(caching)),
    vary: isSaid ? vary : [vary, 'Authorization'].filter(Boolean).join(', '),
  };
}

function privateCaching(caching: string): string {
  const directives = caching
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim());
  if (directives.includes(NO_STORE)) return caching;
  return ['private', ...directives.filter((one) => !/^(?:public|private|s-maxage=.*)$/.test(one))].join(', ');
}

/** The conditional fields of a request. */
export interface Conditions {
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-modified-since'?: string | undefined;
}

/**
 * Whether the client has the current representation already, so that 304 answers it.
 *
 * `If-None-Match` makes `If-Modified-Since` ignored; a date that cannot be read is ignored too.
 *
 * @param nowMs - the present, epoch milliseconds
 * @param current.isDated - whether its date, in whole seconds, is not that of the state before it as well
 * @see specs/documents.md DOC-11
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.2.2
 */
export function isNotModified(
  conditions: Conditions,
  current: { readonly etag: string; readonly lastModifiedMs: number; readonly isDated: boolean },
  nowMs: number,
): boolean {
  const { 'if-none-match': known, 'if-modified-since': since } = conditions;
  if (known !== undefined) return matchesEtag(known, current.etag);
  if (since === undefined || !current.isDated) return false;
  const sinceMs = parseHttpDate(since, nowMs);
  // The field has whole seconds, and so had the Last-Modified that it repeats.
  return sinceMs !== undefined && Math.floor(current.lastModifiedMs / 1000) * 1000 <= sinceMs;
}

/**
 * Whether an `If-None-Match` field matches a current entity tag, by weak comparison.
 *
 * @param field - the field's value: `*`, or a list of entity tags
 * @param etag - the current entity tag, quoted
 */
export function matchesEtag(field: string, etag: string): boolean {
  // What most clients send.
  if (field === etag) return true;
  if (field.trim() === '*') return true;
  // Entity tags may hold commas, so the list is not split but searched for tags.
  return [...field.matchAll(/(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)].some((match) => match[1] === etag);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = '(?<time>\\d{2}:\\d{2}:\\d{2})';

const DATE_FORMS = [
  `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d{2}) ${MONTH} (?<year>\\d{4}) ${TIME} GMT`,
  `(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} GMT`,
  `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`));

/**
 * Reads a date of a header field, in any of the three forms that a recipient has to know.
 *
 * @param nowMs - the present, epoch milliseconds: a year of two digits is taken to be at most 50 years ahead
 * @returns epoch milliseconds; `undefined` for what is not a date
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
 */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  const parts = DATE_FORMS.map((form) => form.exec(text.trim())?.groups).find((groups) => groups !== undefined);
  if (!parts) return undefined;
  const { day = '', month = '', year = '', time = '' } = parts;
  const thisYear = new Date(nowMs).getUTCFullYear();
  const ofCentury = thisYear - (thisYear % 100) + Number(year);
  const fullYear = year.length === 4 ? year : String(ofCentury > thisYear + 50 ? ofCentury - 100 : ofCentury);
  const date = `${fullYear}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${day.trim().padStart(2, '0')}`;
  // A leap second has no number of its own.
  const said = `${date}T${time.replace(/60$/, '59')}.000Z`;
  const ms = Date.parse(said);
  // What does not exist, such as 30 February, is read as another day, or not at all.
  return !Number.isNaN(ms) && new Date(ms).toISOString() === said ? ms : undefined;
}
