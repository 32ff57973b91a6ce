import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { answerError, answerUnknown } from './http/answer-errors.ts';
import { type LiveStreamsOptions, liveStreams } from './live-streams.ts';

/** A server of its own around the plugin. */
export interface LiveServer {
  /** Begins to listen; resolves to the port, which matters where 0 was asked for. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>;
  /** Ends the push streams in order, lets requests finish, and stops listening. */
  close(): Promise<void>;
}

// Longer than push streams get to end.
const CLOSE_GRACE_MS = 3000;

/**
 * Makes a standalone server for streams.
 *
 * @throws {@link StreamError} `ERR_PUBLIC_URL`, `ERR_STREAM_NAME`
 */
export async function createLiveServer(options: LiveStreamsOptions): Promise<LiveServer> {
  const fastify: FastifyInstance = Fastify({
    // Clients keep their connections open between polls; on close they are told to go.
    forceCloseConnections: 'idle',
    frameworkErrors: answerError,
    routerOptions: { maxParamLength: 2048 },
  });
  answerUnknown(fastify, options.streams);
  await fastify.register(liveStreams, options);
  return {
    listen: async ({ host, port }) => {
      await fastify.listen({ host, port });
      return (fastify.server.address() as AddressInfo).port;
    },
    close: async () => {
      // A client may hold a connection open on which it never asks for anything: it counts as in use.
      const cut = setTimeout(() => fastify.server.closeAllConnections(), CLOSE_GRACE_MS);
      await fastify.close().finally(() => clearTimeout(cut));
    },
  };
}
