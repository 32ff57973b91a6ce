/* The numbers of one process, read at a scrape, and those of several added up.
 *
 *   counters of push, requests and commits       plain numbers, kept where they arise: an increment for each
 *     -> report() of each process, at a scrape   in the JSON of prom-client
 *     -> [{ "name": "ldes_live_log_entities", "type": "gauge", "help": "…", "aggregator": "sum",
 *           "values": [{ "labels": { "stream": "vehicles" }, "value": 812 }] }, …]
 *      + what each worker reported last, + what workers counted that have ended
 *     -> added up by name and labels -> text     prom-client
 *
 * The metrics of the process that prom-client offers walk all handles and open files at each scrape, which holds the
 * event loop up (specs/dependencies.md). Those in use are made here, under the same names. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Log } from '@ldes-live/log';
import { AggregatorRegistry, Registry } from 'prom-client';
import { REQUEST_KINDS, type RequestKind } from './documents/document.ts';
import { FAN_OUT_BOUNDS_SECONDS } from './push/counters.ts';
import type { PushEndpoint } from './push/endpoint.ts';

/** Every metric and its meaning, as in specs/metrics.md. What ends in `_total` is a counter. */
const METRICS = `
  ldes_live_push_connections Open push connections, live or catching up.
  ldes_live_push_admitted_connections Push connections that use a slot, over all streams.
  ldes_live_push_waiting_accepts Push requests that wait to be accepted.
  ldes_live_push_accepted_total Push connections that were opened.
  ldes_live_push_refused_total Push requests that were rejected, by the limit that was reached.
  ldes_live_push_closed_total Push connections that ended, by reason.
  ldes_live_push_commits_total Commits that were sent to connections.
  ldes_live_push_deliveries_total Events written to connections.
  ldes_live_push_sent_bytes_total Bytes written to connections, after encoding.
  ldes_live_push_heartbeats_total Heartbeat comments sent to connections.
  ldes_live_push_conflations_total Times that a connection got the newest state instead of commits.
  ldes_live_push_gaps_total Times that commits a connection lacked were no longer available.
  ldes_live_push_replays_total Connections that asked for earlier events.
  ldes_live_push_queue_bytes Bytes of events that wait for slow connections.
  ldes_live_push_fan_out_seconds Time to write a commit to all matching connections.
  ldes_live_push_limit The configured limits of push.
  ldes_live_log_head_sequence Sequence number of the newest member.
  ldes_live_log_held_members Members that can still be read in order.
  ldes_live_log_entities Entities in the latest state.
  ldes_live_log_commits_total Commits since the start of the server.
  ldes_live_log_members_total Members published since the start of the server.
  ldes_live_log_last_commit_timestamp_seconds Unix time of the newest commit.
  ldes_live_source_age_seconds Time since the last good poll of a source.
  ldes_live_source_data_age_seconds Age of the newest data, by the time that the source stated.
  ldes_live_source_next_update_timestamp_seconds Unix time of the next expected update.
  ldes_live_source_up 1 if the last poll of a source was good, else 0.
  ldes_live_source_polls_total Polls of a source.
  ldes_live_source_errors_total Errors of a source, by code.
  ldes_live_source_findings Findings about the data of the last poll, by name.
  ldes_live_posts Posts to a stream that are being read or wait.
  ldes_live_posted_members_total Members that were posted.
  ldes_live_posts_refused_total Posts that were rejected or failed, by error code.
  ldes_live_cluster_writer 1 if this node writes, else 0.
  ldes_live_cluster_cut_off_seconds Time since this node last reached a writer.
  ldes_live_cluster_lag_members Members of the writer that this node does not have yet.
  ldes_live_requests_total Answered requests, by kind of document.
  ldes_live_process_event_loop_busy_seconds_total Time in which the event loop was busy.
  ldes_live_process_event_loop_delay_seconds Delay of the event loop in the last 15 s.
  process_start_time_seconds Unix time of the start of the process.
  process_cpu_user_seconds_total Processor time of the process, outside the kernel.
  process_cpu_system_seconds_total Processor time of the process, in the kernel.
  process_cpu_seconds_total Processor time of the process.
  process_resident_memory_bytes Resident memory of the process.
  nodejs_heap_size_total_bytes JavaScript heap that the process has allocated.
  nodejs_heap_size_used_bytes JavaScript heap in use.
  nodejs_external_memory_bytes Memory outside the heap, mainly buffers.
  nodejs_version_info The version of Node.js that the process runs on.
`;

