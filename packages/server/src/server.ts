/*
 * A server of its own for streams: HTTP on Node.js, the handler before everything, and Fastify behind it for what `extend`
 * adds alone.
 *
 *   request -> handler.handle() -> answered, or Fastify: a route of `extend`, else handler.refuse()
 *   close() -> push streams end over the grace period, requests finish, connections close, at most 2 s later
 */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProcessChannel } from '@ldes-live/log';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { errors } from './errors.ts';
import { createHandler, type StreamHandler } from './handler.ts';
import { answerClientErrors, refusedStatus } from './http/problem.ts';
import { breakOffPost, letBodiesWait } from './ingest/body.ts';
import { DEFAULT_LOGGER, type Logger, loggerOf } from './logging.ts';
import {
  checkLimits,
  DEFAULT_LIMIT_URL_BYTES,
  LISTEN_BACKLOG,
  type LiveServerOptions,
  type LiveStream,
  requestTimeoutMs,
} from './options.ts';
import { errorAnswer, extendRoutes } from './plugin.ts';
import { isTaken } from './push/subscriber.ts';

/** A server of its own for streams. */
export interface LiveServer {
  /**
   * Begins to publish from the sources of the streams, waits up to 3 s for the first polls of those that have no member
   * yet, and listens; resolves to the port, which matters where 0 was asked for.
   *
   * @throws {@link StreamError} `ERR_SERVER_CLOSED` - it was closed meanwhile
   */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>;
  /** Where its events go: specs/logging.md. */
  readonly logger: Logger;
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
  attachWorker(channel: ProcessChannel, workers: number, limitBytes?: number): void;
  /**
   * Publishes these streams from now on. One that differs from what is published under its name in nothing but sources,
   * `updates`, `schedule` or `ingest` stays open with its readers; any other change ends it in order and opens it anew. Routes that
   * `extend` added stay as they are.
   *
   * @returns once the readers of what is gone have been sent away, over `shutdownGraceMs` at most
   * @throws {@link StreamError} those of {@link createLiveServer} on streams, `ERR_SERVER_CLOSED`: then none has
   * come or gone
   */
  setStreams(streams: readonly LiveStream[]): Promise<void>;
  /**
   * Turns `/health` unready, ends the push streams spread over the grace period (`shutdownGraceMs`) while documents are
   * still answered and sources go on, then ends sources and retention, lets requests finish, and stops listening: less than
   * two seconds after the grace period.
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
 * @throws {@link StreamError} `ERR_PUBLIC_URL`, `ERR_STREAM_NAME`, `ERR_STREAM_REPEATED`, `ERR_STREAM_ELSEWHERE`,
 * `ERR_HEARTBEAT`, `ERR_LIMIT`, `ERR_TOKEN_HASH`, `ERR_SHAPE_UNUSABLE`
 */
export async function createLiveServer(options: LiveServerOptions): Promise<LiveServer> {
  const { limitHeaderBytes = 16_384 } = options;
  checkLimits({ limitHeaderBytes });
  let handler: StreamHandler | undefined;
  const fastify: FastifyInstance = Fastify({
    logger: options.logger ?? DEFAULT_LOGGER,
    logController: new LogController({ disableRequestLogging: true }),
    serverFactory: (whole) => {
      const listener: RequestListener = (request, response) => {
        if (!handler?.handle(request, response)) whole(request, response);
      };
      const limits = {
        maxHeaderSize: limitHeaderBytes,
        keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
        requestTimeout: requestTimeoutMs(options.streams),
      };
      return letBodiesWait(createServer(limits, listener), listener);
    },
    clientErrorHandler: answerClientErrors({ limitHeaderBytes, breakOffPost, isTaken }),
    frameworkErrors: (thrown, request, reply) => {
      // What has no route runs none of the hooks by which answers are counted.
      opened.count(refusedStatus(thrown) ?? 500);
      return errorAnswer(opened)(thrown, request, reply);
    },
    // As for the routes of streams.
    rewriteUrl: ({ url = '' }) => opened.withoutBase(url),
    // The limit on URLs is the one that counts.
    routerOptions: { maxParamLength: options.limitUrlBytes ?? DEFAULT_LIMIT_URL_BYTES },
  });
  const { server } = fastify;
  const logger = loggerOf(fastify.log);
  const opened = await createHandler(options, logger);
  handler = opened;
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    opened.refuse(request.raw, reply.raw);
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    // Before Fastify reads the content, or judges its type.
    refuse(request, reply);
  });
  // Where a route of `extend` finds that there is nothing for it.
  fastify.setNotFoundHandler(refuse);
  await extendRoutes(fastify, opened, options.extend);
  fastify.addHook('preClose', async () => {
    await opened.drain();
    await opened.close();
  });
  return {
    logger,
    get pushConnections() {
      return opened.pushConnections;
    },
    countConnections: () => opened.countConnections(),
    attachWorker: (...worker) => opened.attachWorker(...worker),
    setStreams: async (streams) => {
      await opened.setStreams(streams);
      server.requestTimeout = requestTimeoutMs(streams);
    },
    listen: async ({ host, port }) => {
      await fastify.ready();
      await opened.start();
      if (!handler) throw errors.ERR_SERVER_CLOSED(undefined);
      // Not by Fastify, which would log a line of its own.
      await once(server.listen({ host, port, backlog: LISTEN_BACKLOG }), 'listening');
      const listened = server.address() as AddressInfo;
      logger.info({ host, port: listened.port }, 'listening');
      return listened.port;
    },
    close: async () => {
      const startedMs = performance.now();
      await opened.drain();
      // From now on Fastify tells clients to go.
      handler = undefined;
      // A client may hold a connection open on which it never asks for anything: it counts as in use.
      const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
      const ended = new Promise<void>((resolve) => server.close(() => resolve()));
      await fastify.close();
      // Clients keep their connections open between polls.
      server.closeIdleConnections();
      await ended;
      clearTimeout(cut);
      logger.info({ ms: Math.round(performance.now() - startedMs) }, 'stopped');
    },
  };
}
