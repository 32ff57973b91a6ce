/* The process that has the logs, as its workers have it: they read the logs over their channels, and keep to what it tells.
 *   -> { "kind": "worker-serve", "setup": { "settings": <its share>, ... } }
 *   -> { "kind": "worker-streams", "streams": [{ "description": ..., "sourceState": { "kind": "ok" } }] }, whenever one changes
 *   -> { "kind": "worker-report" }   <- { "kind": "worker-report", "report": { "connections": { "vehicles": 4980 }, ... } }
 *   -> { "kind": "worker-drain" }    <- { "kind": "worker-drain" }, once its streams have ended
 * The logs go their own way on the same channel: see `LogServer`. */
import { LogServer, type ProcessChannel, type ReadableLog } from '@ldes-live/log';
import type { SourceState } from '@ldes-live/rdf-stream';
import type { LinkedStream } from '../http/caching.ts';
import { type WorkerReport, WorkerReports } from '../metrics.ts';
import type { PushSettings } from '../options.ts';
import type { WatchedSources } from '../push/stream-push.ts';

/** What a worker needs to push besides streams and their logs: it reads no configuration of its own. */
export interface WorkerSetup {
  /** Its share of what all processes may hold together. */
  readonly settings: PushSettings;
  /** Namespaces by prefix, as members are written with. */
  readonly prefixes: Readonly<Record<string, string>>;
  readonly limitUrlBytes: number;
  /** Bytes of members' texts to keep, in equal shares of the streams. */
  readonly limitTextBytes: number;
  /** How long a request may take to arrive, milliseconds. */
  readonly requestTimeoutMs: number;
  /** Whether other nodes have the logs too. @defaultValue false */
  readonly isNode?: boolean;
}

/** A stream as a worker pushes it, with its log. */
export interface WorkerStream extends LinkedStream {
  readonly sourceState: SourceState | undefined;
}

/** What the owner tells a worker. Of the logs of streams it has told before. */
export type ToWorker =
  | { readonly kind: 'worker-serve'; readonly setup: WorkerSetup }
  | { readonly kind: 'worker-streams'; readonly streams: readonly WorkerStream[] }
  | { readonly kind: 'worker-report' | 'worker-drain' };

/** What a worker tells the owner. */
export type ToOwner =
  | { readonly kind: 'worker-report'; readonly report: WorkerReport }
  | { readonly kind: 'worker-drain'; readonly report?: undefined };

/** A stream that workers push. */
export interface SharedStream extends LinkedStream, Partial<WatchedSources> {
  readonly log: ReadableLog;
}

/** What {@link Workers} take. */
export interface WorkersOptions extends WorkerSetup {
  readonly streams: readonly SharedStream[];
  /** Resolves after so many milliseconds, or rejects once the signal is aborted. */
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<undefined>;
}

/** How long workers may take to report, milliseconds. */
const REPORT_MS = 1000;

/** How much longer than they get to end their streams workers may take to say that they have, milliseconds. */
const DRAIN_MARGIN_MS = 1000;