const HELP = new Map([...METRICS.matchAll(/^ *(\w+) (.*)$/gm)].map(([, name = '', help = '']) => [name, help]));

/** A histogram, which push counts by itself: once for each commit. */
const FAN_OUT = 'ldes_live_push_fan_out_seconds';

/** What is told apart of the answers: 304 is what a poller gets that has the newest state already. */
export const STATUS_CLASSES = ['2xx', '3xx', '304', '4xx', '5xx'] as const;

const FIRST_OF_KIND = Object.fromEntries(
  REQUEST_KINDS.map((kind, index) => [kind, index * STATUS_CLASSES.length]),
) as Readonly<Record<RequestKind, number>>;

/** Counts the requests of a stream, or of what is beside the streams, by kind and status: an increment for each. */
export class RequestCounts {
  readonly #counts = new Float64Array(REQUEST_KINDS.length * STATUS_CLASSES.length);

  /**
   * Counts an answer.
   *
   * @param status - of HTTP, 200 to 599
   * @see specs/metrics.md PUSH-41
   */
  add(kind: RequestKind, status: number): void {
    (this.#counts[FIRST_OF_KIND[kind] + classOf(status)] as number) += 1;
  }

  /** Those that came up. */
  *entries(): Generator<[kind: RequestKind, status: (typeof STATUS_CLASSES)[number], count: number]> {
    for (const kind of REQUEST_KINDS) {
      for (const [index, status] of STATUS_CLASSES.entries()) {
        const count = this.#counts[FIRST_OF_KIND[kind] + index] as number;
        if (count > 0) yield [kind, status, count];
      }
    }
  }
}

function classOf(status: number): number {
  if (status === 304) return 2;
  if (status < 300) return 0;
  if (status < 400) return 1;
  return status < 500 ? 3 : 4;
}

/** What is published on a stream from now on. */
export class CommitCounts {
  commits = 0;
  members = 0;
  /** Counts no more. */
  readonly close: () => void;

  constructor(log: Pick<Log, 'subscribe'>) {
    this.close = log.subscribe(({ members }) => {
      this.commits += 1;
      this.members += members.length;
    });
  }
}

/** What is read of the push of one process. */
type MeasuredPush = Pick<PushEndpoint, 'counters' | 'connections'> & {
  readonly admission: Pick<PushEndpoint['admission'], 'size' | 'waiting'>;
};

export type Labels = Readonly<Record<string, string>>;

/** One number; `part` is what follows the name of a histogram. What is `undefined` is left out. */
export type Sample = readonly [name: string, labels: Labels, value: number | undefined, part?: string];

/** A metric of one process, as prom-client takes it to add it up. */
export interface ReportedMetric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly aggregator: 'sum';
  readonly values: readonly { readonly labels: Labels; readonly value: number; readonly metricName?: string }[];
}

/** What a worker reports. */
export interface WorkerReport {
  /** Open push connections, by the name of the stream. */
  readonly connections: Readonly<Record<string, number>>;
  readonly metrics: readonly ReportedMetric[];
}

/** What counts in each process of a server. */
export interface ProcessMetricsOptions {
  /** Tells the process from the others of the server: `main`, or of workers `worker-1` and so on. */
  readonly name: string;
  readonly push: MeasuredPush;
  /** By the name of the stream, or by an empty one for what is beside the streams. */
  readonly requests: () => Iterable<readonly [stream: string, counts: RequestCounts]>;
  /** What there is besides in the process that has the logs. */
  readonly more?: (() => Iterable<Sample>) | undefined;
}

