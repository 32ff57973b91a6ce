/*
 * The queries that streams take: routes for the server to mount, over the logs of the streams. What answers them is a package
 * that is installed by choice.
 *
 *   GET /vehicles/sparql -> sparqlRoutes -> logCommits(log): { kind: 'state', cursor, members }, then each commit
 *   a stream without queries -> 404 ERR_QUERIES_OFF
 */
import type { QueriedStream, SparqlRoutesOptions } from '@ldes-live/query/http';
import { formatCursor, PROBLEM_MEDIA_TYPE, problemDocument } from '@ldes-live/rdf-stream';
import type { LiveStreamsOptions } from '@ldes-live/server';
import type { FastifyReply } from 'fastify';
import { errors } from '../errors.ts';
import { type Load, loadOptional } from './stores.ts';
import type { OpenStream, Publication } from './streams.ts';

export type QueryPackage = typeof import('@ldes-live/query/http');

const QUERY = '@ldes-live/query';

export function loadQueries(load: Load): Promise<QueryPackage | undefined> {
  return loadOptional(load, `${QUERY}/http`, QUERY);
}

export function queriesMissing() {
  return errors.ERR_QUERY_MISSING({ package: QUERY });
}

/** @throws {@link StreamError} `ERR_QUERY_MISSING` - a stream takes queries, and nothing is there to answer them */
export function withQueries(publication: Publication, query: QueryPackage | undefined): Publication {
  if (!query && publication.streams.some(({ queries }) => queries)) throw queriesMissing();
  return publication;
}

/**
 * The routes of the queries that streams take, for the server to mount beside theirs, and for those that take none the answer
 * how they would (specs/query.md, QUERY-70). They are answered by the process that has the logs.
 *
 * @param query - no stream takes any when absent
 * @param streams - those that are open now
 * @param others - how queries are answered, where it is not as they are by default
 */
export function queryRoutes(
  query: QueryPackage | undefined,
  streams: () => readonly OpenStream[],
  clock: () => number,
  others: Omit<SparqlRoutesOptions, 'streams' | 'clock'> = {},
): NonNullable<LiveStreamsOptions['extend']> {
  return async (fastify, latestFields) => {
    fastify.addHook('onRequest', async (request, reply) => {
      const name = /^[^?]*\/([^/?]*)\/sparql(?:\?|$)/.exec(request.url)?.[1];
      const stream = streams().find(({ live }) => live.description.name === name);
      return stream && !stream.queries ? refuseQueries(reply, stream.live.description.name) : undefined;
    });
    // The hook needs a route to be asked at.
    if (!query) return void fastify.all('/:name/sparql', (_, reply) => reply.callNotFound());
    const known = new WeakMap<object, QueriedStream>();
    const queried = ({ live, queries }: OpenStream): readonly QueriedStream[] => {
      if (!queries) return [];
      const { log } = live;
      const { name, url } = live.description;
      const { engine, ...limits } = queries.config;
      const stream = known.get(queries) ?? {
        name,
        endpoint: `${url}/sparql`,
        ...(engine && { engine }),
        limits,
        ended: queries.ending.signal,
        commits: (signal: AbortSignal) => query.logCommits(log, url, signal),
        cursor: () => formatCursor(log.head.cursor),
        fields: (cursor: string) => latestFields(name, cursor),
      };
      known.set(queries, stream);
      return [stream];
    };
    await fastify.register(query.sparqlRoutes, { streams: () => streams().flatMap(queried), clock, ...others });
  };
}

/** Answers queries to a stream that takes none by 404, and says how it would take some. */
function refuseQueries(reply: FastifyReply, name: string): FastifyReply {
  const problem = problemDocument(errors.ERR_QUERIES_OFF({ stream: name }), 404, 'Queries are off');
  const headers = {
    'access-control-allow-origin': '*',
    'cache-control': 'no-store',
    'content-type': PROBLEM_MEDIA_TYPE,
  };
  // Bytes, since Fastify gives a text a charset, which this media type does not have.
  return reply.code(404).headers(headers).send(Buffer.from(problem));
}
