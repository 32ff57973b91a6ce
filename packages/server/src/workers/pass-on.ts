import type { IncomingHttpHeaders } from 'node:http';
import replyFrom from '@fastify/reply-from';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import { answerError } from '../http/answer-errors.ts';

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
  fastify.all('/*', passOnRequest);
  // Methods that Fastify does not know.
  fastify.setNotFoundHandler(passOnRequest);
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