/** The metrics of one process: its push, the requests that it answered, and the process itself. */
export class ProcessMetrics {
  readonly #options: ProcessMetricsOptions;
  readonly #loop = new LoopWatch();

  constructor(options: ProcessMetricsOptions) {
    this.#options = options;
  }

  /** All that has a value, as of now. */
  report(): readonly ReportedMetric[] {
    const { name, push, requests, more } = this.#options;
    const own = [...pushSamples(push), ...requestSamples(requests()), ...processSamples(name, this.#loop.delaySeconds)];
    const byName = new Map<string, ReportedMetric['values'][number][]>();
    for (const [metric, labels, value, part] of more ? [...own, ...more()] : own) {
      if (value === undefined) continue;
      const values = byName.get(metric) ?? [];
      byName.set(metric, values);
      values.push(part === undefined ? { labels, value } : { labels, value, metricName: `${metric}_${part}` });
    }
    return [...HELP].flatMap(([metric, help]): ReportedMetric[] => {
      const values = byName.get(metric);
      return values ? [{ name: metric, type: typeOf(metric), help, aggregator: 'sum', values }] : [];
    });
  }

  close(): void {
    this.#loop.close();
  }
}

function typeOf(metric: string): ReportedMetric['type'] {
  if (metric === FAN_OUT) return 'histogram';
  return metric.endsWith('_total') ? 'counter' : 'gauge';
}

/** A sample for each of some numbers, by the end of its metric's name. */
export function samplesOf(
  prefix: string,
  labels: Labels,
  values: Readonly<Record<string, number | undefined>>,
): Sample[] {
  return Object.entries(values).map(([name, value]) => [`${prefix}${name}`, labels, value]);
}

/** A sample of one metric for each of some counts, by a label of its own. */
export function samplesBy(
  name: string,
  labels: Labels,
  label: string,
  counts: Readonly<Record<string, number>>,
): Sample[] {
  return Object.entries(counts).map(([key, count]) => [name, { ...labels, [label]: key }, count]);
}

function* pushSamples({ counters, admission }: MeasuredPush): Generator<Sample> {
  const { size: admitted_connections, waiting: waiting_accepts } = admission;
  yield* samplesOf('ldes_live_push_', {}, { admitted_connections, waiting_accepts });
  for (const [stream, own] of counters) {
    const labels = { stream };
    yield* samplesBy('ldes_live_push_connections', labels, 'state', { live: own.live, behind: own.catchingUp });
    yield* samplesBy('ldes_live_push_refused_total', labels, 'reason', own.refused);
    yield* samplesBy('ldes_live_push_closed_total', labels, 'reason', own.closed);
    yield* samplesOf('ldes_live_push_', labels, {
      accepted_total: own.accepted,
      commits_total: own.commits,
      deliveries_total: own.deliveries,
      sent_bytes_total: own.bytes,
      heartbeats_total: own.heartbeats,
      conflations_total: own.conflations,
      gaps_total: own.gaps,
      replays_total: own.replays,
      queue_bytes: own.queueBytes,
    });
    let count = 0;
    for (const [index, inBucket] of own.fanOutCounts.entries()) {
      count += inBucket;
      yield [FAN_OUT, { le: String(FAN_OUT_BOUNDS_SECONDS[index] ?? '+Inf'), stream }, count, 'bucket'];
    }
    yield [FAN_OUT, labels, own.fanOutSeconds, 'sum'];
    yield [FAN_OUT, labels, count, 'count'];
  }
}

function* requestSamples(requests: Iterable<readonly [stream: string, counts: RequestCounts]>): Generator<Sample> {
  for (const [stream, counts] of requests) {
    for (const [kind, status, count] of counts.entries()) {
      yield ['ldes_live_requests_total', { stream, kind, status }, count];
    }
  }
}

function processSamples(name: string, delaySeconds: Readonly<Record<string, number>>): Sample[] {
  const labels = { process: name };
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const numbers = {
    ldes_live_process_event_loop_busy_seconds_total: performance.eventLoopUtilization().active / 1000,
    process_start_time_seconds: performance.timeOrigin / 1000,
    process_cpu_user_seconds_total: user / 1e6,
    process_cpu_system_seconds_total: system / 1e6,
    process_cpu_seconds_total: (user + system) / 1e6,
    process_resident_memory_bytes: rss,
    nodejs_heap_size_total_bytes: heapTotal,
    nodejs_heap_size_used_bytes: heapUsed,
    nodejs_external_memory_bytes: external,
  };
  return [
    ...samplesOf('', labels, numbers),
    ...samplesBy('ldes_live_process_event_loop_delay_seconds', labels, 'quantile', delaySeconds),
    ['nodejs_version_info', { ...labels, version: process.version }, 1],
  ];
}

/** Over how long delays of the event loop are taken together, milliseconds. */
export const DELAY_WINDOW_MS = 15_000;

/** How often the event loop is asked how late it is, milliseconds. */
const RESOLUTION_MS = 20;

/** How late the event loop of this process is, in windows of its own: it does not matter who reads, and how often. */
class LoopWatch {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #window: NodeJS.Timeout;
  /** Of the last window that is over, by quantile; empty before one is. */
  delaySeconds: Readonly<Record<string, number>> = {};

  constructor() {
    this.#delays.enable();
    // What is measured is the time from one question to the next, of which the resolution is no delay.
    const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
    this.#window = setInterval(() => {
      const delays = this.#delays;
      const [p50, p99, max] = [delays.percentile(50), delays.percentile(99), delays.max].map(seconds);
      this.delaySeconds = { '0.5': p50 as number, '0.99': p99 as number, '1': max as number };
      delays.reset();
    }, DELAY_WINDOW_MS).unref();
  }