/**
 * The workers of a server.
 *
 * @see specs/push.md PUSH-46
 */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #logs = new LogServer(new Map());
  readonly #workers = new Set<AttachedWorker>();
  readonly #reports = new WorkerReports();
  #streams: readonly SharedStream[] = [];
  #watches: readonly (() => void)[] = [];

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.setStreams(options.streams);
  }

  /** Has the workers push these streams from now on. Those that go are ended in order. */
  setStreams(streams: readonly SharedStream[]): void {
    this.#streams = streams;
    this.#logs.setLogs(new Map(streams.map(({ description, log }) => [description.name, log])));
    for (const end of this.#watches) end();
    const tell = () => {
      const message = this.#streamsMessage();
      for (const worker of this.#workers) worker.tell(message);
    };
    this.#watches = streams.flatMap((stream) => stream.onSourceState?.(tell) ?? []);
    tell();
  }

  /**
   * Takes a worker on, from now until its channel closes.
   *
   * @param workers - how many there are to be in all, which share the limits
   * @param limitBytes - bytes of commits that may wait for this one, past which it is cut; 256 MiB by default
   */
  attach(channel: ProcessChannel, workers: number, limitBytes?: number): void {
    const { sleep: _, streams: __, settings, ...setup } = this.#options;
    const worker = new AttachedWorker(channel);
    this.#workers.add(worker);
    channel.onClose(() => {
      this.#workers.delete(worker);
      this.#reports.ended(worker);
    });
    worker.tell({ kind: 'worker-serve', setup: { ...setup, settings: shareOf(settings, workers) } });
    this.#logs.attach(channel, limitBytes);
    worker.tell(this.#streamsMessage());
  }

  /**
   * What all workers report; of one that does not answer in a second, what it reported last.
   *
   * @see specs/push.md PUSH-54
   */
  async reports(): Promise<WorkerReports> {
    await this.#ask('worker-report', REPORT_MS, (worker, report) => {
      if (report && this.#workers.has(worker)) this.#reports.reported(worker, report);
    });
    return this.#reports;
  }

  /** Has the workers end their streams spread over the time that is given for it; resolves when all have, or are gone. */
  drain(): Promise<void> {
    return this.#ask('worker-drain', this.#options.settings.shutdownGraceMs + DRAIN_MARGIN_MS);
  }

  /** Leaves the workers that there still are. */
  close(): void {
    for (const end of this.#watches) end();
    this.#logs.close();
    this.#workers.clear();
  }

  #streamsMessage(): ToWorker {
    const told = ({ description, breakEvenSeconds, contextUrls, ...stream }: SharedStream) => ({
      ...{ description, breakEvenSeconds, contextUrls, sourceState: stream.sourceState?.() },
    });
    return { kind: 'worker-streams', streams: this.#streams.map(told) };
  }

  /** Asks all workers; resolves when each has answered, or is gone, and after so long at the latest. */
  async #ask(
    kind: ToOwner['kind'],
    limitMs: number,
    take: (worker: AttachedWorker, report: WorkerReport | undefined) => void = () => {},
  ): Promise<void> {
    const done = new AbortController();
    const late = this.#options.sleep(limitMs, done.signal).catch(() => undefined);
    const asked = [...this.#workers].map(async (worker) => take(worker, await Promise.race([worker.ask(kind), late])));
    await Promise.all(asked);
    done.abort();
  }
}

/** What is asked of a worker, and has not been answered. */
class AttachedWorker {
  readonly #channel: ProcessChannel;
  readonly #asked = new Map<ToOwner['kind'], Asked>();
  #isOpen = true;

  constructor(channel: ProcessChannel) {
    this.#channel = channel;
    channel.onMessage((message) => {
      const { kind, report } = message as ToOwner;
      this.#asked.get(kind)?.answer(report);
      this.#asked.delete(kind);
    });
    channel.onClose(() => {
      this.#isOpen = false;
      for (const { answer } of this.#asked.values()) answer(undefined);
    });
  }

  tell(message: ToWorker): void {
    if (this.#isOpen) void this.#channel.send(message);
  }

  /** Resolves when it has answered, or is gone. One that hangs is not asked again and again. */
  ask(kind: ToOwner['kind']): Promise<WorkerReport | undefined> {
    const known = this.#asked.get(kind);
    if (known) return known.answered;
    if (!this.#isOpen) return Promise.resolve(undefined);
    let answer: Asked['answer'] = () => {};
    const answered = new Promise<WorkerReport | undefined>((resolve) => {
      answer = resolve;
    });
    this.#asked.set(kind, { answered, answer });
    this.tell({ kind });
    return answered;
  }
}

interface Asked {
  readonly answered: Promise<WorkerReport | undefined>;
  readonly answer: (report: WorkerReport | undefined) => void;
}

/**
 * What one of several workers may hold and take on, so that together they keep to what the server was given. What counts
 * for one connection stays as it is, and so does the memory of what is sent again, which each process has for itself.
 *
 * @see specs/push.md PUSH-50
 */
function shareOf(settings: PushSettings, workers: number): PushSettings {
  const share = (limit: number) => Math.ceil(limit / workers);
  return {
    ...settings,
    limitConnections: share(settings.limitConnections),
    limitConnectionsPerAddress: share(settings.limitConnectionsPerAddress),
    limitAcceptsPerSecond: share(settings.limitAcceptsPerSecond),
    limitWaitingAccepts: share(settings.limitWaitingAccepts),
    limitReplayBytes: share(settings.limitReplayBytes),
  };
}
