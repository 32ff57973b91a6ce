import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server that counts what it is asked. */
export interface MeasuredServer {
  readonly url: string;
  /** Requests so far. */
  readonly requests: number;
  /** Of all times, the most requests under way at once. */
  readonly mostAtOnce: number;
}

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** Serves on loopback until the test ends. */
export async function measuredServer(answer: Answer): Promise<MeasuredServer> {
  const seen = { url: '', requests: 0, mostAtOnce: 0 };
  let underWay = 0;
  const server = createServer((request, response) => {
    seen.requests += 1;
    underWay += 1;
    seen.mostAtOnce = Math.max(seen.mostAtOnce, underWay);
    response.on('close', () => {
      underWay -= 1;
    });
    answer(request, response, seen.requests);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  seen.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/latest`;
  return seen;
}
