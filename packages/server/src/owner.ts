/* The process that has the logs, as its workers have it: a node that they follow, each over its channel.
 *   -> { "kind": "worker-config", "options": { "push": <its share>, ... }, "streams": [{ "description": ... }] }
 *   -> { "kind": "worker-report" }   <- { "kind": "worker-report", "report": { "connections": { "vehicles": 4980 }, ... } }
 *   -> { "kind": "worker-drain" }    <- { "kind": "worker-drain" }, once its streams have ended
 * The logs, and what this process is and tells of them, go their own way on the same channel: see `LogServer`. */
import { EventEmitter, once } from 'node:events';
import type { Schedule } from '@ldes-live/latency';
import { LogServer, type ProcessChannel } from '@ldes-live/log';
import { type WorkerReport, WorkerReports } from './metrics.ts';
import type { CompleteOptions, ScheduledStream, TlsCredentials, WatchedSources } from './options.ts';
import type { ReportedStream } from './server-node.ts';
import { type SharedStream, sharedStream } from './shared-streams.ts';

/** What the owner tells a worker. */
export type ToWorker =
  // What it serves: it reads no configuration of its own.
  | {
      readonly kind: 'worker-config';
      /** With its share of what all processes may hold together. */
      readonly options: ReturnType<typeof shareOf>;
      readonly streams: readonly SharedStream[];
    }
  // Before it listens, and when it changes; absent where it listens by HTTP.
  | { readonly kind: 'worker-tls'; readonly tls: TlsCredentials }
  | { readonly kind: 'worker-report' | 'worker-drain' };

/** What a worker tells the owner. */
export type ToOwner =
  | { readonly kind: 'worker-report'; readonly report: WorkerReport }
  | { readonly kind: 'worker-drain'; readonly report?: undefined };

/** What the owner tells as it comes: how the sources of streams fare that say so, and when their updates are expected. */
export interface ReportToWorkers {
  readonly streams: Readonly<Record<string, ReportedStream>>;
  readonly schedules: Readonly<Record<string, Schedule>>;
}

/** What {@link Workers} take. */
interface WorkersOptions {
  readonly options: CompleteOptions;
  /** Those that are open now. */
  readonly streams: () => readonly ServedStream[];
  /** Resolves after so many milliseconds, or rejects once the signal is aborted. */
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<undefined>;
}

type ServedStream = ScheduledStream & Pick<WatchedSources, 'health' | 'sourceState'>;

/** How long workers may take to report, milliseconds. */
const REPORT_MS = 1000;

/** How much longer than they get to end their streams workers may take to say that they have, milliseconds. */
const DRAIN_MARGIN_MS = 1000;

