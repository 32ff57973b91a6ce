import type { RequestListener } from 'node:http';
import { encodeFeed, type FeedMessage } from '@ldes-live/sources';
import { httpServer } from '@ldes-live/test-support/net';

/** A feed over HTTP on loopback, whose answer a test sets. */
export interface FeedServer {
  readonly url: string;
  /** How the next requests are answered. */
  answer: RequestListener;
  /** Answers the next requests by a whole body with status 200. */
  serve(body: Uint8Array): void;
  close(): Promise<void>;
}

export async function feedServer(onRequest: () => void = () => {}): Promise<FeedServer> {
  const server = await httpServer((request, response) => {
    onRequest();
    feed.answer(request, response);
  });
  const feed: FeedServer = {
    url: `${server.url}feed.pb`,
    answer: (_request, response) => response.writeHead(404).end(),
    serve: (body) => {
      feed.answer = (_request, response) => response.writeHead(200, { 'content-length': body.length }).end(body);
    },
    close: () => server.close(),
  };
  return feed;
}

type VehiclePosition = NonNullable<NonNullable<FeedMessage['entity']>[number]['vehicle']>;

/** A whole feed of vehicle positions, numbered in their order; one that is `undefined` is not there. */
export function vehicleFeed(seconds: number, vehicles: readonly (VehiclePosition | undefined)[]): Uint8Array {
  const entities = vehicles.map(
    (vehicle, index) => vehicle && { id: `e${index}`, vehicle: { vehicle: { id: `v${index}` }, ...vehicle } },
  );
  return encodeFeed({
    header: { gtfs_realtime_version: '2.0', incrementality: 'FULL_DATASET', timestamp: seconds },
    entity: entities.filter((entity) => entity !== undefined),
  });
}
