/* The numbers of one process, read at a scrape, and those of several added up.
 *
 *   counters of push, requests and commits       plain numbers, kept where they arise: an increment for each
 *     -> collect() of each metric, at a scrape   prom-client, one registry for each process of a server
 *     -> [{ "name": "ldes_live_log_entities", "type": "gauge", "help": "…", "aggregator": "sum",
 *           "values": [{ "labels": { "stream": "vehicles" }, "value": 812 }] }, …]
 *      + what each worker reported last, + what workers counted that have ended
 *     -> added up by name and labels -> text
 *
 * The metrics of the process that prom-client offers walk all handles and open files at each scrape, which holds the
 * event loop up (specs/dependencies.md). Those in use are made here, under the same names. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Log } from '@ldes-live/log';
import { AggregatorRegistry, Counter, Gauge, type Metric, Registry } from 'prom-client';
import { REQUEST_KINDS, type RequestKind } from './documents/document.ts';
import { FAN_OUT_BOUNDS_SECONDS, type PushCounters } from './push/stream-push.ts';

/** Every metric, with its labels and its meaning, as in specs/metrics.md. What ends in `_total` only grows. */
const METRICS = `
  ldes_live_push_connections{stream,state} Open push connections, live or behind.
  ldes_live_push_admitted_connections Push connections that hold a place, over all streams.
  ldes_live_push_waiting_accepts Requests for push that wait for their turn to be accepted.
  ldes_live_push_accepted_total{stream} Push connections that were opened.
  ldes_live_push_refused_total{stream,reason} Requests for push that were refused, by the limit that they met.
  ldes_live_push_closed_total{stream,reason} Push connections that have ended, by why.
  ldes_live_push_commits_total{stream} Commits that were sent to connections.
  ldes_live_push_deliveries_total{stream} Events handed to connections.
  ldes_live_push_sent_bytes_total{stream} Bytes handed to connections, as encoded for them.
  ldes_live_push_heartbeats_total{stream} Comments handed to connections for want of events.
  ldes_live_push_conflations_total{stream} Times that a connection got the newest state in place of commits.
  ldes_live_push_gaps_total{stream} Times that what a connection lacked was no longer held.
  ldes_live_push_replays_total{stream} Connections that asked for what came before them.
  ldes_live_push_queue_bytes{stream} Bytes of events that wait for connections that are behind.
  ldes_live_push_fan_out_seconds{stream} How long a commit takes to be handed to all that it concerns.
  ldes_live_push_limit{limit} The limits of push as they are set.
  ldes_live_log_head_sequence{stream} Sequence number of the newest member.
  ldes_live_log_held_members{stream} Members that can still be read in order.
  ldes_live_log_entities{stream} Entities that live.
  ldes_live_log_commits_total{stream} Commits since the start of the server.
  ldes_live_log_members_total{stream} Members that were published since the start of the server.
  ldes_live_log_last_commit_timestamp_seconds{stream} When the newest commit was published, Unix time.
  ldes_live_source_age_seconds{stream,origin} Time since the last good poll of a source.
  ldes_live_source_data_age_seconds{stream,origin} Time since the newest time that a source stated of its data.
  ldes_live_source_next_update_timestamp_seconds{stream,origin} When the next update is expected, Unix time.
  ldes_live_source_up{stream,origin} 1 if the last poll of a source was good, else 0.
  ldes_live_source_polls_total{stream,origin,result} Polls of a source.
  ldes_live_source_errors_total{stream,origin,code} Errors of a source, by code.
  ldes_live_source_findings{stream,origin,finding} What was noticed about the data of the last poll, by name.
  ldes_live_posts{stream,state} Posts to a stream that are being read, or wait for their turn.
  ldes_live_posted_members_total{stream,result} Members that were posted.
  ldes_live_posts_refused_total{stream,code} Posts that were refused or failed, by the code of the error.
  ldes_live_requests_total{stream,kind,status} Requests answered, by what was asked for.
  ldes_live_process_event_loop_busy_seconds_total{process} Time in which the event loop had something to do.
  ldes_live_process_event_loop_delay_seconds{process,quantile} How late the event loop was in the last 15 s.
  process_start_time_seconds{process} When the process started, Unix time.
  process_cpu_user_seconds_total{process} Processor time of the process, outside the kernel.
  process_cpu_system_seconds_total{process} Processor time of the process, in the kernel.
  process_cpu_seconds_total{process} Processor time of the process.
  process_resident_memory_bytes{process} Resident memory of the process.
  nodejs_heap_size_total_bytes{process} Heap of JavaScript that the process holds.
  nodejs_heap_size_used_bytes{process} Heap of JavaScript that is in use.
  nodejs_external_memory_bytes{process} Memory beside the heap, buffers above all.
  nodejs_version_info{process,version} The version of Node.js that the process runs on.
`;