/**
 * The workers of a server.
 */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #logs: LogServer;
  /** With how many share the limits with each. */
  readonly #workers = new Map<AttachedWorker, number>();
  readonly #reports = new WorkerReports();

  constructor(options: WorkersOptions) {
    this.#options = options;
    const { cluster } = options.options;
    this.#logs = new LogServer(new Map(), { cluster, status: () => this.#told() });
  }

  /** Has the workers serve the streams that are open now. Those that have gone are ended in order. */
  serve(): void {
    this.#logs.setLogs(new Map(this.#options.streams().map(({ description, log }) => [description.name, log])));
    for (const [worker, share] of this.#workers) worker.tell(this.#config(share));
  }

  /** Tells the workers how the streams fare, and when their updates are expected. */
  tell(): void {
    this.#logs.tellSoon();
  }

  /**
   * Takes a worker on, from now until its channel closes.
   *
   * @param workers - how many there are to be in all, which share the limits
   * @param limitBytes - bytes of commits that may wait for this one, past which it is cut; 256 MiB by default
   */
  attach(channel: ProcessChannel, workers: number, limitBytes?: number): void {
    const worker = new AttachedWorker(channel);
    this.#workers.set(worker, workers);
    channel.onClose(() => {
      this.#workers.delete(worker);
      this.#reports.ended(worker);
    });
    this.#logs.attach(channel, limitBytes);
    worker.tell(this.#config(workers));
  }

  /**
   * What all workers report; of one that does not answer in a second, what it reported last.
   */
  async reports(): Promise<WorkerReports> {
    await this.#ask('worker-report', REPORT_MS, (worker, report) => {
      if (report && this.#workers.has(worker)) this.#reports.reported(worker, report);
    });
    return this.#reports;
  }

  /** Has the workers end their streams spread over the time that is given for it; resolves when all have, or are gone. */
  drain(): Promise<void> {
    return this.#ask('worker-drain', this.#options.options.push.shutdownGraceMs + DRAIN_MARGIN_MS);
  }

  /** Leaves the workers that there still are. */
  close(): void {
    this.#logs.close();
    this.#workers.clear();
  }

  #told(): ReportToWorkers {
    const streams = this.#options.streams().map((stream) => ({ ...stream, name: stream.description.name }));
    const watched = streams.filter(({ sourceState }) => sourceState());
    return {
      streams: Object.fromEntries(
        watched.map(({ name, health, sourceState }) => {
          const { completeToMs } = { completeToMs: undefined, ...sourceState() };
          return [name, { sources: health(), ...(completeToMs !== undefined && { completeToMs }) }];
        }),
      ),
      schedules: Object.fromEntries(streams.map(({ name, schedule }) => [name, schedule()])),
    };
  }

  #config(workers: number): ToWorker {
    const { options, streams } = this.#options;
    return { kind: 'worker-config', options: shareOf(options, workers), streams: streams().map(sharedStream) };
  }

  /** Asks all workers; resolves when each has answered, or is gone, and after so long at the latest. */
  async #ask(
    kind: ToOwner['kind'],
    limitMs: number,
    take: (worker: AttachedWorker, report: WorkerReport | undefined) => void = () => {},
  ): Promise<void> {
    const done = new AbortController();
    const late = this.#options.sleep(limitMs, done.signal).catch(() => undefined);
    const workers = [...this.#workers.keys()];
    await Promise.all(workers.map(async (worker) => take(worker, await Promise.race([worker.ask(kind), late]))));
    done.abort();
  }
}

/** The channel to a worker. */
class AttachedWorker {
  readonly #channel: ProcessChannel;
  readonly #answers = new EventEmitter();
  /** What has not been answered. */
  readonly #asked = new Map<ToOwner['kind'], Promise<WorkerReport | undefined>>();

  constructor(channel: ProcessChannel) {
    this.#channel = channel;
    channel.onMessage((message) => {
      const { kind, report } = message as ToOwner;
      this.#answers.emit(kind, report);
    });
    channel.onClose(() => {
      for (const kind of this.#asked.keys()) this.#answers.emit(kind);
    });
  }

  tell(message: ToWorker): void {
    void this.#channel.send(message);
  }

  /** Resolves when it has answered, or is gone. One that hangs is not asked again and again. */
  ask(kind: ToOwner['kind']): Promise<WorkerReport | undefined> {
    const known = this.#asked.get(kind);
    if (known) return known;
    const answered = once(this.#answers, kind).then(([report]) => {
      this.#asked.delete(kind);
      return report;
    });
    this.#asked.set(kind, answered);
    this.tell({ kind });
    return answered;
  }
}

/**
 * What one of several workers may hold and take on, so that together they keep to what the server was given. What counts
 * for one connection stays as it is, and so does the memory of what is sent again, which each process has for itself.
 */
function shareOf(options: CompleteOptions, workers: number) {
  const share = (limit: number) => Math.ceil(limit / workers);
  const { publicUrl, breakEvenSeconds, limitUrlBytes, limitTextBytes, push, vocabularies = {} } = options;
  // What stands at their URLs the owner answers.
  const contexts = Object.entries(vocabularies).map(([name, { context }]) => [name, { quads: [], context }] as const);
  return {
    ...{ publicUrl, breakEvenSeconds, limitUrlBytes, limitTextBytes, streams: [] },
    vocabularies: Object.fromEntries(contexts),
    limitKeptBytes: share(options.limitKeptBytes),
    limitPendingBuilds: share(options.limitPendingBuilds),
    push: {
      ...push,
      limitConnections: share(push.limitConnections),
      limitConnectionsPerAddress: share(push.limitConnectionsPerAddress),
      limitAcceptsPerSecond: share(push.limitAcceptsPerSecond),
      limitWaitingAccepts: share(push.limitWaitingAccepts),
      limitReplayBytes: share(push.limitReplayBytes),
    },
  };
}
