/* What a server says of itself: `/health` for people and balancers, `/metrics` for Prometheus. Both are made when they are
 * asked for, from what there is in this process and from what the workers report within a second.
 *
 *   GET /health -> { "status": "degraded", "streams": { "vehicles": { "cursor": "k3x9a-43", "entities": 812, "heldFrom": 1,
 *     "pushConnections": 9120, "sources": [{ "origin": "a.example", "state": "failing", "failingSince": "…", … }] } } } */

import type { IncomingMessage } from 'node:http';
import type { ClusterProblem, ClusterRole } from '@ldes-live/log';
import { formatCursor, pageOf, type SourceHealth } from '@ldes-live/rdf-stream';
import { type Answer, plainAnswer } from './http/answer.ts';
import {
  type Labels,
  METRICS_MEDIA_TYPE,
  metricsText,
  ProcessMetrics,
  type RequestCounts,
  type Sample,
  samplesBy,
  samplesOf,
  type WorkerReport,
} from './metrics.ts';
import type { PushSettings } from './options.ts';
import type { ServerNode } from './server-node.ts';
import type { OpenStream, OpenStreams } from './streams.ts';

/** What status reads of the streams, at each scrape. */
type StatusStreams = Pick<OpenStreams, 'push' | 'all' | 'settings' | 'workers' | 'node'>;

/** What `/health` has. */
export interface HealthReport {
  /**
   * `degraded` as long as one source fails, or has never worked, while a stored member is damaged, and of a node that is cut off or has a problem: the streams
   * are served all the same. `stopping` from the moment in which the server was told to stop: new readers should go to another.
   */
  readonly status: 'ok' | 'degraded' | 'stopping';
  /** Of one of several nodes. */
  readonly cluster?: NodeHealth;
  readonly streams: Readonly<Record<string, StreamHealth>>;
}

/** How one of several nodes fares. */
export interface NodeHealth {
  readonly node: string;
  readonly role: ClusterRole['role'];
  /** The node that writes, where this one follows it. */
  readonly writer?: string;
  /** Since when it may lack commits: xsd:dateTime. */
  readonly since?: string;
  readonly problems: readonly ClusterProblem[];
}

/** How one stream fares. */
export interface StreamHealth {
  readonly cursor: string;
  readonly entities: number;
  /** Sequence of the first member from which on all are held: 1 while retention has removed none. */
  readonly heldFrom: number;
  readonly pushConnections: number;
  /** Pages with a member that the disk has changed, as far as somebody asked for it; absent where there are none. */
  readonly damagedPages?: readonly number[];
  readonly sources: readonly SourceHealth[];
}

/** Health and metrics of a server: of a worker, what it reports. */
export class Status {
  /** Whether the server was told to stop. */
  isStopping = false;
  readonly #streams: StatusStreams;
  readonly #metrics: ProcessMetrics;

  /**
   * @param beside - counts requests for what is beside the streams
   * @param clock - epoch milliseconds
   */
  constructor(streams: StatusStreams, beside: RequestCounts, clock: () => number) {
    this.#streams = streams;
    const cluster = streams.node?.cluster;
    const worker = cluster?.owner && cluster.node;
    this.#metrics = new ProcessMetrics({
      name: worker ?? 'main',
      push: streams.push,
      requests: () => [
        ...streams.all.map(({ description, requests }) => [description.name, requests] as const),
        ['', beside],
      ],
      // A worker has these from its owner.
      more: worker === undefined ? () => this.#samples(clock()) : undefined,
    });
  }

  /**
   * How the streams and their sources fare, as JSON ({@link HealthReport}).
   *
   * @see specs/documents.md DOC-17
   * @see specs/push.md PUSH-34
   * @see specs/store.md STORE-3
   */
  async health(request: Pick<IncomingMessage, 'headers'>): Promise<Answer> {
    const { push, all, workers } = this.#streams;
    const elsewhere = await workers.reports();
    const hidden = await this.#hidden(request);
    const reports = all.map(({ description: { name }, log, health }): [string, StreamHealth] => [
      name,
      {
        cursor: formatCursor(log.head.cursor),
        entities: log.latest.size,
        heldFrom: log.heldFrom,
        pushConnections: push.connections(name) + elsewhere.connections(name),
        ...(log.damaged.length > 0 && { damagedPages: [...new Set(log.damaged.map(pageOf))] }),
        sources: health(),
      },
    ]);
    const { node } = this.#streams;
    const cluster = node && nodeHealth(node);
    const isDegraded = cluster !== undefined && (cluster.since !== undefined || cluster.problems.length > 0);
    const isFaulty = ({ sources, damagedPages }: StreamHealth) => damagedPages !== undefined || sources.some(isFailing);
    const served = isDegraded || reports.some(([, stream]) => isFaulty(stream)) ? 'degraded' : 'ok';
    const status = this.isStopping ? 'stopping' : served;
    const streams = Object.fromEntries(reports.filter(([name]) => !hidden.has(name)));
    const report: HealthReport = { status, ...(cluster && { cluster }), streams };
    // A failing source is no reason to send readers elsewhere: there it fails too.
    return textAnswer(this.isStopping ? 503 : 200, 'application/json; charset=utf-8', JSON.stringify(report));
  }

  /**
   * What the server does, in numbers: the text format of Prometheus.
   *
   * @see specs/metrics.md
   */
  async metrics(request: Pick<IncomingMessage, 'headers'>): Promise<Answer> {
    const workers = await this.#streams.workers.reports();
    const hidden = await this.#hidden(request);
    const shown = (metrics: WorkerReport['metrics']) =>
      hidden.size === 0
        ? metrics
        : metrics.map((metric) => ({
            ...metric,
            values: metric.values.filter(({ labels: { stream = '' } }) => !hidden.has(stream)),
          }));
    const all = [this.#metrics.report(), ...(workers.metrics as readonly WorkerReport['metrics'][])].map(shown);
    return textAnswer(200, METRICS_MEDIA_TYPE, await metricsText(all));
  }

  /** Names of the private streams that who asks may not read. */
  async #hidden({ headers }: Pick<IncomingMessage, 'headers'>): Promise<ReadonlySet<string>> {
    const names = this.#streams.all.map(async ({ description: { name }, refusal }) =>
      (await refusal?.(headers)) ? [name] : [],
    );
    return new Set((await Promise.all(names)).flat());
  }

  /** What this process counts, for the one that has the logs. */
  report(): WorkerReport {
    const { push, all } = this.#streams;
    const connections = Object.fromEntries(all.map(({ description: { name } }) => [name, push.connections(name)]));
    return { connections, metrics: this.#metrics.report() };
  }

  *#samples(nowMs: number): Generator<Sample> {
    const { settings, all, node } = this.#streams;
    yield* limitSamples(settings);
    for (const stream of all) yield* streamSamples(stream, nowMs, !node || node.isWriter);
    if (node) yield* nodeSamples(node, all, nowMs);
  }

  close(): void {
    this.#metrics.close();
  }
}

