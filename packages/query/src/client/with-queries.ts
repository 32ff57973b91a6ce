import { type LiveQuery, liveQuery } from '../live-query.ts';
import type { LiveQueryOptions } from '../live-query-options.ts';
import { isObject } from '../run/check-kinds.ts';
import { checkedOptions } from '../run/checked-options.ts';
import { followCommits } from './follow-commits.ts';
import type { FollowingClient } from './followed-stream.ts';

/** Options of {@link QueryingClient.query}. */
export interface ClientQueryOptions extends LiveQueryOptions {
  /**
   * Where the reading starts: with the latest state, with the first member, or with what comes from now on.
   *
   * @defaultValue `latest`, and `now` for windows of time or count, which the newest versions alone would fill wrongly
   */
  readonly from?: 'latest' | 'start' | 'now';
}

/** A client that is asked SPARQL, too. */
export interface QueryingClient {
  /**
   * Asks a query over streams, again as they go on. Half of the MAL is for the way of an update, half for its turn.
   *
   * @param urls - of a stream, or of several whose members are in view together
   * @throws as {@link liveQuery} does
   */
  query(urls: string | readonly string[], sparql: string, options?: ClientQueryOptions): LiveQuery;
}

/**
 * A client with `query` beside what it has: the short way to a live query.
 *
 * @example
 * ```ts
 * const client = withQueries(createLiveClient({ mal: 10 }));
 * for await (const result of client.query(url, 'SELECT ?vehicle ?speed { ?vehicle <urn:x:speed> ?speed }')) {
 *   if (result.form === 'bindings') console.log(result.added, result.removed);
 * }
 * ```
 * @see specs/query.md QUERY-91
 */
export function withQueries<Client extends FollowingClient>(client: Client): Client & QueryingClient {
  return {
    ...client,
    query: (urls, sparql, given = {}) => {
      const { from, ...options } = Object(given) as ClientQueryOptions;
      // Before anything is followed by them.
      checkedOptions(isObject(given) ? options : given);
      const { mal = client.mal, window = { type: 'latest' }, signal, clock } = options;
      const start = from ?? (window.type === 'time' || window.type === 'count' ? 'now' : 'latest');
      const request = { from: start, mal: mal / 2, ...(signal && { signal }) };
      const sources = [urls].flat().map((url) => {
        const beginsWithState = start === 'latest';
        return followCommits(client.follow(url, request), { url, beginsWithState, ...(clock && { clock }) });
      });
      return liveQuery(sources, sparql, { ...options, mal });
    },
  };
}
