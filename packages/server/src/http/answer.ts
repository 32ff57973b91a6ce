/*
 * From a document to the bytes on a response. What is ready is answered in the tick of the request; what is not is made
 * first, and answered by the same way.
 *
 *   document.state() -> { version: 'k3x9a-42', cursor, caching: 'scheduled' }
 *   representations  -> bytes and entity tag of that version, format and encoding
 *   HeaderBlocks     -> { status: 200, fields: ['content-type', 'text/turtle', ...], content } or { status: 304, ... }
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type Freshness, freshness, nextUpdate } from '@ldes-live/latency';
import { formatSourceState, formats, type SourceState } from '@ldes-live/rdf-stream';
import type { DocumentCache } from '../documents/cache.ts';
import { DESCRIPTION_MAX_AGE_SECONDS, descriptionDocument, vocabularyContext } from '../documents/descriptions.ts';
import type { DocumentState, Representation, StreamDocument, Variant } from '../documents/document.ts';
import type { ScheduledStream, Vocabulary } from '../options.ts';
import {
  CORS_HEADERS,
  type HeaderBlocks,
  IMMUTABLE_CACHE_CONTROL,
  isCutOff,
  isNotModified,
  type LinkedStream,
  linkHeader,
  matchesEtag,
  mergedFields,
  NO_STORE,
  notKept,
  recordOf,
  VARY,
} from './caching.ts';
import { negotiateVariant } from './negotiate.ts';

/** What answering with documents takes. */
export interface AnswerContext {
  readonly representations: DocumentCache;
  readonly headerBlocks: HeaderBlocks;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** A stream as its documents are answered. */
export interface AnsweredStream extends ScheduledStream, LinkedStream {
  readonly breakEvenSeconds: number;
  /** How its sources fare; `undefined` where it has none. */
  readonly sourceState?: () => SourceState | undefined;
}

/** A whole answer, short of its connection. */
export interface Answer {
  readonly status: number;
  /** Names in lower case, and values, in turns. */
  readonly fields: readonly string[];
  /** Absent where the answer has none. */
  readonly content: Uint8Array | undefined;
}

/** A representation, and the state of its document as it is sent. */
interface Current {
  readonly representation: Representation;
  readonly state: DocumentState;
  /** Whether it shows the state of the present. */
  readonly isCurrent: boolean;
}

/**
 * Writes a whole answer.
 *
 * @param extraFields - of an app around: see {@link mergedFields}
 */
export function writeAnswer(
  response: ServerResponse,
  { status, fields, content }: Answer,
  extraFields?: OutgoingHttpHeaders,
): void {
  // Node's types ask for an array that may be changed; it is only read.
  response.writeHead(status, extraFields ? mergedFields(recordOf(fields), extraFields) : (fields as string[]));
  if (content) response.end(content);
  else response.end();
}

/**
 * The answer with a document of a stream, in the format and encoding that the request asks for, or 304: at once where the
 * bytes are ready, a promise where they are made first.
 *
 * @throws {@link StreamError} `ERR_FORMAT_UNACCEPTABLE`, `ERR_ENCODING_UNACCEPTABLE`, `ERR_OVERLOADED`
 * @see specs/documents.md DOC-7 to DOC-12, DOC-37 to DOC-42
 */
export function documentAnswer(
  request: IncomingMessage,
  stream: AnsweredStream,
  document: StreamDocument,
  context: AnswerContext,
): Answer | Promise<Answer> {
  const variant = negotiateVariant(request.headers);
  const state = document.state();
  const representation = context.representations.ready(document.url, state, variant);
  if (representation) return answerWith(request, stream, context, { representation, state, isCurrent: true });
  return makeCurrent(stream, document, variant, context).then((current) =>
    answerWith(request, stream, context, current),
  );
}

function answerWith(
  { method, headers }: IncomingMessage,
  stream: AnsweredStream,
  context: AnswerContext,
  current: Current,
): Answer {
  const { representation, state } = current;
  const nowMs = context.clock();
  const moment = { state, fresh: freshnessOf(stream, current, nowMs), source: sourceField(stream, state), nowMs };
  const block = context.headerBlocks.of(representation, moment, (shown) => linkHeader(stream, shown));
  if (isNotModified(headers, representation, nowMs)) {
    const fields = headers.origin === undefined ? block.unmodified : block.unmodifiedCors;
    return { status: 304, fields, content: undefined };
  }
  return { status: 200, fields: block.whole, content: method === 'HEAD' ? undefined : representation.bytes };
}

/** What never changes must say nothing that does. @see specs/documents.md DOC-80 */
function sourceField({ sourceState }: AnsweredStream, { caching }: DocumentState): string | undefined {
  const state = caching === 'immutable' ? undefined : sourceState?.();
  return state && formatSourceState(state);
}

/** How long an answer may be kept; `undefined` means for ever. */
function freshnessOf(stream: AnsweredStream, { state, isCurrent }: Current, nowMs: number): Freshness | undefined {
  const { caching, longestAgeSeconds = Number.POSITIVE_INFINITY } = state;
  if (caching === 'immutable') return undefined;
  if (isCutOff(stream.sourceState?.())) return notKept(nowMs);
  if (caching !== 'scheduled') return keptFor(caching.maxAgeSeconds, nowMs);
  // What is behind the log already must not be kept until the update after the one it lacks.
  const fresh = freshness(isCurrent ? nextUpdate(stream.schedule(), nowMs) : { state: 'overdue' }, nowMs);
  return fresh.maxAgeSeconds > longestAgeSeconds ? keptFor(longestAgeSeconds, nowMs) : fresh;
}

function keptFor(maxAgeSeconds: number, nowMs: number): Freshness {
  return { maxAgeSeconds, expiresMs: nowMs + maxAgeSeconds * 1000 };
}

const MAX_ATTEMPTS = 3;

/**
 * Makes a representation of the present state: a commit during the making leaves it behind, so it is made again, a few
 * times at most.
 */
async function makeCurrent(
  { log }: ScheduledStream,
  document: StreamDocument,
  variant: Variant,
  { representations }: AnswerContext,
): Promise<Current> {
  for (let attempt = 1; ; attempt += 1) {
    const representation = await representations.get(document, variant, log.diskCache);
    const state = document.state();
    // The version is the content's; the cursor it accounts for may have gone on meanwhile.
    if (state.version === representation.state.version) return { representation, state, isCurrent: true };
    if (attempt === MAX_ATTEMPTS) return { representation, state: representation.state, isCurrent: false };
  }
}

const DESCRIPTION_CACHE_CONTROL = `public, max-age=${DESCRIPTION_MAX_AGE_SECONDS}`;

/**
 * The answer with a document that describes: in the format and encoding asked for, or 304. It has an entity tag and no
 * date, since nothing tells when a configuration came to say what it says.
 *
 * @param link - its `Link` field, if it has one
 * @throws {@link StreamError} `ERR_FORMAT_UNACCEPTABLE`, `ERR_ENCODING_UNACCEPTABLE`, `ERR_OVERLOADED`
 * @see specs/documents.md DOC-15
 */
export async function descriptionAnswer(
  request: IncomingMessage,
  document: StreamDocument,
  representations: DocumentCache,
  link?: string,
): Promise<Answer> {
  const variant = negotiateVariant(request.headers);
  const { etag, bytes } = await representations.get(document, variant);
  const known = request.headers['if-none-match'];
  const fields = ['cache-control', DESCRIPTION_CACHE_CONTROL, 'vary', VARY, 'etag', etag];
  const cors = Object.entries(CORS_HEADERS).flat();
  if (known !== undefined && matchesEtag(known, etag)) {
    const own = request.headers.origin === undefined ? fields : [...fields, ...cors];
    return { status: 304, fields: own, content: undefined };
  }
  const type = ['content-type', formats[variant.format].mediaType, 'content-length', String(bytes.length)];
  const encoding = variant.encoding === 'identity' ? [] : ['content-encoding', variant.encoding];
  const linked = link === undefined ? [] : ['link', link];
  const whole = [...type, ...fields, ...encoding, ...linked, ...cors];
  return { status: 200, fields: whole, content: request.method === 'HEAD' ? undefined : bytes };
}

/** The answers with vocabularies, by path: each as a document, and as a JSON-LD context. */
export function vocabularyAnswers(
  publicUrl: string,
  vocabularies: Readonly<Record<string, Vocabulary>>,
  representations: DocumentCache,
): [path: string, { answer(asked: { readonly request: IncomingMessage }): Answer | Promise<Answer> }][] {
  return Object.entries(vocabularies).flatMap(([name, vocabulary]) => {
    const document = descriptionDocument(`${publicUrl}ns/${name}`, () => vocabulary.quads);
    const { url, bytes } = vocabularyContext(publicUrl, name, vocabulary);
    const context = plainAnswer(200, formats.jsonld.mediaType, bytes, IMMUTABLE_CACHE_CONTROL);
    return [
      [`/ns/${name}`, { answer: ({ request }) => descriptionAnswer(request, document, representations) }],
      [`/ns/${name}${url.slice(url.lastIndexOf('/'))}`, { answer: () => context }],
      // Another release may have another context.
      [`/ns/${name}/context.jsonld`, { answer: () => redirectAnswer(url) }],
    ] satisfies ReturnType<typeof vocabularyAnswers>;
  });
}

const NO_FIELDS: readonly string[] = Object.entries({ 'cache-control': NO_STORE, ...CORS_HEADERS }).flat();

/** An answer that is not kept, where nothing else is said. */
export function plainAnswer(status: number, mediaType: string, content: Buffer, cacheControl = NO_STORE): Answer {
  const fields = { 'content-type': mediaType, 'content-length': String(content.length), 'cache-control': cacheControl };
  return { status, fields: Object.entries({ ...fields, ...CORS_HEADERS }).flat(), content };
}

/** A redirect that is not kept. */
export function redirectAnswer(url: string): Answer {
  return { status: 307, fields: ['location', url, 'content-length', '0', ...NO_FIELDS], content: undefined };
}

/** The methods of a URL, as `Allow` lists them. */
export function methodsOf(takesPosts: boolean): string {
  return takesPosts ? 'GET, HEAD, OPTIONS, POST' : 'GET, HEAD, OPTIONS';
}

const READING_FIELDS = 'Accept, Authorization, Cache-Control, If-Modified-Since, If-None-Match, Last-Event-ID, Range';
const POSTING_FIELDS = 'Content-Encoding, Content-Type, Idempotency-Key';

/**
 * What scripts of other origins may do. Where posts are taken, scripts of every origin may send them: what they need is
 * the token, which no browser adds by itself.
 *
 * @param acceptPost - the media types of posts, where they are taken
 * @see specs/documents.md DOC-42
 * @see specs/ingest.md ING-8
 */
export function preflightAnswer(acceptPost?: string): Answer {
  const takesPosts = acceptPost !== undefined;
  const methods = methodsOf(takesPosts);
  const fields = {
    ...CORS_HEADERS,
    allow: methods,
    ...(takesPosts && { 'accept-post': acceptPost }),
    'access-control-allow-methods': methods,
    'access-control-allow-headers': takesPosts ? `${READING_FIELDS}, ${POSTING_FIELDS}` : READING_FIELDS,
    'access-control-max-age': '86400',
  };
  return { status: 204, fields: Object.entries(fields).flat(), content: undefined };
}
