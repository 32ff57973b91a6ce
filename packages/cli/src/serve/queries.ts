import type { SparqlRoutesOptions } from '@ldes-live/query/http';
import { formatCursor } from '@ldes-live/rdf-stream';
import type { LiveStreamsOptions } from '@ldes-live/server';
import { errors } from '../errors.ts';
import { logCommits } from './log-commits.ts';
import type { OpenStream } from './streams.ts';

/**
 * The routes of the queries that streams take, for the server to mount beside theirs, and for those that take none the answer
 * how they would. They are answered by the process that has the logs.
 *
 * @param clock - epoch milliseconds
 * @param others - how queries are answered, where it is not as they are by default
 * @see specs/query.md QUERY-70
 */
export function queryRoutes(
  streams: readonly Pick<OpenStream, 'live' | 'log' | 'queries'>[],
  clock: () => number,
  others: Omit<SparqlRoutesOptions, 'streams' | 'clock'> = {},
): NonNullable<LiveStreamsOptions['extend']> {
  const queried = streams.filter(({ queries }) => queries !== undefined);
  return async (fastify, latestFields) => {
    for (const { live, queries } of streams) if (!queries) refuseQueries(fastify, live.description.name);
    if (queried.length === 0) return;
    // Not before it is needed: most servers take no queries.
    const { sparqlRoutes } = await import('@ldes-live/query/http');
    await fastify.register(sparqlRoutes, {
      streams: queried.map(({ live, log, queries = {} }) => {
        const { name, url } = live.description;
        return {
          name,
          endpoint: `${url}/sparql`,
          limits: queries,
          commits: (signal: AbortSignal) => logCommits(log, url, signal),
          cursor: () => formatCursor(log.head.cursor),
          fields: (cursor: string) => latestFields(name, cursor),
        };
      }),
      clock,
      ...others,
    });
  };
}

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
function refuseQueries(fastify: Mount, name: string): void {
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