  close(): void {
    clearInterval(this.#window);
    this.#delays.disable();
  }
}

/**
 * What the workers of a server have reported, so that no counter goes down: of one that does not answer the last report
 * stands, and of one that has ended what it had counted. Who reads counters takes a lower one for a new start.
 *
 * @see specs/metrics.md
 */
export class WorkerReports {
  readonly #reports = new Map<object, WorkerReport>();
  #ended: readonly object[] = [];

  /** Takes the report of a worker. */
  reported(worker: object, report: WorkerReport): void {
    this.#reports.set(worker, report);
  }

  /** A worker has ended, and reports no more. */
  ended(worker: object): void {
    const counters = this.#reports.get(worker)?.metrics.filter(({ type }) => type !== 'gauge') ?? [];
    this.#reports.delete(worker);
    const ofServer = counters
      .map((metric) => ({ ...metric, values: metric.values.filter(({ labels }) => labels.process === undefined) }))
      .filter(({ values }) => values.length > 0);
    this.#ended = AggregatorRegistry.aggregate([this.#ended, ofServer]).getMetricsAsArray();
  }

  /** A list for each worker, and one for those that have ended. */
  get metrics(): readonly (readonly object[])[] {
    return [this.#ended, ...[...this.#reports.values()].map(({ metrics }) => metrics)];
  }

  /** Open push connections of all workers. */
  connections(stream: string): number {
    return [...this.#reports.values()].reduce((sum, { connections }) => sum + (connections[stream] ?? 0), 0);
  }
}

/**
 * Adds up what processes report, as text of Prometheus.
 *
 * @see specs/metrics.md PUSH-39
 */
export function metricsText(reports: readonly (readonly object[])[]): Promise<string> {
  return AggregatorRegistry.aggregate(reports as object[]).metrics();
}

/** Media type of {@link metricsText}. */
export const METRICS_MEDIA_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
