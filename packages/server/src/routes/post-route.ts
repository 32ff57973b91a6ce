import { isStreamError } from '@ldes-live/rdf-stream';
import type { FastifyInstance } from 'fastify';
import { askForBody, isBodyAwaited } from '../http/awaited-bodies.ts';
import { EXPOSED_OF_POSTS } from '../http/cors.ts';
import { drainRequest } from '../http/drain-request.ts';
import { NO_STORE } from '../http/response-headers.ts';
import { ACCEPTED_ENCODINGS } from '../ingest/body-text.ts';
import type { PostEndpoint } from '../ingest/post-endpoint.ts';
import { ACCEPT_POST } from '../ingest/posted-format.ts';
import { countAs } from '../metrics/count-requests.ts';
import type { PublishedStream } from '../published-stream.ts';

/**
 * The route by which a stream takes members.
 *
 * @param sleep - resolves after so many milliseconds, or rejects once the signal is aborted
 * @see specs/ingest.md
 */
export function postRoute(
  fastify: FastifyInstance,
  { description, requests }: PublishedStream,
  post: PostEndpoint,
  sleep: (durationMs: number, signal: AbortSignal) => Promise<unknown>,
): void {
  fastify.route({
    method: 'POST',
    url: `/${description.name}`,
    // All of it before Fastify would read the content, which is read as a stream.
    onRequest: async (request, reply) => {
      countAs(request, requests, 'post');
      try {
        const { status, headers, body } = await post.take(request.raw, () => askForBody(request.raw, reply.raw));
        await reply.code(status).header('cache-control', NO_STORE).headers(headers).send(body);
        return reply;
      } catch (error) {
        if (isStreamError(error)) {
          const challenge = challengeOf(error.code, description.name);
          if (challenge) reply.header('www-authenticate', challenge);
          if (error.code === 'ERR_POST_TYPE') reply.header('accept-post', ACCEPT_POST);
          if (error.code === 'ERR_POST_ENCODING') reply.header('accept-encoding', ACCEPTED_ENCODINGS);
        }
        // After either nothing more is read from the connection.
        const isLast = isStreamError(error, 'ERR_POST_BROKEN_OFF') || isBodyAwaited(request.raw);
        if (isLast) reply.header('connection', 'close');
        // Who still sends gets the answer first: many look for it only then.
        else drainRequest(request.raw, reply.raw, sleep);
        throw error;
      }
    },
    onSend: async (_request, reply) => {
      reply.header('access-control-expose-headers', EXPOSED_OF_POSTS);
    },
    handler: async () => undefined,
  });
}

/** @see https://www.rfc-editor.org/rfc/rfc6750#section-3 */
function challengeOf(code: string, realm: string): string | undefined {
  switch (code) {
    case 'ERR_TOKEN_MISSING':
      return `Bearer realm="${realm}"`;
    case 'ERR_TOKEN_UNKNOWN':
      return `Bearer realm="${realm}", error="invalid_token"`;
    case 'ERR_TOKEN_STREAM':
      return `Bearer realm="${realm}", error="insufficient_scope"`;
    default:
      return undefined;
  }
}
