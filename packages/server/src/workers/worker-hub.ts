import type { LinkTargets } from '../http/caching.ts';
import type { MetricsSnapshot } from '../metrics/metrics-snapshot.ts';
import { ToldSnapshots } from '../metrics/told-snapshots.ts';
import type { PushSettings } from '../options.ts';
import type { PushedStream } from '../push/endpoint.ts';
import { pack } from './carried-packet.ts';
import type { WorkerChannel } from './worker-channel.ts';
import type { ToOwner, ToWorker, WorkerReport } from './worker-messages.ts';
import { LIMIT_WORKER_BYTES, WorkerSession } from './worker-session.ts';
import { workerShare } from './worker-share.ts';

/** What {@link WorkerHub} is made of. */
export interface WorkerHubParts {
  readonly streams: readonly PushedStream[];
  /** Of all processes together. */
  readonly settings: PushSettings;
  readonly links: LinkTargets;
  readonly limitUrlBytes: number;
  /** How long a request may take to arrive, milliseconds. */
  readonly requestTimeoutMs: number;
  /** Resolves after so many milliseconds to nothing, or rejects once the signal is aborted. */
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<undefined>;
}

/** How long workers may take to say how they fare, milliseconds. */
const REPORT_MS = 1000;

/** How much longer than they get to end their streams workers may take to say that they have, milliseconds. */
const DRAIN_MARGIN_MS = 1000;

/**
 * The side of push that has the logs, for processes that have the connections: it gives each commit to each of them once,
 * and answers what they ask.
 *
 * @see specs/push.md PUSH-46
 */
export class WorkerHub {
  readonly #parts: WorkerHubParts;
  readonly #streams: ReadonlyMap<string, PushedStream>;
  readonly #sessions = new Set<WorkerSession>();
  readonly #told = new ToldSnapshots<WorkerSession>();
  #subscriptions: (() => void)[] = [];

  constructor(parts: WorkerHubParts) {
    this.#parts = parts;
    this.#streams = new Map(parts.streams.map((stream) => [stream.description.name, stream]));
  }

  /**
   * Takes a worker on, from now until its channel closes.
   *
   * @param workers - how many there are to be in all, which share the limits
   * @param limitBytes - bytes of commits that may wait for this one, past which it is cut
   */
  attach(channel: WorkerChannel<ToWorker, ToOwner>, workers: number, limitBytes = LIMIT_WORKER_BYTES): void {
    const { streams, settings, links, limitUrlBytes, requestTimeoutMs } = this.#parts;
    if (this.#sessions.size === 0) this.#subscribe();
    const session = new WorkerSession(channel, this.#streams, limitBytes);
    this.#sessions.add(session);
    channel.onClose(() => {
      this.#sessions.delete(session);
      this.#told.ended(session);
      if (this.#sessions.size === 0) this.#unsubscribe();
      session.close();
    });
    session.greet({
      // In one tick with the subscription, so that no commit falls in between.
      streams: streams.map(({ description, commits: { head, heldFrom } }) => ({ description, head, heldFrom })),
      settings: workerShare(settings, workers),
      links,
      limitUrlBytes,
      requestTimeoutMs,
    });
  }

  /**
   * What all workers have counted so far, and what they hold: of one that does not answer in a second what it told last.
   *
   * @see specs/push.md PUSH-54
   */
  async metrics(): Promise<MetricsSnapshot> {
    await this.#ask();
    return this.#told.all;
  }

  /** Open push connections of all workers, by the name of the stream, as far as they tell in a second. */
  async connections(): Promise<ReadonlyMap<string, number>> {
    const sums = new Map<string, number>();
    for (const { connections } of await this.#ask()) {
      for (const [name, count] of Object.entries(connections)) sums.set(name, (sums.get(name) ?? 0) + count);
    }
    return sums;
  }

  /** Has the workers end their streams spread over the time that is given for it; resolves when all have, or are gone. */
  async drain(): Promise<void> {
    const drained = [...this.#sessions].map((session) => session.drain());
    const late = new AbortController();
    const limitMs = this.#parts.settings.shutdownGraceMs + DRAIN_MARGIN_MS;
    const waited = this.#parts.sleep(limitMs, late.signal).catch(() => undefined);
    await Promise.race([Promise.all(drained), waited]);
    late.abort();
  }

  /** Leaves the workers that there still are. */
  close(): void {
    this.#unsubscribe();
    for (const session of this.#sessions) session.cut();
    this.#sessions.clear();
  }

  /** Asks all workers; those that do not answer in a second are left out. */
  async #ask(): Promise<readonly WorkerReport[]> {
    const late = new AbortController();
    const asked = [...this.#sessions].map(async (session) => {
      const report = await session.report(late.signal);
      if (!report) return [];
      this.#told.told(session, report.metrics);
      return [report];
    });
    this.#parts.sleep(REPORT_MS, late.signal).then(
      () => late.abort(),
      () => undefined,
    );
    const reports = await Promise.all(asked);
    late.abort();
    return reports.flat();
  }

  #subscribe(): void {
    this.#subscriptions = this.#parts.streams.map(({ description, commits }) =>
      commits.subscribe(
        (packet) => {
          const bytes = pack(packet);
          for (const session of this.#sessions) session.commit(description.name, commits.heldFrom, bytes);
        },
        () => {
          for (const session of this.#sessions) session.cut();
        },
      ),
    );
  }

  #unsubscribe(): void {
    for (const end of this.#subscriptions) end();
    this.#subscriptions = [];
  }
}
