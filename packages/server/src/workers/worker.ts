/* The server of a worker: a process that holds push connections, over logs that it reads from another one.
 *   channel -> RemoteLogs -> the push of each stream, as in the process that has the logs: it encodes commits by itself
 *   GET /NAME/events  -> push
 *   all else          -> proxy.ts, to the process that has the logs
 * That process says what to serve, asks for reports, and has it stop: see owner.ts. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type ProcessChannel, RemoteLogs } from '@ldes-live/log';
import Fastify from 'fastify';
import { errors } from '../errors.ts';
import { answerClientErrors } from '../http/problem.ts';
import { breakOffPost, letBodiesWait } from '../ingest/body.ts';
import { DEFAULT_LOGGER, type LoggerOption, loggerOf, RepeatedLines } from '../logging.ts';
import { ProcessMetrics, RequestCounts, type WorkerReport } from '../metrics.ts';
import { checkLimits, LISTEN_BACKLOG } from '../options.ts';
import { CommitEncoder, EncodedCommits } from '../push/encoded-commits.ts';
import { PushEndpoint } from '../push/endpoint.ts';
import { Snapshots } from '../push/snapshots.ts';
import { isTaken } from '../push/subscriber.ts';
import { answerPush } from './answer-push.ts';
import type { ToOwner, ToWorker, WorkerSetup } from './owner.ts';
import { RequestProxy } from './proxy.ts';

/** What {@link createWorkerServer} needs. */
export interface WorkerServerOptions {
  /** To the process that has the logs, see `LiveServer.attachWorker`. */
  readonly channel: ProcessChannel;
  /** Where that process answers what is not push, such as `http://127.0.0.1:40123`. */
  readonly ownerUrl: string;
  /** Bytes that the header of a request may have, URL included; past it, 431. @defaultValue 16,384 */
  readonly limitHeaderBytes?: number;
  /** Tells this process from the others of the server in its metrics. @defaultValue `worker` */
  readonly name?: string;
  /** Where faults of this side are logged. @defaultValue lines of JSON on standard error, from `warn` on */
  readonly logger?: LoggerOption;
  /** Milliseconds since some moment. @defaultValue `performance.now` */
  readonly clock?: () => number;
  /** In [0, 1). @defaultValue `Math.random` */
  readonly random?: () => number;
}

/** A server that has connections, and no log of its own. */
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
 * Makes the server of a worker: it pushes what the process that has the logs publishes, and has that process answer every
 * other request.
 *
 * @throws {@link StreamError} `ERR_LIMIT` - a limit is not an integer of 1 or more
 * @throws {@link StreamError} `ERR_OWNER_LOST`, `ERR_LOG_LOST` - the owner went before it said what to serve
 * @see specs/push.md PUSH-46
 */
export async function createWorkerServer(options: WorkerServerOptions): Promise<WorkerServer> {
  const { channel, ownerUrl, limitHeaderBytes = 16_384, random = Math.random } = options;
  checkLimits({ limitHeaderBytes });
  // Of Fastify, so that the option is the same as that of the server with the logs.
  const log = loggerOf(Fastify({ logger: options.logger ?? DEFAULT_LOGGER }).log);
  // All that listens to the channel does so before anything else comes.
  const logs = new RemoteLogs(channel);
  const asked = dutiesOf(channel);
  const { streams, settings, links, prefixes, limitUrlBytes, limitTextBytes, requestTimeoutMs } = await asked.setup;
  const pushed = await Promise.all(
    streams.map(async (description) => {
      const opened = await logs.open(description.name);
      const limitBytes = limitTextBytes / streams.length;
      const encoder = new CommitEncoder(opened, { description, prefixes, limitBytes });
      const commits = new EncodedCommits(opened, encoder, settings.limitFrameBytes);
      return { description, commits, snapshots: new Snapshots(opened, encoder) };
    }),
  );
  // How long something takes, whatever the time of day does meanwhile.
  const clock = options.clock ?? (() => performance.now());
  const push = new PushEndpoint({
    settings,
    links,
    clock,
    random,
    logger: log,
    lines: new RepeatedLines(log, clock),
  });
  for (const stream of pushed) push.open(stream);
  const requests = new Map(streams.map(({ name }) => [name, new RequestCounts()]));
  const answerEvents = answerPush(push, requests, limitUrlBytes, log);
  // What another process answers it counts.
  const metrics = new ProcessMetrics({ name: options.name ?? 'worker', push, requests: () => requests });
  const proxy = new RequestProxy(ownerUrl, (durationMs, signal) => setTimeout(durationMs, undefined, { signal }));
  let isClosing = false;
  const listener: RequestListener = (request, response) => {
    if (!isClosing && answerEvents(request, response)) return;
    if (isClosing) response.setHeader('connection', 'close');
    proxy.answer(request, response);
  };
  const limits = {
    maxHeaderSize: limitHeaderBytes,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: requestTimeoutMs,
  };
  const server = letBodiesWait(createServer(limits, listener), listener);
  server.on('clientError', answerClientErrors({ limitHeaderBytes, breakOffPost, isTaken }));
  const close = async () => {
    await push.drain();
    push.close();
    metrics.close();
    isClosing = true;
    const cut = globalThis.setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    clearTimeout(cut);
    proxy.close();
    for (const { commits } of pushed) commits.close();
  };
  let closed: Promise<void> | undefined;
  const closeOnce = () => {
    closed ??= close();
    return closed;
  };
  const report = async (): Promise<WorkerReport> => ({
    connections: Object.fromEntries(streams.map(({ name }) => [name, push.connections(name)])),
    metrics: await metrics.report(),
  });
  return {
    listen: async ({ host, port }) => {
      await once(server.listen({ host, port, backlog: LISTEN_BACKLOG }), 'listening');
      return (server.address() as AddressInfo).port;
    },
    drained: asked.serve({ report, drain: closeOnce }),
    close: closeOnce,
  };
}

interface Duties {
  readonly report: () => Promise<WorkerReport>;
  readonly drain: () => Promise<void>;
}

/** What the process that has the logs asks of a worker, also before it can do it. */
function dutiesOf(channel: ProcessChannel) {
  let [begin, fail]: [(setup: WorkerSetup) => void, (error: Error) => void] = [() => {}, () => {}];
  let start: (duties: Duties) => void = () => {};
  const setup = new Promise<WorkerSetup>((resolve, reject) => {
    [begin, fail] = [resolve, reject];
  });
  const ready = new Promise<Duties>((resolve) => {
    start = resolve;
  });
  let settle: (drained: Promise<void>) => void = () => {};
  const drained = new Promise<void>((resolve) => {
    settle = resolve;
  });
  drained.catch(() => {});
  const tell = (message: ToOwner) => void channel.send(message);
  channel.onMessage((message) => {
    const told = message as ToWorker;
    if (told.kind === 'worker-serve') begin(told.setup);
    else if (told.kind === 'worker-report') {
      void ready.then(async ({ report }) => tell({ kind: 'worker-report', report: await report() }));
    } else if (told.kind === 'worker-drain') {
      void ready.then(({ drain }) => {
        const draining = drain();
        settle(draining);
        // What goes wrong in it does not keep the others waiting.
        return draining.catch(() => {}).then(() => tell({ kind: 'worker-drained' }));
      });
    }
  });
  channel.onClose(() => fail(errors.ERR_OWNER_LOST({ retryAfterSeconds: 1 })));
  return {
    setup,
    serve: (duties: Duties) => {
      start(duties);
      return drained;
    },
  };
}
