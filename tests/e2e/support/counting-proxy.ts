import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that went through, and how it was answered. */
interface CountedRequest {
  readonly path: string;
  readonly status: number;
  /** Whether the answer never changes, by its `Cache-Control`. */
  readonly isSealed: boolean;
}

/** Stands before a server on loopback, hands everything on as it is, and writes down what was asked. */
export interface CountingProxy {
  /** Ends in `/`: the public URL of the server behind. */
  readonly url: string;
  readonly requests: readonly CountedRequest[];
  /** Port of the server behind it; requests before it is set fail. */
  port: number;
  close(): Promise<void>;
}

export async function countingProxy(): Promise<CountingProxy> {
  const requests: CountedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method, url: path = '/', headers } = incoming;
    const onward = request({ host: 'localhost', port: proxy.port, method, path, headers }, (answer) => {
      const isSealed = /\bimmutable\b/.test(answer.headers['cache-control'] ?? '');
      requests.push({ path, status: answer.statusCode ?? 0, isSealed });
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const proxy: CountingProxy = {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    requests,
    port: 0,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
