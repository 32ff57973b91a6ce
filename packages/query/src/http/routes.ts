/*
 * The routes of SPARQL at `/<name>/sparql`.
 *
 *   GET ?query=, POST -> protocol.ts: what is asked -> Accept: text/event-stream -> live-queries.ts -> reader.ts
 *                                                   -> any other -> 304, or answers.ts: over the latest state, with an ETag
 *   GET without a query -> service description; anything that is refused -> problem document
 *
 *   ETag: "a-7-<hash of query and formats>"
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { EVENT_STREAM_MEDIA_TYPE, HEARTBEAT_MS, PROBLEM_MEDIA_TYPE } from '@ldes-live/rdf-stream';
import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import type { EvaluatorFactory } from '../options.ts';
import { ENGINES } from '../thread/link.ts';
import { evaluateInWorker } from '../thread/thread-evaluator.ts';
import { AnswerQueue, startStateThread } from './answers.ts';
import { DEFAULT_LIMITS, type QueriedStream, type SparqlLimits, type SparqlRoutesOptions } from './limits.ts';
import { LiveQueries } from './live-queries.ts';
import {
  type AskedQuery,
  askedQuery,
  CORS_FIELDS,
  EVERY_FORMAT,
  isQueryError,
  negotiate,
  POSTED_TYPES,
  preferred,
  problemOf,
  serviceDescription,
} from './protocol.ts';
import { AnswersOnTheirWay, beginEvents, sendAnswer } from './reader.ts';

/** A character may take as many bytes, percent-encoded. */
const BYTES_PER_CHARACTER = 9;
/** Bytes of a form beside the query. */
const FORM_BYTES = 1024;

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST'];
const ALLOWED = METHODS.join(', ');

const PREFLIGHT = {
  ...CORS_FIELDS,
  allow: ALLOWED,
  'access-control-allow-methods': ALLOWED,
  'access-control-allow-headers': 'Accept, Authorization, Cache-Control, Content-Type, If-None-Match, Last-Event-ID',
  'access-control-max-age': '86400',
};

/**
 * A Fastify plugin that answers SPARQL at `/<name>/sparql` of each stream, by the SPARQL 1.1 Protocol: once, over the latest
 * state, or as a live query by Server-Sent Events for those who accept `text/event-stream`.
 *
 * @example
 * ```ts
 * const vehicles = { name: 'vehicles', endpoint, commits, cursor, fields };
 * await app.register(sparqlRoutes, { streams: () => [vehicles] });
 * ```
 * @see specs/query.md QUERY-70 to QUERY-87
 */
