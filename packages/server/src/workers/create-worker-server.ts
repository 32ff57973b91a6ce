import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { answerError } from '../http/answer-errors.ts';
import { answerClientErrors } from '../http/problem.ts';
import { breakOffPost, letBodiesWait } from '../ingest/body.ts';
import { DEFAULT_LOGGER, type LoggerOption, logPushFault } from '../logging.ts';
import type { ProcessFacts } from '../metrics/process-facts.ts';
import { RequestCounts } from '../metrics/request-counts.ts';
import { checkLimits } from '../options.ts';
import { answerPush, type ReadyAnswerer } from '../push/answer-push.ts';
import { PushEndpoint } from '../push/endpoint.ts';
import { isTaken } from '../push/subscriber.ts';
import { LISTEN_BACKLOG } from '../server.ts';
import { OwnerLink } from './owner-link.ts';
import { passOn } from './pass-on.ts';
import type { WorkerChannel } from './worker-channel.ts';
import type { ToOwner, ToWorker } from './worker-messages.ts';
import { workerReport } from './worker-report.ts';

/** What {@link createWorkerServer} needs. */
export interface WorkerServerOptions {
  /** To the process that has the logs, see `LiveServer.attachWorker`. */
  readonly channel: WorkerChannel<ToOwner, ToWorker>;
  /** Where that process answers what is not push, such as `http://127.0.0.1:40123`. */
  readonly ownerUrl: string;
  /** Bytes that the header of a request may have, URL included; past it, 431. @defaultValue 16,384 */
  readonly limitHeaderBytes?: number;
  /** What this process takes of its machine, for the metrics; left out when absent. */
  readonly processFacts?: () => ProcessFacts;
  /** Where faults of this side are logged. @defaultValue lines of JSON on standard error, from `warn` on */
  readonly logger?: LoggerOption;
  /** Milliseconds since some moment. @defaultValue `performance.now` */
  readonly clock?: () => number;
  /** In [0, 1). @defaultValue `Math.random` */
  readonly random?: () => number;
}

/** A server that has connections, and no log. */
export interface WorkerServer {
  /** Begins to listen; resolves to the port. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>;
  /** Resolves when the owner has had it end its streams, and it has stopped listening. */
  readonly drained: Promise<void>;
  /** Ends the push streams spread over the grace period, lets requests finish, and stops listening. */
  close(): Promise<void>;
}

// As those of the server that has the logs.
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const CLOSE_GRACE_MS = 500;

/**
 * Makes the server of a worker: it holds push connections, to which it gives what the process that has the logs tells it,
 * and passes every other request on to that process.
 *
 * @throws {@link StreamError} `ERR_LIMIT` - a limit is not an integer of 1 or more
 * @throws {@link StreamError} `ERR_OWNER_LOST` - the owner went before it said what to serve
 * @see specs/push.md PUSH-46
 */
export async function createWorkerServer(options: WorkerServerOptions): Promise<WorkerServer> {
  const { channel, ownerUrl, limitHeaderBytes = 16_384, random = Math.random } = options;
  checkLimits({ limitHeaderBytes });
  const link = new OwnerLink(channel);
  const { hello, packets } = await link.task;
  const { settings, links, limitUrlBytes, requestTimeoutMs } = hello;
  const push = new PushEndpoint({
    streams: hello.streams.map(({ description }) => {
      const commits = sourceOf(packets, description.name);
      return { description, commits, snapshots: commits.snapshots };
    }),
    settings,
    links,
    // How long something takes, whatever the time of day does meanwhile.
    clock: options.clock ?? (() => performance.now()),
    random,
    onError: (error) => logPushFault(fastify, error),
  });
  const requests = new Map([...packets.keys()].map((name) => [name, new RequestCounts()]));
  let pushed: ReadyAnswerer = answerPush(push, requests, limitUrlBytes);
  const fastify: FastifyInstance = Fastify({
    logger: options.logger ?? DEFAULT_LOGGER,
    serverFactory: (whole) => {
      const listener: RequestListener = (request, response) => {
        if (!pushed(request, response)) whole(request, response);
      };
      const limits = {
        maxHeaderSize: limitHeaderBytes,
        keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
        requestTimeout: requestTimeoutMs,
      };
      return letBodiesWait(createServer(limits, listener), listener);
    },
    clientErrorHandler: answerClientErrors({ limitHeaderBytes, breakOffPost, isTaken }),
    forceCloseConnections: 'idle',
    // As the owner would: what has no URL cannot be passed on.
    frameworkErrors: answerError,
  });
  await passOn(fastify, ownerUrl);

  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= (async () => {
      await push.drain();
      push.close();
      pushed = () => false;
      const cut = setTimeout(() => fastify.server.closeAllConnections(), CLOSE_GRACE_MS);
      await fastify.close().finally(() => clearTimeout(cut));
    })();
    return closed;
  };
  const drained = new Promise<void>((resolve, reject) => {
    link.serve({
      report: () => workerReport(push, requests, options.processFacts),
      drain: async () => {
        await close().then(resolve, reject);
      },
    });
  });
  drained.catch(() => undefined);
  return {
    listen: async ({ host, port }) => {
      await fastify.listen({ host, port, backlog: LISTEN_BACKLOG });
      return (fastify.server.address() as AddressInfo).port;
    },
    drained,
    close,
  };
}

type Sources = Awaited<OwnerLink['task']>['packets'];

function sourceOf(packets: Sources, name: string) {
  return packets.get(name) as NonNullable<ReturnType<Sources['get']>>;
}
