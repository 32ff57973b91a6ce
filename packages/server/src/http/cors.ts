import type { FastifyInstance } from 'fastify';
import { ACCEPT_POST } from '../ingest/body.ts';

// What scripts need beyond the fields that they may always read.
const EXPOSED = ['Age', 'Date', 'ETag', 'LDES-Cursor', 'Link', 'Next-Update', 'Retry-After'].join(', ');

/** The same for answers to posts, with what these have beside. */
export const EXPOSED_OF_POSTS = `${EXPOSED}, Accept-Post, Location, WWW-Authenticate`;

/**
 * Lets scripts of every origin read an answer, and the fields that say how fresh it is. What is published is public.
 *
 * @see specs/documents.md DOC-41
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
  // By which a page of another origin sees the protocol of its connections: over HTTP/2 it may open any number.
  'timing-allow-origin': '*',
};

const READING_FIELDS = 'Accept, Cache-Control, If-Modified-Since, If-None-Match, Last-Event-ID, Range';
const POSTING_FIELDS = 'Authorization, Content-Encoding, Content-Type, Idempotency-Key';

/** The methods of a path, as `Allow` lists them. */
export function methodsOf(takesPosts: boolean): string {
  return takesPosts ? 'GET, HEAD, OPTIONS, POST' : 'GET, HEAD, OPTIONS';
}

function preflightHeaders(takesPosts: boolean): Readonly<Record<string, string>> {
  const methods = methodsOf(takesPosts);
  return {
    ...CORS_HEADERS,
    allow: methods,
    ...(takesPosts && { 'accept-post': ACCEPT_POST }),
    'access-control-allow-methods': methods,
    'access-control-allow-headers': takesPosts ? `${READING_FIELDS}, ${POSTING_FIELDS}` : READING_FIELDS,
    'access-control-max-age': '86400',
  };
}

/**
 * Has every answer of a plugin's routes carry {@link CORS_HEADERS}, and answers preflights at these paths.
 *
 * Where posts are taken, scripts of every origin may send them: it is the token that they need, which no browser adds by
 * itself.
 *
 * @param postPaths - those of the paths at which posts are taken
 * @see specs/ingest.md ING-8
 */
export function allowEveryOrigin(
  fastify: FastifyInstance,
  paths: readonly string[],
  postPaths: readonly string[] = [],
): void {
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    // Documents that are ready, and push streams, write theirs themselves. What the app around says goes first.
    for (const [name, value] of Object.entries(CORS_HEADERS)) {
      if (!reply.hasHeader(name)) reply.header(name, value);
    }
    done();
  });
  for (const path of paths) {
    const headers = preflightHeaders(postPaths.includes(path));
    fastify.options(path, (_request, reply) => reply.code(204).headers(headers).send());
  }
}