const DESCRIPTIONS = new Map(
  [...METRICS.matchAll(/^ *(\w+)(?:\{(.*)\})? (.*)$/gm)].map(([, name = '', labels, help = '']) => [
    name,
    { name, labelNames: labels?.split(',') ?? [], help },
  ]),
);

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
export interface MeasuredPush {
  /** What it has done, by the name of the stream. */
  readonly counters: ReadonlyMap<string, PushCounters>;
  /** Who has a place, and who waits for one. */
  readonly admission: { readonly size: number; readonly waiting: number };
  /** Open connections of a stream. */
  connections(stream: string): number;
}

export type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number | undefined];

/** A metric of one process, as prom-client gives it out for another process. */
export interface ReportedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
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
}

/** The metrics of one process: its push, the requests that it answered, and the process itself. */
export class ProcessMetrics {
  readonly #registry = new Registry();
  readonly #loop = new LoopWatch();

  constructor({ name, push, requests }: ProcessMetricsOptions) {
    this.#addPush(push);
    this.add('ldes_live_requests_total', () =>
      [...requests()].flatMap(([stream, counts]) =>
        [...counts.entries()].map(([kind, status, count]): Sample => [{ stream, kind, status }, count]),
      ),
    );
    this.#addProcess(name);
  }

  /** Adds a metric of the table, which is read at each scrape; a value that is `undefined` is left out. */
  add(name: string, samples: () => readonly Sample[]): void {
    const description = DESCRIPTIONS.get(name) as NonNullable<ReturnType<(typeof DESCRIPTIONS)['get']>>;
    const configuration = { ...description, registers: [this.#registry] };
    const known = () => samples().flatMap(([labels, value]) => (value === undefined ? [] : [{ labels, value }]));
    if (name.endsWith('_total')) {
      const collect = () => {
        // A counter cannot be set.
        counter.reset();
        for (const { labels, value } of known()) counter.inc(labels, value);
      };
      const counter = new Counter({ ...configuration, collect });
    } else {
      const collect = () => {
        gauge.reset();
        for (const { labels, value } of known()) gauge.set(labels, value);
      };
      const gauge = new Gauge({ ...configuration, collect });
    }
  }

  /** All that has a value, as of now. */
  async report(): Promise<readonly ReportedMetric[]> {
    const metrics = (await this.#registry.getMetricsAsJSON()) as unknown as readonly ReportedMetric[];
    return metrics.filter(({ values }) => values.length > 0);
  }

  close(): void {
    this.#loop.close();
  }

  /** Streams come and go while it runs. */
  #addPush(push: MeasuredPush): void {
    const { admission } = push;
    const each = (name: string, value: (own: PushCounters) => number) =>
      this.add(name, () => [...push.counters].map(([stream, own]) => [{ stream }, value(own)]));
    const eachBy = (name: string, label: string, counts: (own: PushCounters) => Readonly<Record<string, number>>) =>
      this.add(name, () => [...push.counters].flatMap(([stream, own]) => samplesBy({ stream }, label, counts(own))));
    eachBy('ldes_live_push_connections', 'state', ({ live, catchingUp }) => ({ live, behind: catchingUp }));
    this.add('ldes_live_push_admitted_connections', () => [[{}, admission.size]]);
    this.add('ldes_live_push_waiting_accepts', () => [[{}, admission.waiting]]);
    each('ldes_live_push_accepted_total', ({ accepted }) => accepted);
    eachBy('ldes_live_push_refused_total', 'reason', ({ refused }) => refused);
    eachBy('ldes_live_push_closed_total', 'reason', ({ closed }) => closed);
    each('ldes_live_push_commits_total', ({ commits }) => commits);
    each('ldes_live_push_deliveries_total', ({ deliveries }) => deliveries);
    each('ldes_live_push_sent_bytes_total', ({ bytes }) => bytes);
    each('ldes_live_push_heartbeats_total', ({ heartbeats }) => heartbeats);
    each('ldes_live_push_conflations_total', ({ conflations }) => conflations);
    each('ldes_live_push_gaps_total', ({ gaps }) => gaps);
    each('ldes_live_push_replays_total', ({ replays }) => replays);
    each('ldes_live_push_queue_bytes', ({ queueBytes }) => queueBytes);
    const { name, help } = DESCRIPTIONS.get('ldes_live_push_fan_out_seconds') as { name: string; help: string };
    const values = () => [...push.counters].flatMap(([stream, own]) => fanOutValues(name, stream, own));
    // A histogram that push counts by itself, once for each commit: one of prom-client can only observe.
    const fanOut = { name, get: async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: values() }) };
    this.#registry.registerMetric(fanOut as unknown as Metric);
  }

