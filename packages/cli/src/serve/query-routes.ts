import type { SparqlRoutesOptions } from '@ldes-live/query/http';
import { formatCursor } from '@ldes-live/rdf-stream';
import type { LiveStreamsOptions } from '@ldes-live/server';
import { logCommits } from './log-commits.ts';
import type { OpenStream } from './open-streams.ts';
import { refuseQueries } from './queries-off.ts';

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
