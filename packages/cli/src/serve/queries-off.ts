import type { LiveStreamsOptions } from '@ldes-live/server';
import { errors } from '../errors.ts';

/** What queries are mounted on. */
type Mount = Parameters<NonNullable<LiveStreamsOptions['extend']>>[0];

/** Where `specs/errors.md` is published; each code is an anchor in it. */
const ERRORS_DOCUMENT = 'https://github.com/ldes-live/ldes-live/blob/main/specs/errors.md';

/**
 * Answers queries to a stream that takes none by 404, and says how it would take some.
 *
 * @param name - the stream's
 * @see specs/query.md QUERY-70
 */
export function refuseQueries(fastify: Mount, name: string): void {
  const { code, details, message } = errors.ERR_QUERIES_OFF({ stream: name });
  const type = `${ERRORS_DOCUMENT}#${code.toLowerCase()}`;
  const problem = { ...details, type, title: 'Queries are off', status: 404, detail: message, code };
  fastify.route({
    method: ['GET', 'POST'],
    url: `/${name}/sparql`,
    // Before anything is read of what was posted.
    onRequest: async (_request, reply) =>
      reply
        .code(404)
        .headers({
          'access-control-allow-origin': '*',
          'cache-control': 'no-store',
          'content-type': 'application/problem+json',
        })
        // Bytes, since Fastify gives a text a charset, which this media type does not have.
        .send(Buffer.from(JSON.stringify(problem))),
    handler: async () => undefined,
  });
}