  #addProcess(name: string): void {
    const one = (metric: string, value: () => number) => this.add(metric, () => [[{ process: name }, value()]]);
    one('ldes_live_process_event_loop_busy_seconds_total', () => performance.eventLoopUtilization().active / 1000);
    this.add('ldes_live_process_event_loop_delay_seconds', () =>
      samplesBy({ process: name }, 'quantile', this.#loop.delaySeconds),
    );
    one('process_start_time_seconds', () => performance.timeOrigin / 1000);
    one('process_cpu_user_seconds_total', () => process.cpuUsage().user / 1e6);
    one('process_cpu_system_seconds_total', () => process.cpuUsage().system / 1e6);
    one('process_cpu_seconds_total', () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6);
    one('process_resident_memory_bytes', () => process.memoryUsage.rss());
    one('nodejs_heap_size_total_bytes', () => process.memoryUsage().heapTotal);
    one('nodejs_heap_size_used_bytes', () => process.memoryUsage().heapUsed);
    one('nodejs_external_memory_bytes', () => process.memoryUsage().external);
    this.add('nodejs_version_info', () => [[{ process: name, version: process.version }, 1]]);
  }
}

/** A sample for each of some counts, by a label of its own. */
export function samplesBy(labels: Labels, label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([name, count]) => [{ ...labels, [label]: name }, count]);
}

function fanOutValues(metric: string, stream: string, { fanOutCounts, fanOutSeconds }: PushCounters) {
  let count = 0;
  const buckets = fanOutCounts.map((inBucket, index) => {
    count += inBucket;
    return {
      metricName: `${metric}_bucket`,
      labels: { le: FAN_OUT_BOUNDS_SECONDS[index] ?? '+Inf', stream },
      value: count,
    };
  });
  return [
    ...buckets,
    { metricName: `${metric}_sum`, labels: { stream }, value: fanOutSeconds },
    { metricName: `${metric}_count`, labels: { stream }, value: count },
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
 * @see specs/metrics.md PUSH-42
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
 * @see specs/metrics.md PUSH-39, PUSH-43
 */
export function metricsText(reports: readonly (readonly object[])[]): Promise<string> {
  return AggregatorRegistry.aggregate(reports as object[]).metrics();
}

/** Media type of {@link metricsText}. */
export const METRICS_MEDIA_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
