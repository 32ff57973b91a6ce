import { DEFAULT_HTTP_GET_LIMITS } from '../src/http-get.ts';
import { createPolledSource } from '../src/polled-source.ts';
import type { SourceEdge } from '../src/source-edge.ts';
import { ok, openFeedServer } from './feed-server.ts';
import { type JsonFeed, jsonFeed, jsonReader } from './json-feed.ts';
import { startPolling } from './polling.ts';

export const ORIGIN = 'http://feed.example/a';
export const INTERVAL_MS = 20_000;

/** A server, and a source that polls it for JSON feeds: `serve` answers with one from now on, and polls. */
export async function pollJson(edges: Partial<SourceEdge> = {}) {
  const server = await openFeedServer();
  const reader = jsonReader(ORIGIN);
  const options = {
    place: { url: server.url, lookups: {} },
    origin: ORIGIN,
    headers: {},
    limits: DEFAULT_HTTP_GET_LIMITS,
  };
  const create = (edge: SourceEdge) =>
    createPolledSource(
      { ...options, intervalMs: INTERVAL_MS, limitGoneShare: 0.5, read: reader.read },
      { ...edge, ...edges },
    );
  const polling = startPolling(create);
  const conditions = () => server.requests.map(({ headers }) => headers['if-none-match']);
  const serve = (feed: JsonFeed, headers?: Parameters<typeof ok>[1]) => {
    server.answer = ok(jsonFeed(feed), headers);
    return polling.poll();
  };
  return { server, reader, polling, create, conditions, serve };
}
