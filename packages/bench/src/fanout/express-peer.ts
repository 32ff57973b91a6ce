import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import express from 'express';
import type { Peer } from './peer.ts';
import { aroundStamps, stamp } from './stamp.ts';

/** After how many clients the loop pauses, so that the kernel sends what it has. */
const CLIENTS_PER_PAUSE = 1000;
const PAUSE_MS = 1;

/**
 * The loop of the article: Express, one `write` of the event's text for each client, and a pause of 1 ms after each
 * 1,000. The text is made once, which the article does not say of its own.
 *
 * @see https://brechtvdv.github.io/Article-Live-Open-Data-Interfaces/
 */
export async function startExpressPeer(event: string): Promise<Peer> {
  const around = aroundStamps(event);
  const clients = new Set<ServerResponse>();
  const app = express();
  app.get('/sse', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.write(':\n\n');
    clients.add(response);
    response.on('close', () => clients.delete(response));
    response.on('error', () => clients.delete(response));
  });
  const server = createServer(app);
  server.listen(0, '127.0.0.1', 4096);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    path: '/sse',
    publish: async (stampMicros) => {
      const text = around.join(stamp(stampMicros));
      let written = 0;
      for (const client of clients) {
        client.write(text);
        written += 1;
        if (written % CLIENTS_PER_PAUSE === 0) await delay(PAUSE_MS);
      }
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