export const sparqlRoutes: FastifyPluginAsync<SparqlRoutesOptions> = async (fastify, options) => {
  const opened = new Map<QueriedStream, OpenedStream>();
  /** The stream of a request, if it takes queries. */
  const find = ({ params, routeOptions }: FastifyRequest): OpenedStream | undefined => {
    const { name = routeOptions.url?.split('/').at(-2) } = params as { readonly name?: string };
    const stream = options.streams().find((one) => one.name === name);
    if (!stream || stream.ended?.aborted) return undefined;
    const known = opened.get(stream);
    if (known) return known;
    const begun = openStream(stream, options);
    opened.set(stream, begun);
    const end = async () => {
      begun.live.close();
      await begun.answers.close();
      opened.delete(stream);
    };
    stream.ended?.addEventListener('abort', () => void end(), { once: true });
    return begun;
  };
  /** Later in the same request: the stream may have gone since. */
  const askedOf = (request: FastifyRequest): OpenedStream => {
    const found = find(request);
    if (!found) throw errors.ERR_QUERY_STOPPING(undefined);
    return found;
  };
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser([...POSTED_TYPES], async (request: FastifyRequest, content: IncomingMessage) => {
    const { limitQueryChars } = askedOf(request).limits;
    const { 'content-encoding': encoding = 'identity' } = request.headers;
    if (encoding.toLowerCase() !== 'identity') throw errors.ERR_SPARQL_ENCODING({ encoding });
    return readText(content, limitQueryChars * BYTES_PER_CHARACTER + FORM_BYTES);
  });
  fastify.setErrorHandler(sendProblem);
  fastify.addHook('onRequest', async (request, reply) => {
    if (find(request)) return;
    reply.callNotFound();
    return reply;
  });
  const answer = async (request: FastifyRequest, reply: FastifyReply, asked: AskedQuery) => {
    try {
      const isLive = preferred(request.headers.accept, EVERY_FORMAT) === EVENT_STREAM_MEDIA_TYPE;
      return await (isLive ? answerLive : answerOnce)(request, reply, asked, askedOf(request));
    } catch (error) {
      if (isQueryError(error)) throw error;
      // The client has gone, and nothing is wrong.
      if (reply.raw.closed) return reply.hijack();
      request.log.error({ err: error }, 'query failed');
      throw errors.ERR_QUERY_FAULT(undefined, error);
    }
  };
  // By their names as well: an app's routes for everything below a stream would go before those for any name.
  const names = options.streams().map(({ name }) => name);
  for (const path of [':name', ...names]) {
    const url = `/${path}/sparql`;
    fastify.get(url, (request, reply) =>
      request.url.includes('?')
        ? answer(request, reply, askedQuery(request.url))
        : describe(request, reply, askedOf(request).stream.endpoint),
    );
    const onRequest = async ({ headers }: FastifyRequest, { raw }: FastifyReply) => {
      // With such a listener, the server leaves this answer to the route; else it has sent it by now.
      const isLeft = fastify.server.listenerCount('checkContinue') > 0;
      if (isLeft && headers.expect?.toLowerCase() === '100-continue') raw.writeContinue();
    };
    fastify.post(url, { onRequest }, (request, reply) => {
      const { url, headers, body } = request;
      return answer(request, reply, askedQuery(url, { type: headers['content-type'], content: String(body ?? '') }));
    });
    fastify.options(url, (_request, reply) => reply.code(204).headers(PREFLIGHT).send());
    fastify.route({
      method: fastify.supportedMethods.filter((method) => !METHODS.includes(method)),
      url,
      // Before its content is parsed, which may be of any type.
      onRequest: async ({ method }, reply) => {
        reply.header('allow', ALLOWED);
        throw errors.ERR_SPARQL_METHOD({ method });
      },
      handler: async () => undefined,
    });
  }
  // Before the server waits for its connections to end: live queries would never end by themselves.
  fastify.addHook('preClose', async () => {
    for (const { live } of opened.values()) live.close();
  });
  fastify.addHook('onClose', () => Promise.all([...opened.values()].map(({ answers }) => answers.close())));
};

type OpenedStream = ReturnType<typeof openStream>;

/** Reads and starts nothing before there is a query. */
function openStream(stream: QueriedStream, options: SparqlRoutesOptions) {
  const { heartbeatMs = HEARTBEAT_MS, graceMs = 10_000, idleMs = 300_000 } = options;
  const { clock = Date.now, random = Math.random, startThread = startStateThread } = options;
  const { evaluators: factories = ({ limitMemoryMib }) => evaluateInWorker({ limitMemoryMib }) } = options;
  const { commits, engine: name = 'comunica' } = stream;
  const limits: SparqlLimits = { ...DEFAULT_LIMITS, ...stream.limits };
  const [engine, evaluate] = [ENGINES[name](), factories(limits)];
  const evaluators: EvaluatorFactory = (task) => evaluate({ ...task, engine });
  const start = () => startThread(limits, name);
  const onItsWay = new AnswersOnTheirWay(limits);
  const given = { commits, limits, onItsWay, heartbeatMs, graceMs, idleMs, clock, random, evaluators, start };
  return { stream, limits, onItsWay, live: new LiveQueries(given), answers: new AnswerQueue(given) };
}

/** What was posted. Where that is too much, the rest stays unread, and the answer can still be sent. */
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

