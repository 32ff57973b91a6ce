import { FAN_OUT_BOUNDS_SECONDS } from '../push/counters.ts';

/** What a metric is. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** What it counts or measures; `by label` where the label says so. */
  readonly unit: string;
  readonly labels: readonly string[];
  /** For people, one line. */
  readonly meaning: string;
  /** Upper bounds of the buckets of a histogram. */
  readonly bounds?: readonly number[];
}

/**
 * All metrics, in the order in which they are told. `specs/metrics.md` has the same table.
 *
 * @see specs/metrics.md PUSH-40
 */
const METRICS = {
  ldes_live_push_connections: {
    type: 'gauge',
    unit: 'connections',
    labels: ['stream', 'state'],
    meaning:
      'Open push connections, as of a fifth of the heartbeat ago at most: live ones get commits as they come, those behind are brought up to the newest.',
  },
  ldes_live_push_admitted_connections: {
    type: 'gauge',
    unit: 'connections',
    labels: [],
    meaning: 'Push connections that hold a place, over all streams.',
  },
  ldes_live_push_waiting_accepts: {
    type: 'gauge',
    unit: 'requests',
    labels: [],
    meaning: 'Requests for push that wait for their turn to be accepted.',
  },
  ldes_live_push_accepted_total: {
    type: 'counter',
    unit: 'connections',
    labels: ['stream'],
    meaning: 'Push connections that were opened.',
  },
  ldes_live_push_refused_total: {
    type: 'counter',
    unit: 'requests',
    labels: ['stream', 'reason'],
    meaning: 'Requests for push that were refused, by the limit that they met.',
  },
  ldes_live_push_closed_total: {
    type: 'counter',
    unit: 'connections',
    labels: ['stream', 'reason'],
    meaning: 'Push connections that have ended, by why.',
  },
  ldes_live_push_commits_total: {
    type: 'counter',
    unit: 'commits',
    labels: ['stream'],
    meaning: 'Commits that were sent to connections; each process that sends one counts it.',
  },
  ldes_live_push_deliveries_total: {
    type: 'counter',
    unit: 'events',
    labels: ['stream'],
    meaning: 'Events handed to connections.',
  },
  ldes_live_push_sent_bytes_total: {
    type: 'counter',
    unit: 'bytes',
    labels: ['stream'],
    meaning: 'Bytes handed to connections, as encoded for them.',
  },
  ldes_live_push_heartbeats_total: {
    type: 'counter',
    unit: 'comments',
    labels: ['stream'],
    meaning: 'Comments handed to connections for want of events.',
  },
  ldes_live_push_conflations_total: {
    type: 'counter',
    unit: 'times',
    labels: ['stream'],
    meaning: 'Times that a connection got the newest state in place of the commits that it lacked.',
  },
  ldes_live_push_gaps_total: {
    type: 'counter',
    unit: 'times',
    labels: ['stream'],
    meaning: 'Times that a connection was told that what it lacks is no longer held.',
  },
  ldes_live_push_replays_total: {
    type: 'counter',
    unit: 'connections',
    labels: ['stream'],
    meaning: 'Connections that asked for what came before them: by a cursor other than the newest, or by from=latest.',
  },
  ldes_live_push_queue_bytes: {
    type: 'gauge',
    unit: 'bytes',
    labels: ['stream'],
    meaning:
      'Bytes of events that wait for connections that are behind, for each at most the limit, added up, as of a fifth of the heartbeat ago at most; they are held once for all.',
  },
  ldes_live_push_fan_out_seconds: {
    type: 'histogram',
    unit: 'seconds',
    labels: ['stream'],
    meaning: 'How long a commit takes to be handed to all connections that it concerns.',
    bounds: FAN_OUT_BOUNDS_SECONDS,
  },
  ldes_live_push_limit: {
    type: 'gauge',
    unit: 'by label',
    labels: ['limit'],
    meaning: 'The limits of push as they are set, in the unit that ends the name of each, else a number.',
  },
  ldes_live_log_head_sequence: {
    type: 'gauge',
    unit: 'members',
    labels: ['stream'],
    meaning: 'Sequence number of the newest member: how many were ever published.',
  },
  ldes_live_log_held_members: {
    type: 'gauge',
    unit: 'members',
    labels: ['stream'],
    meaning: 'Members that can still be read in order; retention erases the oldest.',
  },
  ldes_live_log_entities: {
    type: 'gauge',
    unit: 'entities',
    labels: ['stream'],
    meaning: 'Entities that live.',
  },
  ldes_live_log_commits_total: {
    type: 'counter',
    unit: 'commits',
    labels: ['stream'],
    meaning: 'Commits since the start of the server.',
  },
  ldes_live_log_members_total: {
    type: 'counter',
    unit: 'members',
    labels: ['stream'],
    meaning: 'Members that were published since the start of the server.',
  },
  ldes_live_log_last_commit_timestamp_seconds: {
    type: 'gauge',
    unit: 'seconds',
    labels: ['stream'],
    meaning: 'When the newest commit was published, Unix time; absent before there is one.',
  },
  ldes_live_source_age_seconds: {
    type: 'gauge',
    unit: 'seconds',
    labels: ['stream', 'origin'],
    meaning: 'Time since the last good poll of a source; absent before there is one.',
  },
  ldes_live_source_data_age_seconds: {
    type: 'gauge',
    unit: 'seconds',
    labels: ['stream', 'origin'],
    meaning:
      'Time since the newest time that a source stated of its data; absent where it states none, 0 where it is to come.',
  },
  ldes_live_source_next_update_timestamp_seconds: {
    type: 'gauge',
    unit: 'seconds',
    labels: ['stream', 'origin'],
    meaning: 'When the next update of a source is expected to be visible, Unix time; absent where none is planned.',
  },
  ldes_live_source_up: {
    type: 'gauge',
    unit: '0 or 1',
    labels: ['stream', 'origin'],
    meaning: '1 if the last poll of a source was good, else 0.',
  },
  ldes_live_source_polls_total: {
    type: 'counter',
    unit: 'polls',
    labels: ['stream', 'origin', 'result'],
    meaning: 'Polls of a source: good ones brought data or found it unchanged, bad ones brought nothing that counts.',
  },
  ldes_live_source_errors_total: {
    type: 'counter',
    unit: 'errors',
    labels: ['stream', 'origin', 'code'],
    meaning: 'Errors of a source, by code.',
  },
  ldes_live_source_findings: {
    type: 'gauge',
    unit: 'findings',
    labels: ['stream', 'origin', 'finding'],
    meaning: 'What was noticed about the data of the last poll that could be read, by name.',
  },
  ldes_live_posts: {
    type: 'gauge',
    unit: 'requests',
    labels: ['stream', 'state'],
    meaning: 'Posts to a stream that are being read, or wait for their turn.',
  },
  ldes_live_posted_members_total: {
    type: 'counter',
    unit: 'members',
    labels: ['stream', 'result'],
    meaning:
      'Members that were posted: stored ones are new, unchanged ones the state of their entities already, held ones versions that the log has.',
  },
  ldes_live_posts_refused_total: {
    type: 'counter',
    unit: 'requests',
    labels: ['stream', 'code'],
    meaning: 'Posts that were refused or failed, by the code of the error.',
  },
  ldes_live_requests_total: {
    type: 'counter',
    unit: 'requests',
    labels: ['stream', 'kind', 'status'],
    meaning: 'Requests answered, by what was asked for; the stream is empty where it was none, and 304 is not in 3xx.',
  },
  ldes_live_process_start_time_seconds: {
    type: 'gauge',
    unit: 'seconds',
    labels: ['process'],
    meaning: 'When a process of the server started, Unix time.',
  },
  ldes_live_process_resident_memory_bytes: {
    type: 'gauge',
    unit: 'bytes',
    labels: ['process'],
    meaning: 'Resident memory of a process.',
  },
  ldes_live_process_heap_used_bytes: {
    type: 'gauge',
    unit: 'bytes',
    labels: ['process'],
    meaning: 'Heap of JavaScript in use in a process.',
  },
  ldes_live_process_external_memory_bytes: {
    type: 'gauge',
    unit: 'bytes',
    labels: ['process'],
    meaning: 'Memory of a process beside the heap, buffers above all.',
  },
  ldes_live_process_cpu_seconds_total: {
    type: 'counter',
    unit: 'seconds',
    labels: ['process', 'mode'],
    meaning: 'Processor time of a process.',
  },
  ldes_live_process_event_loop_busy_seconds_total: {
    type: 'counter',
    unit: 'seconds',
    labels: ['process'],
    meaning: 'Time in which the event loop of a process had something to do.',
  },
  ldes_live_process_event_loop_delay_seconds: {
    type: 'gauge',
    unit: 'seconds',
    labels: ['process', 'quantile'],
    meaning:
      'How late the event loop of a process was in the last 15 s that are over; quantile 1 is the longest delay.',
  },
} as const satisfies Readonly<Record<`ldes_live_${string}`, Metric>>;

export type MetricName = keyof typeof METRICS;

/** The names of all metrics, in the order of the table. */
export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[];

/** What a metric is. */
export function metricOf(name: MetricName): Metric {
  return METRICS[name];
}
