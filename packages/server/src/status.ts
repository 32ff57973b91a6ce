/* What a server says of itself: `/health` for people and balancers, `/metrics` for Prometheus. Both are made when they are
 * asked for, from what there is in this process and from what the workers report within a second.
 *
 *   GET /health -> { "status": "degraded", "streams": { "vehicles": { "cursor": "k3x9a-43", "entities": 812, "heldFrom": 1,
 *     "pushConnections": 9120, "sources": [{ "origin": "a.example", "state": "failing", "failingSince": "…", … }] } } } */

import type { Log } from '@ldes-live/log';
import { formatCursor, type SourceHealth } from '@ldes-live/rdf-stream';
import {
  type CommitCounts,
  type Labels,
  METRICS_MEDIA_TYPE,
  type MeasuredPush,
  metricsText,
  ProcessMetrics,
  type RequestCounts,
  type Sample,
  samplesBy,
  type WorkerReports,
} from './metrics.ts';
import type { PushSettings } from './options.ts';

/** What status reads of a stream, at each scrape. */
interface StatusStream {
  readonly description: { readonly name: string };
  readonly log: Pick<Log, 'head' | 'heldFrom'> & { readonly latest: { readonly size: number } };
  /** How its sources fare, posts included. */
  readonly health: () => readonly SourceHealth[];
  readonly requests: RequestCounts;
  readonly commits: Pick<CommitCounts, 'commits' | 'members'>;
  /** What takes its posts now; `undefined` where it takes none. */
  readonly post: () => { stats(): StatusPosts } | undefined;
}

/** What is read of the posts to a stream. */
interface StatusPosts {
  readonly reading: number;
  readonly waiting: number;
  /** Members, by what they came to. */
  readonly members: Readonly<Record<string, number>>;
  /** Posts that were refused or failed, by code. */
  readonly refused: Readonly<Record<string, number>>;
}

/** What `/health` has. */
export interface HealthReport {
  /**
   * `degraded` as long as one source fails, or has never worked: the streams are served all the same. `stopping` from the
   * moment in which the server was told to stop: new readers should go to another.
   */
  readonly status: 'ok' | 'degraded' | 'stopping';
  readonly streams: Readonly<Record<string, StreamHealth>>;
}

/** How one stream fares. */
export interface StreamHealth {
  readonly cursor: string;
  readonly entities: number;
  /** Sequence of the first member from which on all are held: 1 while retention has removed none. */
  readonly heldFrom: number;
  readonly pushConnections: number;
  readonly sources: readonly SourceHealth[];
}

/** An answer over HTTP, which nobody may keep. */
export interface StatusAnswer {
  readonly status: 200 | 503;
  readonly mediaType: string;
  readonly body: string;
}

/** What {@link Status} is made of. */
export interface StatusOptions {
  readonly push: MeasuredPush;
  /** Requests for what is beside the streams. */
  readonly requests: RequestCounts;
  /** What there is at the moment: asked at each scrape. */
  readonly streams: () => readonly StatusStream[];
  /** Of all processes together. */
  readonly settings: PushSettings;
  /** Has the workers report; resolves when they have, or after a second. */
  readonly workers: () => Promise<WorkerReports>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** Health and metrics of a server, in the process that has the logs. */
export class Status {
  /** Whether the server was told to stop. */
  isStopping = false;
  readonly #options: StatusOptions;
  readonly #metrics: ProcessMetrics;

  constructor(options: StatusOptions) {
    this.#options = options;
    const { push, streams } = options;
    const requests = (): [string, RequestCounts][] => [
      ...streams().map((stream): [string, RequestCounts] => [stream.description.name, stream.requests]),
      ['', options.requests],
    ];
    this.#metrics = new ProcessMetrics({ name: 'main', push, requests });
    this.#addLimits(options.settings);
    this.#addLogs();
    this.#addSources();
    this.#addPosts();
  }

  /**
   * How the streams and their sources fare, as JSON ({@link HealthReport}).
   *
   * @see specs/documents.md DOC-17
   * @see specs/push.md PUSH-34
   */
  async health(): Promise<StatusAnswer> {
    const { push, streams, workers } = this.#options;
    const elsewhere = await workers();
    const reports = streams().map(({ description: { name }, log, health }): [string, StreamHealth] => [
      name,
      {
        cursor: formatCursor(log.head.cursor),
        entities: log.latest.size,
        heldFrom: log.heldFrom,
        pushConnections: push.connections(name) + elsewhere.connections(name),
        sources: health(),
      },
    ]);
    const served = reports.some(([, { sources }]) => sources.some(isFailing)) ? 'degraded' : 'ok';
    const report: HealthReport = {
      status: this.isStopping ? 'stopping' : served,
      streams: Object.fromEntries(reports),
    };
    // A failing source is no reason to send readers elsewhere: there it fails too.
    const status = this.isStopping ? 503 : 200;
    return { status, mediaType: 'application/json; charset=utf-8', body: JSON.stringify(report) };
  }

