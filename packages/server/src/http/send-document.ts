import { formats } from '@ldes-live/codec';
import { freshness, nextUpdate } from '@ldes-live/latency';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Representation, Representations } from '../documents/representations.ts';
import type { DocumentState, StreamDocument } from '../documents/stream-document.ts';
import { streamUrls } from '../documents/stream-urls.ts';
import type { LiveStream } from '../live-stream.ts';
import { isNotModified } from './is-not-modified.ts';
import { negotiateFormat } from './negotiate-format.ts';
import { cachingHeaders, linkHeader, stateHeaders } from './response-headers.ts';

/** What answering with a document takes. */
export interface DocumentContext {
  readonly representations: Representations;
  readonly breakEvenSeconds: number;
  readonly clock: () => number;
}

/**
 * Answers a request with a document of a stream: in the format it asks for, or 304, with the header
 * fields that say how long it holds.
 *
 * @see specs/documents.md DOC-7 to DOC-12
 */
export async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  stream: LiveStream,
  document: StreamDocument,
  context: DocumentContext,
): Promise<FastifyReply> {
  const format = negotiateFormat(request.headers.accept);
  const { representation, state, isCurrent } = await currentRepresentation(document, () =>
    context.representations.get(document, format),
  );
  const nowMs = context.clock();
  // What is behind the log already must not be kept until the update after the one it lacks.
  const next = isCurrent ? nextUpdate(stream.schedule(), nowMs) : ({ state: 'overdue' } as const);
  reply
    .headers(cachingHeaders(state.sealed ? 'immutable' : freshness(next, nowMs), nowMs))
    .headers(stateHeaders(representation, state))
    .header('link', linkHeader(streamUrls(stream.description), context.breakEvenSeconds, state.nextPage));
  const conditions = {
    ifNoneMatch: request.headers['if-none-match'],
    ifModifiedSince: request.headers['if-modified-since'],
  };
  const isNews = !isNotModified(conditions, representation);
  if (!isNews) reply.code(304);
  // Of a HEAD request only the length is sent, which Fastify takes from the content.
  if (!isNews && request.method !== 'HEAD') return reply.send();
  return reply.type(formats[format].mediaType).send(representation.bytes);
}

/**
 * Gets a representation of the present state: a commit during the making leaves it behind, so it is made
 * again, a few times at most.
 */
async function currentRepresentation(
  document: StreamDocument,
  get: () => Promise<Representation>,
): Promise<{ representation: Representation; state: DocumentState; isCurrent: boolean }> {
  for (let attempt = 1; ; attempt += 1) {
    const representation = await get();
    const state = document.state();
    // The version is the content's; the cursor it accounts for may have gone on meanwhile.
    if (state.version === representation.state.version) return { representation, state, isCurrent: true };
    if (attempt === MAX_ATTEMPTS) return { representation, state: representation.state, isCurrent: false };
  }
}

const MAX_ATTEMPTS = 3;
