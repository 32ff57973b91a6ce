import type { FastifyInstance } from 'fastify';

// What scripts need beyond the fields that they may always read.
const EXPOSED = ['Age', 'Date', 'ETag', 'LDES-Cursor', 'Link', 'Next-Update', 'Retry-After'].join(', ');

/**
 * Lets scripts of every origin read an answer, and the fields that say how fresh it is. What is published is public.
 *
 * @see specs/documents.md DOC-41
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
};

const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  ...CORS_HEADERS,
  allow: 'GET, HEAD, OPTIONS',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Accept, Cache-Control, If-Modified-Since, If-None-Match, Last-Event-ID, Range',
  'access-control-max-age': '86400',
};

/** Has every answer of a plugin's routes carry {@link CORS_HEADERS}, and answers preflights at these paths. */
export function allowEveryOrigin(fastify: FastifyInstance, paths: readonly string[]): void {
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    // Documents that are ready, and push streams, write theirs themselves. What the app around says goes first.
    for (const [name, value] of Object.entries(CORS_HEADERS)) {
      if (!reply.hasHeader(name)) reply.header(name, value);
    }
    done();
  });
  for (const path of paths) {
    fastify.options(path, (_request, reply) => reply.code(204).headers(PREFLIGHT_HEADERS).send());
  }
}
