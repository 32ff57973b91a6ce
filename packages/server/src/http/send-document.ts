import type { IncomingMessage } from 'node:http';
import { type Freshness, freshness, nextUpdate } from '@ldes-live/latency';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DocumentCache } from '../documents/cache.ts';
import {
  type DocumentState,
  type Found,
  type Representation,
  type StreamDocument,
  streamUrls,
  type Variant,
} from '../documents/document.ts';
import type { ScheduledStream } from '../options.ts';
import type { PublishedStream } from '../published-stream.ts';
import type { HeaderBlocks } from './header-blocks.ts';
import { isNotModified } from './is-not-modified.ts';
import { negotiateVariant } from './negotiate-variant.ts';
import { type LinkTargets, linkHeader } from './response-headers.ts';
import { writeReply } from './write-reply.ts';

/** What answering with a document takes. */
export interface DocumentContext extends LinkTargets {
  readonly representations: DocumentCache;
  readonly headerBlocks: HeaderBlocks;
  readonly clock: () => number;
}

/** A representation, and the state of its document as it is sent. */
interface Current {
  readonly representation: Representation;
  readonly state: DocumentState;
  /** Whether it shows the state of the present. */
  readonly isCurrent: boolean;
}

/** A whole answer, short of its connection. */
export interface DocumentAnswer {
  readonly status: 200 | 304;
  /** Names in lower case, and values, in turns. */
  readonly fields: readonly string[];
  /** Absent where the answer has none. */
  readonly content: Uint8Array | undefined;
}

/**
 * Answers a request with a document of a stream: in the format and encoding it asks for, or 304, with the header
 * fields that say how long it holds. What is ready is sent before this returns.
 *
 * @throws {@link StreamError} `ERR_FORMAT_UNACCEPTABLE`, `ERR_ENCODING_UNACCEPTABLE`, `ERR_OVERLOADED`
 * @see specs/documents.md DOC-7 to DOC-12, DOC-36 to DOC-42
 */
export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  stream: PublishedStream,
  { document, counted }: Extract<Found, { kind: 'document' }>,
  context: DocumentContext,
): Promise<void> | undefined {
  const send = (answer: DocumentAnswer) => {
    writeReply(reply, answer);
    stream.requests.add(counted, answer.status);
  };
  const ready = readyAnswer(request.raw, stream, document, context);
  if (ready) {
    send(ready);
    return undefined;
  }
  const variant = negotiateVariant(request.raw.headers);
  return makeCurrent(stream, document, variant, context).then((current) =>
    send(answerWith(request.raw, stream, context, current)),
  );
}

/**
 * The answer with a document whose bytes are there already; `undefined` where they are not.
 *
 * @throws {@link StreamError} `ERR_FORMAT_UNACCEPTABLE`, `ERR_ENCODING_UNACCEPTABLE`
 */
export function readyAnswer(
  request: IncomingMessage,
  stream: ScheduledStream,
  document: StreamDocument,
  context: DocumentContext,
): DocumentAnswer | undefined {
  const state = document.state();
  const representation = context.representations.ready(document.url, state, negotiateVariant(request.headers));
  return representation && answerWith(request, stream, context, { representation, state, isCurrent: true });
}

function answerWith(
  { method, headers }: IncomingMessage,
  stream: ScheduledStream,
  context: DocumentContext,
  current: Current,
): DocumentAnswer {
  const { representation, state } = current;
  const nowMs = context.clock();
  const block = context.headerBlocks.of(
    representation,
    { state, fresh: freshnessOf(stream, current, nowMs), nowMs },
    (shown) => linkHeader(streamUrls(stream.description), context, shown),
  );
  const conditions = { ifNoneMatch: headers['if-none-match'], ifModifiedSince: headers['if-modified-since'] };
  return isNotModified(conditions, representation, nowMs)
    ? { status: 304, fields: block.unmodified, content: undefined }
    : { status: 200, fields: block.whole, content: method === 'HEAD' ? undefined : representation.bytes };
}

/** How long an answer may be kept; `undefined` means for ever. */
function freshnessOf(stream: ScheduledStream, { state, isCurrent }: Current, nowMs: number): Freshness | undefined {
  const { caching, longestAgeSeconds = Number.POSITIVE_INFINITY } = state;
  if (caching === 'immutable') return undefined;
  if (caching !== 'scheduled') {
    return keptFor(caching.maxAgeSeconds, nowMs);
  }
  // What is behind the log already must not be kept until the update after the one it lacks.
  const fresh = freshness(isCurrent ? nextUpdate(stream.schedule(), nowMs) : { state: 'overdue' }, nowMs);
  return fresh.maxAgeSeconds > longestAgeSeconds ? keptFor(longestAgeSeconds, nowMs) : fresh;
}

function keptFor(maxAgeSeconds: number, nowMs: number): Freshness {
  return { maxAgeSeconds, expiresMs: nowMs + maxAgeSeconds * 1000 };
}

/**
 * Makes a representation of the present state: a commit during the making leaves it behind, so it is made again, a few
 * times at most.
 */
async function makeCurrent(
  { log }: ScheduledStream,
  document: StreamDocument,
  variant: Variant,
  { representations }: DocumentContext,
): Promise<Current> {
  for (let attempt = 1; ; attempt += 1) {
    const representation = await representations.get(document, variant, log.diskCache);
    const state = document.state();
    // The version is the content's; the cursor it accounts for may have gone on meanwhile.
    if (state.version === representation.state.version) return { representation, state, isCurrent: true };
    if (attempt === MAX_ATTEMPTS) return { representation, state: representation.state, isCurrent: false };
  }
}

const MAX_ATTEMPTS = 3;