function describe(request: FastifyRequest, reply: FastifyReply, endpoint: string): FastifyReply {
  const { mediaType, text } = serviceDescription(request.headers.accept, endpoint);
  return sendText(reply, text, mediaType, 'public, max-age=60');
}

/** As bytes, since Fastify gives a text a charset, which problem documents do not have. */
function sendText(reply: FastifyReply, text: string, mediaType: string, caching: string): FastifyReply {
  const fields = { 'cache-control': caching, vary: 'Accept', 'content-type': mediaType };
  return reply.headers({ ...CORS_FIELDS, ...fields }).send(Buffer.from(text));
}

async function answerLive(
  request: FastifyRequest,
  reply: FastifyReply,
  asked: AskedQuery,
  { live }: OpenedStream,
): Promise<FastifyReply> {
  const lastSequence = Number(request.headers['last-event-id'] || Number.NaN);
  await live.read(asked, lastSequence, () => beginEvents(reply));
  return reply;
}

async function answerOnce(
  request: FastifyRequest,
  reply: FastifyReply,
  { sparql }: AskedQuery,
  { stream, limits, onItsWay, answers }: OpenedStream,
): Promise<FastifyReply> {
  const accepted = negotiate(request.headers.accept);
  if (Object.keys(accepted).length === 0) throw errors.ERR_SPARQL_FORMAT({ offered: EVERY_FORMAT });
  // The answer follows from the state, the query and the formats that are accepted: so does its tag (QUERY-81).
  const hash = createHash('sha256')
    .update(JSON.stringify([sparql, accepted]))
    .digest('base64url')
    .slice(0, 22);
  const tagAt = (cursor: string) => `"${cursor}-${hash}"`;
  const present = stream.cursor();
  if (isHeld(request, tagAt(present))) {
    const fields = { ...stream.fields(present), etag: tagAt(present), vary: 'Accept' };
    return reply.code(304).headers(fields).send();
  }
  const gone = goneSignal(reply);
  const { cursor, mediaType, content, isVolatile } = await answers.answer(sparql, accepted, present, gone);
  if (gone.aborted) return reply.hijack();
  const { 'ldes-cursor': shown = cursor, 'ldes-source': source, link, ...caching } = stream.fields(cursor);
  const etag = request.method !== 'POST' && { etag: tagAt(cursor) };
  // An answer that depends on more than the state differs each time.
  reply.headers(isVolatile ? { 'cache-control': 'no-store' } : { ...caching, ...etag });
  const fields = { 'ldes-cursor': shown, vary: 'Accept', 'content-type': mediaType };
  reply.headers({
    ...fields,
    ...(source !== undefined && { 'ldes-source': source }),
    ...(link !== undefined && { link }),
  });
  return sendAnswer(reply, content, onItsWay, limits);
}

/** Aborted once the connection of a request is closed, or its response is done. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.req.socket.destroyed) gone.abort();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

/** Whether the client has the answer with this tag. */
function isHeld({ method, headers }: FastifyRequest, etag: string): boolean {
  const field = headers['if-none-match'];
  // Tags may contain commas, so that they are searched for; * stands for any answer, and there may be none yet.
  const isReading = method === 'GET' || method === 'HEAD';
  return isReading && [...(field?.matchAll(/"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [])].some(([tag]) => tag === etag);
}

function sendProblem(thrown: FastifyError, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const type = headers['content-type'] ?? '';
  const isType = thrown.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE';
  const error = isType ? errors.ERR_SPARQL_TYPE({ type, accepted: POSTED_TYPES }, thrown) : thrown;
  if (!isQueryError(error)) throw thrown;
  const { status, text } = problemOf(error);
  const { retryAfterSeconds } = error.details;
  if (error.code === 'ERR_SPARQL_ENCODING') reply.header('accept-encoding', 'identity');
  if (typeof retryAfterSeconds === 'number') reply.header('retry-after', String(retryAfterSeconds));
  return sendText(reply.code(status), text, PROBLEM_MEDIA_TYPE, 'no-store');
}
