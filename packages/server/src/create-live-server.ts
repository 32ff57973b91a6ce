import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { checkLimits } from './check-limits.ts';
import { answerClientErrors } from './http/answer-client-errors.ts';
import { answerError, answerUnknown } from './http/answer-errors.ts';
import type { ReadyAnswerer } from './http/answer-ready.ts';
import { DEFAULT_LIMIT_URL_BYTES } from './http/limit-url.ts';
import type { LiveStreamsOptions } from './live-streams.ts';
import { publishStreams } from './publish-streams.ts';

/** What {@link createLiveServer} publishes, and its limits. */
export interface LiveServerOptions extends LiveStreamsOptions {
  /** Bytes that the header of a request may have, URL included; past it, 431. @defaultValue 16,384 */
  readonly limitHeaderBytes?: number;
}

/** A server of its own around the plugin. */
export interface LiveServer {
  /** Begins to listen; resolves to the port, which matters where 0 was asked for. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>;
  /** Ends the push streams in order, lets requests finish, and stops listening. */
  close(): Promise<void>;
}

// Longer than caches and load balancers keep theirs, which would else send into a connection that is being closed.
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

// Longer than push streams get to end.
const CLOSE_GRACE_MS = 3000;

/**
 * Makes a standalone server for streams.
 *
 * @throws {@link StreamError} `ERR_LIMIT` - a limit is not an integer of 1 or more
 * @throws {@link StreamError} those of {@link liveStreams}
 */
export async function createLiveServer(options: LiveServerOptions): Promise<LiveServer> {
  const { limitUrlBytes = DEFAULT_LIMIT_URL_BYTES, limitHeaderBytes = 16_384 } = options;
  checkLimits({ limitUrlBytes, limitHeaderBytes });
  let ready: ReadyAnswerer = () => false;
  const fastify: FastifyInstance = Fastify({
    serverFactory: (whole) =>
      createServer(
        { maxHeaderSize: limitHeaderBytes, keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS },
        (request, response) => {
          if (!ready(request, response)) whole(request, response);
        },
      ),
    clientErrorHandler: answerClientErrors(limitHeaderBytes),
    // Clients keep their connections open between polls; on close they are told to go.
    forceCloseConnections: 'idle',
    frameworkErrors: answerError,
    // The limit on URLs is the one that counts.
    routerOptions: { maxParamLength: limitUrlBytes },
  });
  answerUnknown(fastify, options.streams, limitUrlBytes);
  await fastify.register(async (plugin) => {
    ready = await publishStreams(plugin, options);
  });
  return {
    listen: async ({ host, port }) => {
      await fastify.listen({ host, port });
      return (fastify.server.address() as AddressInfo).port;
    },
    close: async () => {
      // From now on Fastify tells clients to go.
      ready = () => false;
      // A client may hold a connection open on which it never asks for anything: it counts as in use.
      const cut = setTimeout(() => fastify.server.closeAllConnections(), CLOSE_GRACE_MS);
      await fastify.close().finally(() => clearTimeout(cut));
    },
  };
}
