import type { AddressInfo } from 'node:net';
import fastifySse from '@fastify/sse';
import Fastify, { type FastifyReply } from 'fastify';
import { aroundStamps, stamp } from '../load/stamp.ts';
import type { Peer } from './peer.ts';

/**
 * `@fastify/sse` used as its README says: a route that keeps the connection alive, and `reply.sse.send` of an object for each
 * client.
 *
 * @see https://github.com/fastify/fastify-sse#readme
 */
export async function startFastifySsePeer(event: string): Promise<Peer> {
  const around = aroundStamps(/^data: ?(.*)$/m.exec(event)?.[1] ?? '');
  const id = /^id: ?(.*)$/m.exec(event)?.[1] ?? '';
  const clients = new Set<FastifyReply['sse']>();
  const app = Fastify();
  // Its types say that the plugin is a property of what is imported; it is that itself.
  await app.register(fastifySse as unknown as typeof fastifySse.default);
  app.get('/events', { sse: true }, async (_request, reply) => {
    reply.sse.keepAlive();
    await reply.sse.send({ data: 'Connected' });
    const { sse } = reply;
    clients.add(sse);
    sse.onClose(() => clients.delete(sse));
  });
  await app.listen({ host: '127.0.0.1', port: 0, backlog: 4096 });
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