  /**
   * What the server does, in numbers: the text format of Prometheus.
   *
   * @see specs/metrics.md
   */
  async metrics(): Promise<StatusAnswer> {
    const [own, workers] = await Promise.all([this.#metrics.report(), this.#options.workers()]);
    return { status: 200, mediaType: METRICS_MEDIA_TYPE, body: await metricsText([own, ...workers.metrics]) };
  }

  close(): void {
    this.#metrics.close();
  }

  #addLimits(settings: PushSettings): void {
    const limits = {
      queue_bytes: settings.limitQueueBytes,
      stall_seconds: settings.limitStallMs / 1000,
      frame_bytes: settings.limitFrameBytes,
      replay_bytes: settings.limitReplayBytes,
      replay_members: settings.limitReplayMembers,
      narrowing: settings.limitNarrowing,
      connections: settings.limitConnections,
      connections_per_address: settings.limitConnectionsPerAddress,
      accepts_per_second: settings.limitAcceptsPerSecond,
      waiting_accepts: settings.limitWaitingAccepts,
      age_seconds: settings.limitAgeMs / 1000,
    };
    this.#metrics.add('ldes_live_push_limit', () => samplesBy({}, 'limit', limits));
  }

  #addLogs(): void {
    const each = (name: string, value: (stream: StatusStream) => number | undefined) =>
      this.#metrics.add(name, () =>
        this.#options.streams().map((stream) => [{ stream: stream.description.name }, value(stream)]),
      );
    each('ldes_live_log_head_sequence', ({ log }) => log.head.cursor.sequence);
    each('ldes_live_log_held_members', ({ log }) => log.head.cursor.sequence - log.heldFrom + 1);
    each('ldes_live_log_entities', ({ log }) => log.latest.size);
    each('ldes_live_log_commits_total', ({ commits }) => commits.commits);
    each('ldes_live_log_members_total', ({ commits }) => commits.members);
    each('ldes_live_log_last_commit_timestamp_seconds', ({ log: { head } }) =>
      head.cursor.sequence === 0 ? undefined : head.timeMs / 1000,
    );
  }

  #addSources(): void {
    const each = (name: string, samples: (health: SourceHealth, labels: Labels) => readonly Sample[]) =>
      this.#metrics.add(`ldes_live_source_${name}`, () =>
        this.#options
          .streams()
          .flatMap(({ description, health }) =>
            health().flatMap((source) => samples(source, { stream: description.name, origin: source.origin })),
          ),
      );
    const { clock } = this.#options;
    // A clock that was set back makes nothing younger than new.
    const age = (time: string | undefined) =>
      time === undefined ? undefined : Math.max(0, clock() - Date.parse(time)) / 1000;
    each('age_seconds', ({ lastGoodAt }, labels) => [[labels, age(lastGoodAt)]]);
    each('data_age_seconds', ({ dataAt }, labels) => [[labels, age(dataAt)]]);
    each('next_update_timestamp_seconds', ({ nextUpdateAt }, labels) => [
      [labels, nextUpdateAt === undefined ? undefined : Date.parse(nextUpdateAt) / 1000],
    ]);
    each('up', ({ state }, labels) => [[labels, state === 'ok' ? 1 : 0]]);
    each('polls_total', ({ polls }, labels) => samplesBy(labels, 'result', { ...polls }));
    each('errors_total', ({ errors }, labels) => samplesBy(labels, 'code', errors));
    each('findings', ({ findings }, labels) => samplesBy(labels, 'finding', findings));
  }

  #addPosts(): void {
    const each = (name: string, label: string, counts: (post: StatusPosts) => Readonly<Record<string, number>>) =>
      this.#metrics.add(name, () =>
        this.#options.streams().flatMap(({ description, post }) => {
          const stats = post()?.stats();
          return stats ? samplesBy({ stream: description.name }, label, counts(stats)) : [];
        }),
      );
    each('ldes_live_posts', 'state', ({ reading, waiting }) => ({ reading, waiting }));
    each('ldes_live_posted_members_total', 'result', ({ members }) => members);
    each('ldes_live_posts_refused_total', 'code', ({ refused }) => refused);
  }
}

function isFailing({ state, lastError }: SourceHealth): boolean {
  return state === 'failing' || (state === 'starting' && lastError !== undefined);
}
