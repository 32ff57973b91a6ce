import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { encodeFeed } from '@ldes-live/sources';
import { type DemoFeeds, demoFeeds } from './demo-feeds.ts';
import { demoTimetable } from './demo-timetable.ts';
import { simulate, TICK_SECONDS, tickAt } from './simulate.ts';
import type { TransitNetwork } from './transit-network.ts';

/** A feed of the demonstration, or its timetable. */
export type DemoFeed = keyof DemoFeeds | 'timetable';

/** Paths of the feeds. */
const demoFeedPaths: Readonly<Record<DemoFeed, string>> = {
  vehiclePositions: '/vehicle-positions.pb',
  tripUpdates: '/trip-updates.pb',
  alerts: '/alerts.pb',
  timetable: '/gtfs.zip',
};

/** A transit agency's server, simulated. */
export interface DemoFeedServer {
  /** URL of a feed. */
  url(feed: DemoFeed): string;
  /** Stops serving, at once. */
  close(): Promise<void>;
}

/**
 * Serves the feeds and the timetable of a simulated network over HTTP, on a free port of the loopback interface: genuine
 * GTFS with ETag, Last-Modified and gzip, so that nothing on the way from there is special.
 *
 * @param clock - the present, epoch milliseconds
 */
export async function startDemoFeedServer(network: TransitNetwork, clock: () => number): Promise<DemoFeedServer> {
  const feedOf = Object.fromEntries(Object.entries(demoFeedPaths).map(([feed, path]) => [path, feed]));
  const server = createServer((request, response) => {
    const feed = feedOf[new URL(request.url ?? '/', 'http://demo').pathname] as DemoFeed | undefined;
    if (feed === undefined) return void response.writeHead(404).end();
    // The timetable is the same at any time.
    answer(network, feed, feed === 'timetable' ? 0 : tickAt(clock()), request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (feed) => `http://127.0.0.1:${port}${demoFeedPaths[feed]}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(
  network: TransitNetwork,
  feed: DemoFeed,
  tick: number,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const zipped = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
  const etag = `"${network.seed}-${tick}${zipped ? '-gzip' : ''}"`;
  const fields = {
    etag,
    'last-modified': new Date(1000 * TICK_SECONDS * tick).toUTCString(),
    vary: 'accept-encoding',
  };
  if (isKnown(headers, etag, 1000 * TICK_SECONDS * tick)) return void response.writeHead(304, fields).end();
  const isTimetable = feed === 'timetable';
  const bytes = isTimetable ? demoTimetable(network) : encodeFeed(demoFeeds(simulate(network, tick))[feed]);
  const body = zipped ? gzipSync(bytes) : bytes;
  response.writeHead(200, {
    ...fields,
    'content-type': isTimetable ? 'application/zip' : 'application/x-protobuf',
    'content-length': body.byteLength,
    ...(zipped && { 'content-encoding': 'gzip' }),
  });
  response.end(method === 'HEAD' ? undefined : body);
}

/** Whether the client has this state already; the ETag decides where it is sent (RFC 9110, section 13.2.2). */
function isKnown(headers: IncomingMessage['headers'], etag: string, modifiedMs: number): boolean {
  const known = headers['if-none-match'];
  if (known !== undefined) return known === '*' || known.split(/\s*,\s*/).includes(etag);
  return Date.parse(headers['if-modified-since'] ?? '') >= modifiedMs;
}
