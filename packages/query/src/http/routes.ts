/*
 * The routes of SPARQL at `/<name>/sparql`.
 *
 *   GET ?query=, POST -> protocol.ts: what is asked -> Accept: text/event-stream -> live-queries.ts -> reader.ts
 *                                                   -> any other -> 304, or answers/: over the latest state, with an ETag
 *   GET without a query -> service description; anything that is refused -> problem document
 *
 *   ETag: "a-7-<hash of query and formats>"
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { EVENT_STREAM_MEDIA_TYPE, HEARTBEAT_MS } from '@ldes-live/rdf-stream';
import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import type { EvaluatorFactory } from '../options.ts';
import type { WrittenAnswer } from '../thread/state-worker.ts';
import { evaluateInWorker } from '../thread/thread-evaluator.ts';
import type { Thread } from './answers.ts';
import { startWorkerThread } from './answers.ts';
import { type Accepted, OFFERED } from './formats.ts';
import type { QueriedStream, SparqlLimits } from './limits.ts';
import { openQueries, type QueriesEdge, type StreamQueries } from './live-queries.ts';
import {
  type AskedQuery,
  isQueryError,
  negotiate,
  POSTED_TYPES,
  PROBLEM_MEDIA_TYPE,
  preferred,
  problemOf,
  queryOfPost,
  queryOfUrl,
  serviceDescription,
} from './protocol.ts';
import { beginEvents, CORS_FIELDS } from './reader.ts';

/** What {@link sparqlRoutes} answers. */
export interface SparqlRoutesOptions {
  /** The streams that take queries now; the same object each time for as long as one stays as it is. */
  readonly streams: () => readonly QueriedStream[];
  /** How often something is sent to readers of live queries at least, milliseconds. @defaultValue 15,000 */
  readonly heartbeatMs?: number;
  /** For how long a live query goes on that nobody reads, milliseconds. @defaultValue 10,000 */
  readonly graceMs?: number;
  /** For how long the latest state is kept ready for queries that nobody asks, milliseconds. @defaultValue 300,000 */
  readonly idleMs?: number;
  /** Where live queries are evaluated. @defaultValue each in a thread of its own */
  readonly evaluators?: (limits: SparqlLimits) => EvaluatorFactory;
  /** What answers the other queries of a stream. @defaultValue a thread */
  readonly startThread?: (limits: SparqlLimits) => Thread;
  /** Epoch milliseconds. @defaultValue `Date.now` */
  readonly clock?: () => number;
  /** In [0, 1). @defaultValue `Math.random` */
  readonly random?: () => number;
}

/** Percent-encoded, a character may be as many bytes as this. */
const BYTES_PER_CHARACTER = 9;
/** Bytes of a form that are none of the query's. */
const FORM_BYTES = 1024;

/**
 * A Fastify plugin that answers SPARQL at `/<name>/sparql` of each stream, by the SPARQL 1.1 Protocol: once, over the latest
 * state, or as a live query by Server-Sent Events for those who accept `text/event-stream`.
 *
 * @example
 * ```ts
 * const vehicles = { name: 'vehicles', endpoint, commits, cursor, fields };
 * await app.register(sparqlRoutes, { streams: () => [vehicles] });
 * ```
 * @see specs/query.md QUERY-70 to QUERY-88
 */
export const sparqlRoutes: FastifyPluginAsync<SparqlRoutesOptions> = async (fastify, options) => {
  const { heartbeatMs = HEARTBEAT_MS, graceMs = 10_000, idleMs = 300_000 } = options;
  const { clock = Date.now, random = Math.random } = options;
  const evaluators = options.evaluators ?? (({ limitMemoryMib }) => evaluateInWorker({ limitMemoryMib }));
  const startThread = options.startThread ?? ((limits) => startWorkerThread(limits));
  const edge = { evaluators, startThread, heartbeatMs, graceMs, idleMs, clock, random };
  const opened = new OpenedStreams(options.streams, edge);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser([...POSTED_TYPES], async (request: FastifyRequest, content: IncomingMessage) => {
    const { limitQueryChars } = opened.asked(request).queries.limits;
    return readText(content, limitQueryChars * BYTES_PER_CHARACTER + FORM_BYTES);
  });
  fastify.setErrorHandler(answerError);
  // By their names as well: routes that an app has for all that is below a stream would go before those for any name.
  const names = options.streams().map(({ name }) => name);
  for (const path of [':name', ...names]) streamRoutes(fastify, `/${path}/sparql`, opened);
  // Before the server waits for its connections to end: live queries would never end by themselves.
  fastify.addHook('preClose', async () => opened.endLive());
  fastify.addHook('onClose', () => opened.close());
};

/** A stream with its queries. */
interface OpenedStream {
  readonly stream: QueriedStream;
  readonly queries: StreamQueries;
}

