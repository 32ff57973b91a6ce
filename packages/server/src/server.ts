/*
 * A server of its own for streams: HTTP on Node.js, the handler before everything, and Fastify behind it for what `extend`
 * adds alone.
 *
 *   request -> handler.handle() -> answered, or Fastify: a route of `extend`, else handler.refuse()
 *   close() -> push streams end over the grace period, requests finish, connections close, at most 2 s later
 */
import type { RequestListener } from 'node:http';
import type { ProcessChannel } from '@ldes-live/log';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { errors } from './errors.ts';
import { createHandler, type StreamHandler } from './handler.ts';
import { refusedStatus } from './http/problem.ts';
import { HttpListener } from './listener.ts';
import { DEFAULT_LOGGER, type Logger, loggerOf } from './logging.ts';
import type { WorkerReport } from './metrics.ts';
import {
  completeOptions,
  type LiveServerOptions,
  type LiveStream,
  requestTimeoutMs,
  type TlsCredentials,
} from './options.ts';
import { errorAnswer, extendRoutes } from './plugin.ts';

/** A server of its own for streams. */
export interface LiveServer {
  /**
   * Begins to publish from the sources of the streams, waits up to 3 s for the first polls of those that have no member
   * yet, and listens; resolves to the port, which matters where 0 was asked for.
   *
   * @param address - `isInternal` where only its own workers ask there: it is not logged
   * @throws {@link StreamError} `ERR_SERVER_CLOSED` - it was closed meanwhile
   */
  listen(address: { readonly host: string; readonly port: number; readonly isInternal?: boolean }): Promise<number>;
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
   */
  attachWorker(channel: ProcessChannel, workers: number, limitBytes?: number): void;
  /** What this process counts, as that of a worker. */
  report(): WorkerReport;
  /**
   * Publishes these streams from now on. One that differs from what is published under its name in nothing but sources,
   * `updates`, `schedule` or `ingest` stays open with its readers; any other change ends it in order and opens it anew.
   * Routes that `extend` added stay as they are.
   *
   * @returns once the readers of what is gone have been sent away, over `shutdownGraceMs` at most
   * @throws {@link StreamError} those of {@link createLiveServer} on streams, `ERR_SERVER_CLOSED`: then none has
   * come or gone
   */
  setStreams(streams: readonly LiveStream[]): Promise<void>;
  /**
   * Gives those who connect from now on another certificate; connections that there are stay.
   *
   * @throws {@link StreamError} `ERR_TLS_UNUSABLE` - then the former one stays
   * @throws TypeError - it was made without `tls`
   */
  setTls(tls: TlsCredentials): void;
  /**
   * Turns `/health` unready, ends the push streams spread over the grace period (`shutdownGraceMs`) while documents are
   * still answered and sources go on, then ends sources and retention, lets requests finish, and stops listening: less than
   * two seconds after the grace period.
   *
   * @see specs/push.md PUSH-32, PUSH-34
   */
  close(): Promise<void>;
}

/**
 * Makes a standalone server for streams.
 *
 * @throws {@link StreamError} `ERR_PUBLIC_URL`, `ERR_STREAM_NAME`, `ERR_STREAM_REPEATED`, `ERR_STREAM_ELSEWHERE`,
 * `ERR_HEARTBEAT`, `ERR_LIMIT`, `ERR_TOKEN_HASH`, `ERR_SHAPE_UNUSABLE`, `ERR_TLS_UNUSABLE`
 */
export async function createLiveServer(options: LiveServerOptions): Promise<LiveServer> {
  let handler: StreamHandler | undefined;
  let otherwise: RequestListener = () => {};
  const { limitHeaderBytes, streams, tls } = options;
  const listener = new HttpListener(
    (request, response) => {
      if (!handler?.handle(request, response)) otherwise(request, response);
    },
    { limitHeaderBytes, requestTimeoutMs: requestTimeoutMs(streams), tls },
  );
  const fastify: FastifyInstance = Fastify({
    logger: options.logger ?? DEFAULT_LOGGER,
    logController: new LogController({ disableRequestLogging: true }),
    serverFactory: (whole) => {
      otherwise = whole;
      return listener.server;
    },
    // The listener has its own.
    clientErrorHandler: () => {},
    frameworkErrors: (thrown, request, reply) => {
      // What has no route runs none of the hooks by which answers are counted.
      opened.count(refusedStatus(thrown) ?? 500);
      return errorAnswer(opened)(thrown, request, reply);
    },
    // As for the routes of streams.
    rewriteUrl: ({ url = '' }) => opened.withoutBase(url),
    // The limit on URLs is the one that counts.
    routerOptions: { maxParamLength: completeOptions(options).limitUrlBytes },
  });
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
    report: () => opened.report(),
    setStreams: async (streams) => {
      await opened.setStreams(streams);
      listener.server.requestTimeout = requestTimeoutMs(streams);
    },
    setTls: (tls) => listener.setTls(tls),
    listen: async (address) => {
      await fastify.ready();
      await opened.start();
      if (!handler) throw errors.ERR_SERVER_CLOSED(undefined);
      // Not by Fastify, which would log a line of its own.
      const port = await listener.listen(address);
      if (!address.isInternal) logger.info({ host: address.host, port }, 'listening');
      return port;
    },
    close: async () => {
      const startedMs = performance.now();
      await opened.drain();
      // From now on Fastify tells clients to go.
      handler = undefined;
      const ended = listener.close();
      await fastify.close();
      // Clients keep their connections open between polls.
      listener.server.closeIdleConnections();
      await ended;
      logger.info({ ms: Math.round(performance.now() - startedMs) }, 'stopped');
    },
  };
}
