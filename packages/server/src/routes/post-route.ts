import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { PostEndpoint } from '../ingest/endpoint.ts';
import type { PublishedStream } from '../published-stream.ts';

/**
 * The route by which a stream takes members.
 *
 * @see specs/ingest.md
 */
export function postRoute(
  fastify: FastifyInstance,
  { description, requests }: PublishedStream,
  post: PostEndpoint,
): void {
  fastify.route({
    method: 'POST',
    url: `/${description.name}`,
    // All of it before Fastify would read the content, which is read as a stream.
    onRequest: async ({ raw: request }, reply) => {
      reply.hijack();
      await post.answer(request, reply.raw, reply.getHeaders() as OutgoingHttpHeaders);
      requests.add('post', reply.raw.statusCode);
    },
    handler: async () => undefined,
  });
}
