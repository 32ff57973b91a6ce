/*
 * The servers in Node.js beside ours: they publish the event of ours, stamped anew.
 *
 *   express     the article's server: Express, one write of the text for each client; its document for who polls
 *   fastify-sse @fastify/sse as its README says
 *   node-loop   a yardstick: one loop that writes the same bytes to each socket, which is what push in Node.js cannot do without
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { aroundStamps, NextUpdate, stamp } from '../timing.ts';
import type { EventOptions, Server } from './subject.ts';

const HOST = '127.0.0.1';
const BACKLOG = 4096;

/** After how many clients the article's loop pauses, so that the kernel sends what it has. */
const CLIENTS_PER_PAUSE = 1000;
const PAUSE_MS = 1;
/** As the other servers; that of Node's own, 5 s, would end the connections of slow pollers. */
const KEEP_ALIVE_MS = 72_000;

/**
 * The server of the article, with two routes. `/sse` has a loop of one `write` of the event's text for each client, and a pause
 * of 1 ms after each 1,000; the text is made once, which the article does not say of its own. `/polling` sends the latest value
 * as JSON, with `max-age`, in whole seconds, and `Expires` up to the next update; where that is not known, it allows no reuse.
 *
 * @see https://brechtvdv.github.io/Article-Live-Open-Data-Interfaces/
 */
export async function startExpress({ event, intervalMs }: EventOptions): Promise<Server> {
  const { default: express } = await import('express');
  const [around, aroundJson] = [aroundStamps(event), aroundStamps(fieldOf(event, 'data'))];
  const next = new NextUpdate(intervalMs);
  const clients = new Set<ServerResponse>();
  // Without a stamp it is not a version yet.
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
    const nextMs = (intervalMs === undefined ? undefined : next.nextMs) ?? now;
    response.set('Cache-Control', `public, max-age=${Math.max(0, Math.floor((nextMs - now) / 1000))}`);
    response.set('Expires', new Date(nextMs).toUTCString());
    response.json(latest);
  });
  const server = createServer(app);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, HOST, BACKLOG);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    path: '/sse',
    latestPath: '/polling',
    expect: (dueMicros) => next.expect(dueMicros),
    publish: async (stampMicros) => {
      const text = around.join(stamp(stampMicros));
      latest = JSON.parse(aroundJson.join(stamp(stampMicros)));
      next.published(stampMicros);
      let written = 0;
      for (const client of clients) {
        client.write(text);
        written += 1;
        if (written % CLIENTS_PER_PAUSE === 0) await sleep(PAUSE_MS);
      }
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * `@fastify/sse` used as its README says: a route that keeps the connection alive, and `reply.sse.send` of an object for each
 * client.
 *
 * @see https://github.com/fastify/fastify-sse#readme
 */
export async function startFastifySse({ event }: EventOptions): Promise<Server> {
  const [{ default: fastify }, { default: fastifySse }] = [await import('fastify'), await import('@fastify/sse')];
  const [around, id] = [aroundStamps(fieldOf(event, 'data')), fieldOf(event, 'id')];
  const clients = new Set<FastifyReply['sse']>();
  const app = fastify();
  // Its types say that the plugin is a property of what is imported; it is that itself.
  await app.register(fastifySse as unknown as typeof fastifySse.default);
  app.get('/events', { sse: true }, async (_request, reply) => {
    reply.sse.keepAlive();
    await reply.sse.send({ data: 'Connected' });
    const { sse } = reply;
    clients.add(sse);
    sse.onClose(() => clients.delete(sse));
  });
  await app.listen({ host: HOST, port: 0, backlog: BACKLOG });
  return {
    port: (app.server.address() as AddressInfo).port,
    path: '/events',
    publish: async (stampMicros) => {
      const data: unknown = JSON.parse(around.join(stamp(stampMicros)));
      for (const client of clients) client.send({ id, event: 'update', data }).catch(() => clients.delete(client));
    },
    close: async () => {
      const closed = app.close();
      app.server.closeAllConnections();
      await closed;
    },
  };
}

/** The header of the response of the loops, in Node.js and in C, with a comment as its first chunk. */
export const LOOP_HEADER =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n:\n\n\r\n';

/** Text as a chunk of HTTP/1.1. */
export function httpChunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** A loop that writes the same bytes to each socket: whatever a reader asks for, it gets the events. */
export async function startNodeLoop({ event }: EventOptions): Promise<Server> {
  const [around, header] = [aroundStamps(httpChunk(event)), Buffer.from(LOOP_HEADER)];
  const clients = new Set<Socket>();
  const server = createSocketServer({ noDelay: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('close', () => clients.delete(socket));
    socket.once('data', () => {
      socket.write(header);
      clients.add(socket);
    });
  });
  server.listen(0, HOST, BACKLOG);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    path: '/events',
    publish: (stampMicros) => {
      const bytes = Buffer.from(around.join(stamp(stampMicros)));
      for (const client of clients) client.write(bytes);
      return undefined;
    },
    close: async () => {
      server.close();
      for (const client of clients) client.destroy();
    },
  };
}

/** The value of a field of an event; empty where it has none. */
export function fieldOf(event: string, name: string): string {
  return new RegExp(`^${name}: ?(.*)$`, 'm').exec(event)?.[1] ?? '';
}
