import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import replyFrom from '@fastify/reply-from';
import { EVENT_STREAM_MEDIA_TYPE } from '@ldes-live/rdf-stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import { answerError } from '../http/answer-errors.ts';
import { isAnswerable } from '../http/problem.ts';
import { PostPasser } from './pass-on-post.ts';

/** Connections to the owner at a time; what is above waits for one of them. */
const OWNER_CONNECTIONS = 64;

/** For how long a connection to the owner is kept for the next request: shorter than the owner keeps it, milliseconds. */
const KEEP_ALIVE_MS = 60_000;

/** What belongs to one connection, and is not passed on. @see https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const OF_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;

/**
 * Has every request of a Fastify instance answered by the process that has the logs, as it would answer it itself.
 *
 * @param ownerUrl - where it listens, without a path
 * @see specs/push.md PUSH-48
 */
export async function passOn(fastify: FastifyInstance, ownerUrl: string): Promise<void> {
  await fastify.register(replyFrom, {
    base: ownerUrl,
    undici: { connections: OWNER_CONNECTIONS, pipelining: 1, keepAliveTimeout: KEEP_ALIVE_MS },
    disableRequestLogging: true,
    destroyAgent: true,
  });
  // Content is passed on as it comes, whatever it is.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, content, done) => done(null, content));
  fastify.setErrorHandler(answerError);
  const posts = new PostPasser({
    ownerUrl,
    limitConnections: OWNER_CONNECTIONS,
    keepAliveMs: KEEP_ALIVE_MS,
    sleep: (durationMs, signal) => setTimeout(durationMs, undefined, { signal }),
  });
  fastify.addHook('onClose', async () => posts.close());
  fastify.route({
    method: 'POST',
    url: '/*',
    // Before Fastify would have the content, which is passed on as it comes.
    onRequest: (request, reply) => passOnPost(posts, request, reply),
    handler: async () => undefined,
  });
  fastify.route({
    method: fastify.supportedMethods.filter((method) => method !== 'POST'),
    url: '/*',
    handler: (request, reply) =>
      isEndless(request.raw) ? passOnEndless(ownerUrl, request, reply) : passOnRequest(request, reply),
  });
  // Methods that Fastify does not know.
  fastify.setNotFoundHandler(passOnRequest);
}

async function passOnPost(posts: PostPasser, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const headers = requestFields(request, request.raw.headers);
  try {
    const passed = await posts.pass(request.raw, reply.raw, request.raw.url ?? '/', headers, isEndless(request.raw));
    if (passed.isLast) reply.header('connection', 'close');
    reply.code(passed.status).headers(without(passed.headers, OF_CONNECTION)).send(passed.body);
  } catch (error) {
    const told = isAnswerable(error) ? error : errors.ERR_OWNER_LOST({ retryAfterSeconds: 1 }, error);
    answerError(told as unknown as FastifyError, request, reply);
  }
  return reply;
}

/** Whether the answer may be events without an end, as of a live query: it is not to take a connection that others wait for. */
function isEndless({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes(EVENT_STREAM_MEDIA_TYPE) === true;
}

/** Passes on a request on a connection of its own, which ends with that of who asked. */
async function passOnEndless(ownerUrl: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { hostname, port } = new URL(ownerUrl);
  const { method, url: path, headers } = request.raw;
  const passed = httpRequest({ hostname, port, path, method, headers: requestFields(request, headers), agent: false });
  reply.raw.once('close', () => passed.destroy());
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      passed.once('response', resolve).on('error', reject).end();
    });
    // What ends it is told by its end.
    answer.on('error', () => undefined);
    const { statusCode: status = 502 } = answer;
    reply.code(status).headers(without(answer.headers, OF_CONNECTION)).send(answer);
  } catch (error) {
    answerError(errors.ERR_OWNER_LOST({ retryAfterSeconds: 1 }, error) as unknown as FastifyError, request, reply);
  }
  return reply;
}

function passOnRequest(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { url = '/' } = request.raw;
  const start = url.indexOf('?');
  try {
    return reply.from(start < 0 ? url : url.slice(0, start), {
      // What the owner refuses it refuses for a reason, and says when to ask again.
      retryDelay: () => null,
      rewriteRequestHeaders: (_request, headers) => requestFields(request, headers as IncomingHttpHeaders),
      rewriteHeaders: (headers) => without(headers as IncomingHttpHeaders, OF_CONNECTION),
      onError: (_reply, { error }) => {
        const lost = errors.ERR_OWNER_LOST({ retryAfterSeconds: 1 }, error);
        answerError(lost as unknown as FastifyError, request, reply);
      },
    });
  } catch (error) {
    const refused = errors.ERR_REQUEST({ reason: (error as Error).message }, error);
    return answerError(refused as unknown as FastifyError, request, reply);
  }
}

/** The fields of a request as the owner gets them: with where it came from. */
function requestFields({ raw }: FastifyRequest, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const fields = without(headers, [...OF_CONNECTION, 'expect']);
  // Documents have no use for content, and it is not passed on.
  if (raw.method === 'GET' || raw.method === 'HEAD') delete fields['content-length'];
  const { remoteAddress } = raw.socket;
  if (remoteAddress !== undefined) {
    const before = fields['x-forwarded-for'];
    fields['x-forwarded-for'] = before === undefined ? remoteAddress : `${before}, ${remoteAddress}`;
  }
  return fields;
}

function without(headers: IncomingHttpHeaders, names: readonly string[]): IncomingHttpHeaders {
  const kept = { ...headers };
  for (const name of names) delete kept[name];
  return kept;
}
