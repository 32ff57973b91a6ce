import type { FeedBody } from '../src/polling/documents.ts';
import { fetchLimits } from '../src/polling/fetch.ts';
import { createPolledSource, type PolledSourceOptions } from '../src/polling/polled-source.ts';
import type { Snapshot, SourceEnvironment } from '../src/source.ts';
import { ok, openFeedServer } from './feed-server.ts';
import { startPolling } from './polling.ts';

/** A feed in the simplest form that a polled source can be tested with. */
export interface JsonFeed {
  readonly entities: Readonly<Record<string, string>>;
  readonly timeMs?: number;
}

export function jsonFeed(feed: JsonFeed): string {
  return JSON.stringify(feed);
}

const quads = () => [];

/** A reader of JSON feeds, which counts how often it reads. */
export function jsonReader(): { read: (body: FeedBody) => Snapshot; count: number } {
  const reader = {
    count: 0,
    read({ pages: [bytes = new Uint8Array()] }: FeedBody): Snapshot {
      reader.count += 1;
      const feed = JSON.parse(Buffer.from(bytes).toString()) as JsonFeed;
      return {
        ...{ deleted: [], unreadable: [], unnamedRecords: 0, differential: false, problems: [] },
        entities: Object.entries(feed.entities).map(([entity, fingerprint]) => ({ entity, fingerprint, quads })),
        findings: { read: reader.count },
        headerMs: feed.timeMs,
      };
    },
  };
  return reader;
}

/** So many entities of one content, named by their numbers. */
export function numbered(count: number, content = '1'): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`e${index}`, content]));
}

export const ORIGIN = 'http://feed.example/a';
export const INTERVAL_MS = 20_000;

/** A server, and a source that polls it for JSON feeds: `serve` answers with one from now on, and polls. */
export async function pollJson(more: Partial<PolledSourceOptions> = {}) {
  const server = await openFeedServer();
  const reader = jsonReader();
  const place = { url: server.url, lookups: {} };
  const limits = { limits: fetchLimits({}), limitGoneShare: 0.5 };
  const options = { place, ...limits, origin: ORIGIN, headers: {}, intervalMs: INTERVAL_MS, read: reader.read };
  const create = (edge: SourceEnvironment) => createPolledSource({ ...options, ...more }, edge);
  const polling = startPolling(create);
  const conditions = () => server.requests.map(({ headers }) => headers['if-none-match']);
  const serve = (feed: JsonFeed, headers?: Parameters<typeof ok>[1]) => {
    server.answer = ok(jsonFeed(feed), headers);
    return polling.poll();
  };
  return { server, reader, polling, create, conditions, serve };
}