/** The streams that take queries, which may come and go. */
class OpenedStreams {
  readonly #streams: SparqlRoutesOptions['streams'];
  readonly #edge: QueriesEdge;
  readonly #opened = new Map<QueriedStream, StreamQueries>();

  constructor(streams: SparqlRoutesOptions['streams'], edge: QueriesEdge) {
    this.#streams = streams;
    this.#edge = edge;
    for (const stream of streams()) this.#open(stream);
  }

  /** The stream that a request asks, where it takes queries. */
  find({ params, routeOptions }: FastifyRequest): OpenedStream | undefined {
    const { name = routeOptions.url?.split('/').at(-2) } = params as { readonly name?: string };
    const stream = this.#streams().find((one) => one.name === name);
    if (!stream || stream.ended?.aborted) return undefined;
    return { stream, queries: this.#opened.get(stream) ?? this.#open(stream) };
  }

  /** The same for a request that has been let in: the stream may have gone since. */
  asked(request: FastifyRequest): OpenedStream {
    const found = this.find(request);
    if (!found) throw errors.ERR_QUERY_STOPPING(undefined);
    return found;
  }

  endLive(): void {
    for (const { live } of this.#opened.values()) live.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map(({ answers }) => answers.close()));
  }

  #open(stream: QueriedStream): StreamQueries {
    const queries = openQueries(stream, this.#edge);
    this.#opened.set(stream, queries);
    const end = async () => {
      queries.live.close();
      await queries.answers.close();
      this.#opened.delete(stream);
    };
    stream.ended?.addEventListener('abort', () => void end(), { once: true });
    return queries;
  }
}

function streamRoutes(fastify: FastifyInstance, url: string, opened: OpenedStreams): void {
  const answerAsked = async (request: FastifyRequest, reply: FastifyReply, asked: AskedQuery) => {
    const { stream, queries } = opened.asked(request);
    const { accept } = request.headers;
    if (preferred(accept, EVERY_FORMAT) === EVENT_STREAM_MEDIA_TYPE) {
      return answerLive(request, reply, asked, queries);
    }
    const question = { sparql: asked.sparql, accepted: negotiate(accept) };
    if (Object.keys(question.accepted).length === 0) throw errors.ERR_SPARQL_FORMAT({ offered: EVERY_FORMAT });
    const cursor = stream.cursor();
    const etag = answerEtag(question, cursor);
    if (isHeld(request, etag)) return sendHeld(reply, stream, etag, cursor);
    const found = await queries.answers.answer(question.sparql, question.accepted, cursor);
    return sendAnswer(request, reply, stream, { question, answer: found });
  };
  const answer = async (request: FastifyRequest, reply: FastifyReply, asked: AskedQuery) => {
    try {
      return await answerAsked(request, reply, asked);
    } catch (error) {
      if (isQueryError(error)) throw error;
      request.log.error({ err: error }, 'a query could not be answered');
      throw errors.ERR_QUERY_FAULT(undefined, error);
    }
  };
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    if (opened.find(request)) return;
    reply.callNotFound();
    return reply;
  };
  fastify.route({
    method: 'GET',
    url,
    onRequest,
    handler: (request, reply) =>
      request.url.includes('?')
        ? answer(request, reply, queryOfUrl(request.url))
        : describe(request, reply, opened.asked(request).stream.endpoint),
  });
  fastify.route({
    method: 'POST',
    url,
    onRequest: async (request, reply) => {
      if (!opened.find(request)) return onRequest(request, reply);
      // A server that lets those wait who ask first leaves it to whoever takes the content; another has said it by now.
      const isLeft = fastify.server.listenerCount('checkContinue') > 0;
      if (isLeft && request.headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue();
    },
    handler: (request, reply) => {
      const { url, headers, body } = request;
      return answer(request, reply, queryOfPost(url, headers['content-type'], typeof body === 'string' ? body : ''));
    },
  });
  fastify.route({
    method: 'OPTIONS',
    url,
    onRequest,
    handler: (_request, reply) => reply.code(204).headers(PREFLIGHT).send(),
  });
  fastify.route({
    method: ['PUT', 'PATCH', 'DELETE'],
    url,
    onRequest: async (request, reply) => {
      if (!opened.find(request)) return onRequest(request, reply);
      reply.header('allow', METHODS);
      throw errors.ERR_SPARQL_METHOD({ method: request.method });
    },
    handler: async () => undefined,
  });
}

const EVERY_FORMAT: readonly string[] = [...OFFERED, EVENT_STREAM_MEDIA_TYPE];

/** What was posted. The rest of what is too much is left unread, and the answer can still be sent. */
async function readText(content: IncomingMessage, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw errors.ERR_SPARQL_CONTENT({ limitBytes });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

const METHODS = 'GET, HEAD, OPTIONS, POST';

const PREFLIGHT = {
  ...CORS_FIELDS,
  allow: METHODS,
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': 'Accept, Cache-Control, Content-Type, If-None-Match, Last-Event-ID',
  'access-control-max-age': '86400',
};

async function answerLive(
  request: FastifyRequest,
  reply: FastifyReply,
  asked: AskedQuery,
  { live, limits }: StreamQueries,
): Promise<FastifyReply> {
  const { limitQueryChars } = limits;
  const chars = asked.sparql.length;
  if (chars > limitQueryChars) throw errors.ERR_QUERY_TOO_LONG({ chars, limitQueryChars });
  const admission = await live.admit(asked, lastSequence(request.headers['last-event-id']));
  // Who has gone while it waited is not begun with.
  if (request.raw.socket.destroyed) {
    admission.cancel();
    return reply.hijack();
  }
  const response = beginEvents(reply);
  if (request.method === 'HEAD') {
    admission.cancel();
    response.end();
  } else admission.begin(response);
  return reply;
}

function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const told = asQueryError(error, request);
  // What is no matter of queries is for whoever is around.
  if (!isQueryError(told)) throw error;
  const { status, text, retryAfterSeconds } = problemOf(told);
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  return (
    reply
      .code(status)
      .headers({ ...CORS_FIELDS, 'cache-control': 'no-store', vary: 'Accept', 'content-type': PROBLEM_MEDIA_TYPE })
      // Bytes, since Fastify gives a text a charset, which this media type does not have.
      .send(Buffer.from(text))
  );
}

/** What Fastify refuses of a post, as what it means here. */
function asQueryError(error: FastifyError, { headers }: FastifyRequest): unknown {
  if (error.code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return error;
  return errors.ERR_SPARQL_TYPE({ type: headers['content-type'] ?? '', accepted: POSTED_TYPES }, error);
}

/** Answers a request without a query by what the endpoint can do. */
function describe(request: FastifyRequest, reply: FastifyReply, endpoint: string): FastifyReply {
  const { mediaType, text } = serviceDescription(request.headers.accept, endpoint);
  return reply
    .headers({ ...CORS_FIELDS, 'cache-control': 'public, max-age=60', vary: 'Accept', 'content-type': mediaType })
    .send(Buffer.from(text));
}

/** What an answer is to: a query, and the formats that it may come in. */
interface Question {
  readonly sparql: string;
  readonly accepted: Accepted;
}

/**
 * The strong entity tag of an answer: of the state, the query and the formats that were accepted, which the answer follows
 * from.
 *
 * @param cursor - of the state
 * @see specs/query.md QUERY-81
 */
function answerEtag({ sparql, accepted }: Question, cursor: string): string {
  const asked = createHash('sha256')
    .update(JSON.stringify([sparql, accepted]))
    .digest('base64url')
    .slice(0, 22);
  return `"${cursor}-${asked}"`;
}

/** Whether a reader has the answer over the present state already. */
function isHeld({ method, headers }: FastifyRequest, etag: string): boolean {
  const field = headers['if-none-match'];
  // The tags are searched for, since they may hold commas; * stands for any answer, which there may be none of yet.
  const isReading = method === 'GET' || method === 'HEAD';
  return isReading && [...(field?.matchAll(/"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [])].some(([tag]) => tag === etag);
}

/** Sends 304 for an answer over the present state. */
function sendHeld(reply: FastifyReply, stream: QueriedStream, etag: string, cursor: string): FastifyReply {
  return reply
    .code(304)
    .headers({ ...stream.fields(cursor), etag, vary: 'Accept' })
    .send();
}

/** Sends an answer with what it says of how long it holds. */
function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  stream: QueriedStream,
  { question, answer }: { readonly question: Question; readonly answer: WrittenAnswer },
): FastifyReply {
  const { cursor, mediaType, content, isVolatile } = answer;
  const { 'ldes-cursor': shown = cursor, link, ...caching } = stream.fields(cursor);
  reply.header('ldes-cursor', shown).header('vary', 'Accept');
  if (link !== undefined) reply.header('link', link);
  // What depends on more than the state is another answer each time.
  if (isVolatile) reply.header('cache-control', 'no-store');
  else reply.headers(caching);
  if (!isVolatile && request.method !== 'POST') reply.header('etag', answerEtag(question, cursor));
  return reply
    .header('content-type', mediaType)
    .send(Buffer.from(content.buffer, content.byteOffset, content.byteLength));
}

/** The number of the last event that a reader has had; `undefined` where it names none that could be one. */
function lastSequence(field: string | string[] | undefined): number | undefined {
  const sequence = typeof field === 'string' && /^\d{1,16}$/.test(field) ? Number(field) : Number.NaN;
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}
