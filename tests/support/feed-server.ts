import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A feed over HTTP on loopback, whose answer a test sets. */
export interface FeedServer {
  readonly url: string;
  /** How the next requests are answered. */
  answer: RequestListener;
  /** Answers the next requests by a whole body with status 200. */
  serve(body: Uint8Array): void;
  close(): Promise<void>;
}

export async function feedServer(): Promise<FeedServer> {
  const server = createServer((request, response) => feed.answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const feed: FeedServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.pb`,
    answer: (_request, response) => response.writeHead(404).end(),
    serve: (body) => {
      feed.answer = (_request, response) => response.writeHead(200, { 'content-length': body.length }).end(body);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return feed;
}
