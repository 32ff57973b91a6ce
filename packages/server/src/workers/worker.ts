/* The server of a worker: a process that holds push connections, over logs that it reads from another one.
 *   channel -> RemoteLogs -> the push of each stream, as in the process that has the logs: it encodes commits by itself
 *   GET /NAME/events  -> push
 *   all else          -> proxy.ts, to the process that has the logs
 * That process says what to serve, asks for reports, and has it stop: see owner.ts. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type ProcessChannel, type ReadableLog, RemoteLogs } from '@ldes-live/log';
import { isStreamError, type SourceState } from '@ldes-live/rdf-stream';
import Fastify from 'fastify';
import { MemberTexts } from '../documents/member-texts.ts';
import { errors } from '../errors.ts';
import type { LinkedStream } from '../http/caching.ts';
import { normalPath } from '../http/negotiate.ts';
import { answerableError, writeProblem } from '../http/problem.ts';
import { HttpListener } from '../listener.ts';
import { DEFAULT_LOGGER, type LoggerOption, loggerOf, RepeatedLines } from '../logging.ts';
import { ProcessMetrics, RequestCounts } from '../metrics.ts';
import { checkLimits } from '../options.ts';
import { EncodedCommits } from '../push/encoded-commits.ts';
import { PushEndpoint, type PushedStream } from '../push/endpoint.ts';
import { Snapshots } from '../push/snapshots.ts';
import type { WatchedSources } from '../push/stream-push.ts';
import type { ToOwner, ToWorker, WorkerSetup, WorkerStream } from './owner.ts';
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

const EVENTS = /^(.*)\/([^/]+)\/events$/;

/**
 * Makes the server of a worker: it pushes what the process that has the logs publishes, and has that process answer every
 * other request.
 *
 * @throws {@link StreamError} `ERR_LIMIT` - a limit is not an integer of 1 or more
 * @throws {@link StreamError} `ERR_OWNER_LOST`, `ERR_LOG_LOST` - the owner went before it said what to serve
 * @see specs/push.md PUSH-46
 */
export function createWorkerServer(options: WorkerServerOptions): Promise<WorkerServer> {
  const { channel, limitHeaderBytes = 16_384 } = options;
  // All that listens to the channel does so before anything else comes.
  const logs = new RemoteLogs(channel);
  return new Promise((resolve, reject) => {
    checkLimits({ limitHeaderBytes });
    let worker: Worker;
    let taken = Promise.resolve();
    const take = async (message: ToWorker) => {
      switch (message.kind) {
        case 'worker-serve':
          worker = new Worker(options, message.setup, logs);
          break;
        case 'worker-streams':
          await worker.setStreams(message.streams);
          resolve(worker);
          break;
        case 'worker-report':
          await worker.report();
          break;
        case 'worker-drain':
          // Until it has, there is more to be told.
          void worker.drain();
          break;
      }
    };
    channel.onMessage((message) => {
      // One after the other: what it is asked before it can do it, it does then.
      taken = taken.then(() => take(message as ToWorker));
      taken.catch((error) => {
        reject(error);
        channel.cut();
      });
    });
    channel.onClose(() => reject(errors.ERR_OWNER_LOST({ retryAfterSeconds: 1 })));
  });
}

const linked = ({ description, breakEvenSeconds, contextUrls }: LinkedStream) => [
  description,
  breakEvenSeconds,
  contextUrls,
];

/** A stream that is pushed. */
interface ServedStream extends PushedStream {
  readonly log: ReadableLog;
  readonly commits: EncodedCommits;
  readonly sources: ToldSources;
}

/** How the sources of a stream are, as the owner tells it. */
class ToldSources implements WatchedSources {
  readonly #listeners = new Set<() => void>();
  #state: SourceState | undefined;

  constructor(state: SourceState | undefined) {
    this.#state = state;
  }

  set(state: SourceState | undefined): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  sourceState(): SourceState | undefined {
    return this.#state;
  }

