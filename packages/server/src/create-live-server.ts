import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { answerClientErrors } from './http/answer-client-errors.ts';
import { answerError, answerUnknown } from './http/answer-errors.ts';
import type { ReadyAnswerer } from './http/answer-ready.ts';
import { LISTEN_BACKLOG } from './http/listen-backlog.ts';
import { letBodiesWait } from './ingest/body.ts';
import { DEFAULT_LOGGER, type Logger, loggerOf } from './logging.ts';
import { countRequests } from './metrics/count-requests.ts';
import type { LiveServerOptions } from './options.ts';
import { checkLimits, DEFAULT_LIMIT_URL_BYTES, requestTimeoutMs } from './options.ts';
import { type Published, publishStreams } from './publish-streams.ts';
import type { WorkerChannel } from './workers/worker-channel.ts';
import type { ToOwner, ToWorker } from './workers/worker-messages.ts';

/** A server of its own around the plugin. */
export interface LiveServer {
  /** Where it logs. */
  readonly logger: Logger;
  /** Begins to listen; resolves to the port, which matters where 0 was asked for. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>;
  /** Open push connections in this process, of all streams. */
  readonly pushConnections: number;
  /** Counts the open push connections of all streams, those of workers included. */
  countConnections(): Promise<number>;
  /**
   * Gives the streams to another process, which holds push connections, until the channel to it closes: it gets each
   * commit once, and asks for what came before. Its side is `createWorkerServer`.
   *
   * @param workers - how many such processes there are to be in all: they share the limits on connections
   * @param limitBytes - bytes of commits that may wait for this one, past which its channel is cut; 256 MiB when absent
   * @see specs/push.md PUSH-46
   */
  attachWorker(channel: WorkerChannel<ToWorker, ToOwner>, workers: number, limitBytes?: number): void;
  /**
   * Turns `/health` unready, ends the push streams spread over the grace period (`shutdownGraceMs`) while documents are
   * still answered, then lets requests finish, and stops listening: less than two seconds after the grace period.
   *
   * @see specs/push.md PUSH-32, PUSH-34
   */
  close(): Promise<void>;
}

// Longer than caches and load balancers keep theirs, which would else send into a connection that is being closed.
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

// What was asked for before has left by then. Together with what push streams and workers get to end, less than the 10 s
// after which containers are killed.
const CLOSE_GRACE_MS = 500;

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
  let published!: Published;
  const fastify: FastifyInstance = Fastify({
    logger: options.logger ?? DEFAULT_LOGGER,
    serverFactory: (whole) => {
      const listener: RequestListener = (request, response) => {
        if (!ready(request, response)) whole(request, response);
      };
      const limits = {
        maxHeaderSize: limitHeaderBytes,
        keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
        requestTimeout: requestTimeoutMs(options.streams),
      };
      return letBodiesWait(createServer(limits, listener), listener);
    },
    clientErrorHandler: answerClientErrors(limitHeaderBytes),
    // Clients keep their connections open between polls; on close they are told to go.
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      // What has no route runs none of the hooks by which answers are counted.
      answerError(error, request, reply);
      requests.add('other', reply.statusCode);
    },
    // The limit on URLs is the one that counts.
    routerOptions: { maxParamLength: limitUrlBytes },
  });
  // Around the streams, so that what no stream has is counted as well.
  const requests = countRequests(fastify);
  answerUnknown(fastify, options.streams, limitUrlBytes);
  await fastify.register(async (plugin) => {
    published = await publishStreams(plugin, options);
    ready = published.ready;
  });
  return {
    logger: loggerOf(fastify.log),
    get pushConnections() {
      return published.pushConnections();
    },
    countConnections: () => published.countConnections(),
    attachWorker: (...worker) => published.attachWorker(...worker),
    listen: async ({ host, port }) => {
      await fastify.listen({ host, port, backlog: LISTEN_BACKLOG });
      return (fastify.server.address() as AddressInfo).port;
    },
    close: async () => {
      await published.drain();
      // From now on Fastify tells clients to go.
      ready = () => false;
      // A client may hold a connection open on which it never asks for anything: it counts as in use.
      const cut = setTimeout(() => fastify.server.closeAllConnections(), CLOSE_GRACE_MS);
      await fastify.close().finally(() => clearTimeout(cut));
    },
  };
}