function textAnswer(status: number, mediaType: string, text: string): Answer {
  return plainAnswer(status, mediaType, Buffer.from(text));
}

function limitSamples(settings: PushSettings): Sample[] {
  return samplesBy('ldes_live_push_limit', {}, 'limit', {
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
  });
}

function nodeHealth({ cluster, cutOffSinceMs }: ServerNode): NodeHealth {
  const { node, role, problems } = cluster;
  return {
    ...{ node, role: role.role },
    ...(role.role === 'follower' && { writer: role.writer.node }),
    ...(cutOffSinceMs !== undefined && { since: new Date(cutOffSinceMs).toISOString() }),
    problems: problems.map(({ code, message }) => ({ code, message })),
  };
}

function* nodeSamples(
  { cluster, isWriter, cutOffSinceMs = Number.POSITIVE_INFINITY }: ServerNode,
  streams: readonly OpenStream[],
  nowMs: number,
): Generator<Sample> {
  yield* samplesOf(
    'ldes_live_cluster_',
    {},
    {
      writer: isWriter ? 1 : 0,
      cut_off_seconds: Math.max(0, nowMs - cutOffSinceMs) / 1000,
    },
  );
  for (const { description } of streams) {
    yield ['ldes_live_cluster_lag_members', { stream: description.name }, cluster.lag(description.name)];
  }
}

function* streamSamples(
  { description, log, commits, health, post }: OpenStream,
  nowMs: number,
  hasSources: boolean,
): Generator<Sample> {
  const labels = { stream: description.name };
  const { cursor, timeMs } = log.head;
  yield* samplesOf('ldes_live_log_', labels, {
    head_sequence: cursor.sequence,
    held_members: cursor.sequence - log.heldFrom + 1,
    entities: log.latest.size,
    commits_total: commits.commits,
    members_total: commits.members,
    last_commit_timestamp_seconds: cursor.sequence === 0 ? undefined : timeMs / 1000,
  });
  // What the writer told of them counts there: sums over nodes would have it several times.
  const sources = hasSources ? health() : [];
  for (const source of sources) yield* sourceSamples({ ...labels, origin: source.origin }, source, nowMs);
  const posts = post()?.stats();
  if (!posts) return;
  const { reading, waiting, members, refused } = posts;
  yield* samplesBy('ldes_live_posts', labels, 'state', { reading, waiting });
  yield* samplesBy('ldes_live_posted_members_total', labels, 'result', members);
  yield* samplesBy('ldes_live_posts_refused_total', labels, 'code', refused);
}

function* sourceSamples(labels: Labels, source: SourceHealth, nowMs: number): Generator<Sample> {
  // A clock that was set back makes nothing younger than new.
  const age = (time: string | undefined) =>
    time === undefined ? undefined : Math.max(0, nowMs - Date.parse(time)) / 1000;
  const { nextUpdateAt } = source;
  yield* samplesOf('ldes_live_source_', labels, {
    age_seconds: age(source.lastGoodAt),
    data_age_seconds: age(source.dataAt),
    next_update_timestamp_seconds: nextUpdateAt === undefined ? undefined : Date.parse(nextUpdateAt) / 1000,
    up: source.state === 'ok' ? 1 : 0,
  });
  yield* samplesBy('ldes_live_source_polls_total', labels, 'result', { ...source.polls });
  yield* samplesBy('ldes_live_source_errors_total', labels, 'code', source.errors);
  yield* samplesBy('ldes_live_source_findings', labels, 'finding', source.findings);
}

function isFailing({ state, lastError }: SourceHealth): boolean {
  return state === 'failing' || (state === 'starting' && lastError !== undefined);
}
