import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '@ldes-live/test-support/net';
import { onTestFinished } from 'vitest';

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A web server on loopback for the length of a test; it answers every request as told last. */
export interface FeedServer {
  readonly origin: string;
  readonly url: string;
  /** The requests so far, oldest first. */
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  answer: Answer;
}

export async function openFeedServer(answer = status(404)): Promise<FeedServer> {
  const server = createServer((request, response) => {
    feed.requests.push({ path: request.url ?? '', headers: request.headers });
    feed.answer(response, request);
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  onTestFinished(() => void server.close().closeAllConnections());
  const feed: FeedServer = { origin, url: `${origin}/feed.pb`, requests: [], answer };
  return feed;
}

/** An answer of status 200 with a body, and its length unless other fields say it. */
export function ok(body: Uint8Array | string, headers: Record<string, string | number> = {}): Answer {
  return (response) => {
    response.writeHead(200, { 'content-length': Buffer.byteLength(body), ...headers });
    response.end(body);
  };
}

/** An answer of a status with header fields and a short text. */
export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(code, headers);
    response.end(code === 304 ? undefined : `status ${code}`);
  };
}

/** Promises a body, sends a part of it, and closes the connection. */
export function cut(body: Uint8Array, sentBytes: number, headers: Record<string, string | number>): Answer {
  return (response) => {
    response.writeHead(200, headers);
    // Headers go out with the first write, also where no byte of the body does.
    response.flushHeaders();
    response.write(body.subarray(0, sentBytes), () => response.destroy());
  };
}
