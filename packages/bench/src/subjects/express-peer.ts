import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import express from 'express';
import { aroundStamps, stamp } from '../load/stamp.ts';
import { DeclaredSchedule } from './declared-schedule.ts';
import type { Peer } from './peer.ts';

/** After how many clients the loop pauses, so that the kernel sends what it has. */
const CLIENTS_PER_PAUSE = 1000;
const PAUSE_MS = 1;
/** As the other servers; that of Node's own, 5 s, would end the connections of slow pollers. */
const KEEP_ALIVE_MS = 72_000;

/**
 * The server of the article: Express with two routes. `/sse` has a loop of one `write` of the event's text for each client, and
 * a pause of 1 ms after each 1,000; the text is made once, which the article does not say of its own. `/polling` sends the latest
 * value as JSON, with `max-age`, in whole seconds, and `Expires` up to the next update.
 *
 * @param intervalMs - from one update to the next; where it is not told, `/polling` allows no reuse
 * @see https://brechtvdv.github.io/Article-Live-Open-Data-Interfaces/
 */
export async function startExpressPeer(event: string, intervalMs?: number): Promise<Peer> {
  const around = aroundStamps(event);
  const aroundJson = aroundStamps(/^data: ?(.*)$/m.exec(event)?.[1] ?? '');
  const declared = new DeclaredSchedule(intervalMs);
  const clients = new Set<ServerResponse>();
  // Without a stamp it is no version yet.
  let latest: unknown = { published: false };
  const app = express();
  app.get('/sse', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.write(':\n\n');
    clients.add(response);
    response.on('close', () => clients.delete(response));
    response.on('error', () => clients.delete(response));
  });
  app.get('/polling', (_request, response) => {
    const now = Date.now();
    const { nextMs = now } = intervalMs === undefined ? {} : declared;
    response.set('Cache-Control', `public, max-age=${Math.max(0, Math.floor((nextMs - now) / 1000))}`);
    response.set('Expires', new Date(nextMs).toUTCString());
    response.json(latest);
  });
  const server = createServer(app);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, '127.0.0.1', 4096);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    path: '/sse',
    latestPath: '/polling',
    expect: (dueMicros) => declared.expect(dueMicros),
    publish: async (stampMicros) => {
      const text = around.join(stamp(stampMicros));
      latest = JSON.parse(aroundJson.join(stamp(stampMicros)));
      declared.published(stampMicros);
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