  onSourceState(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

class Worker implements WorkerServer {
  readonly drained: Promise<void>;
  readonly #options: WorkerServerOptions;
  readonly #setup: WorkerSetup;
  readonly #logs: RemoteLogs;
  readonly #lines: RepeatedLines;
  readonly #push: PushEndpoint;
  readonly #metrics: ProcessMetrics;
  readonly #proxy: RequestProxy;
  readonly #listener: HttpListener;
  readonly #streams = new Map<string, ServedStream>();
  /** Those for push streams: what another process answers it counts. */
  readonly #requests = new Map<string, RequestCounts>();
  #whenDrained!: (closing: Promise<void>) => void;
  #isClosing = false;
  #closed: Promise<void> | undefined;

  constructor(options: WorkerServerOptions, setup: WorkerSetup, logs: RemoteLogs) {
    this.#options = options;
    this.#setup = setup;
    this.#logs = logs;
    const { name = 'worker', limitHeaderBytes, random = Math.random } = options;
    // Of Fastify, so that the option is the same as that of the server with the logs.
    const logger = loggerOf(Fastify({ logger: options.logger ?? DEFAULT_LOGGER }).log);
    // How long something takes, whatever the time of day does meanwhile.
    const clock = options.clock ?? (() => performance.now());
    const { settings, requestTimeoutMs, isNode = false } = setup;
    this.#lines = new RepeatedLines(logger, clock);
    this.#push = new PushEndpoint({ settings, clock, random, logger, lines: this.#lines, isNode });
    this.#metrics = new ProcessMetrics({ name, push: this.#push, requests: () => this.#requests });
    this.#proxy = new RequestProxy({
      sleep: (durationMs, signal) => setTimeout(durationMs, undefined, { signal }),
      lost: (cause) => errors.ERR_OWNER_LOST({ retryAfterSeconds: 1 }, cause),
    });
    this.#listener = new HttpListener((request, response) => this.#answer(request, response), {
      ...{ limitHeaderBytes, requestTimeoutMs },
    });
    this.drained = new Promise((resolve) => {
      this.#whenDrained = resolve;
    });
    this.drained.catch(() => {});
  }

  listen(address: { readonly host: string; readonly port: number }): Promise<number> {
    return this.#listener.listen(address);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async drain(): Promise<void> {
    const closing = this.close();
    this.#whenDrained(closing);
    // What goes wrong in it does not keep the others waiting.
    await closing.catch(() => {});
    this.#tell({ kind: 'worker-drain' });
  }

  async report(): Promise<void> {
    const connections = Object.fromEntries(
      [...this.#streams.keys()].map((name) => [name, this.#push.connections(name)]),
    );
    this.#tell({ kind: 'worker-report', report: { connections, metrics: this.#metrics.report() } });
  }

  /** What stays as it is keeps its readers. */
  async setStreams(streams: readonly WorkerStream[]): Promise<void> {
    const named = new Map(streams.map((stream) => [stream.description.name, stream]));
    for (const [name, served] of this.#streams) {
      const stream = named.get(name);
      const isKept = stream && isDeepStrictEqual(linked(stream), linked(served));
      if (isKept && served.log === (await this.#logs.open(name))) served.sources.set(stream.sourceState);
      else {
        this.#streams.delete(name);
        void this.#push.end(name).then(() => served.commits.close());
      }
    }
    for (const stream of named.values()) {
      if (this.#streams.has(stream.description.name)) continue;
      await this.#open(stream).catch((error) => {
        // Gone again before it was there.
        if (!isStreamError(error, 'ERR_LOG_CLOSED')) throw error;
      });
    }
  }

  async #open({ sourceState, ...linked }: WorkerStream): Promise<void> {
    const { description } = linked;
    const { name } = description;
    const { prefixes, limitTextBytes, settings } = this.#setup;
    const limitBytes = () => limitTextBytes / Math.max(1, this.#streams.size);
    const log = await this.#logs.open(name);
    const texts = new MemberTexts(log, { description, prefixes, limitBytes });
    const stream = {
      ...linked,
      log,
      commits: new EncodedCommits(log, texts, settings.limitFrameBytes),
      snapshots: new Snapshots(log, texts),
      sources: new ToldSources(sourceState),
    };
    this.#streams.set(name, stream);
    if (!this.#requests.has(name)) this.#requests.set(name, new RequestCounts());
    this.#push.open(stream);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { url = '', method } = request;
    const isRead = (method === 'GET' || method === 'HEAD') && url.length <= this.#setup.limitUrlBytes;
    const [, base, name = ''] = (isRead && !this.#isClosing && EVENTS.exec(normalPath(url))) || [];
    const stream = this.#streams.get(name);
    // A proxy may take the path of the public URL away, or leave it.
    if (stream && (base === '' || new URL(stream.description.url).pathname === `${base}/${name}`)) {
      this.#answerEvents(name, request, response);
      return;
    }
    // It is to come to another process next time.
    if (this.#isClosing) response.setHeader('connection', 'close');
    this.#proxy.answer(request, response, this.#options.ownerUrl);
  }

  #answerEvents(name: string, request: IncomingMessage, response: ServerResponse): void {
    const count = () => {
      // A client that went while it waited was not answered. The header of a stream goes past the response.
      const isAnswered = response.writableEnded || (response.socket !== null && !response.destroyed);
      if (isAnswered) this.#requests.get(name)?.add('events', response.statusCode);
    };
    const refuse = (thrown: unknown) => {
      writeProblem(response, answerableError(thrown, request, this.#lines));
    };
    void this.#push.serve(name, { request, response }).catch(refuse).finally(count);
  }

  async #close(): Promise<void> {
    await this.#push.drain();
    this.#push.close();
    this.#metrics.close();
    this.#isClosing = true;
    await this.#listener.close();
    this.#proxy.close();
    for (const { commits } of this.#streams.values()) commits.close();
  }

  #tell(message: ToOwner): void {
    void this.#options.channel.send(message);
  }
}
