import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SourceHealth } from '@ldes-live/rdf-stream';
import { expect, onTestFinished, test } from 'vitest';
import { REQUEST_KINDS } from '../src/documents/document.ts';
import type { HealthReport } from '../src/index.ts';
import { CommitCounts, ProcessMetrics, RequestCounts, STATUS_CLASSES, WorkerReports } from '../src/metrics.ts';
import { pushSettings } from '../src/options.ts';
import { PushCounters } from '../src/push/counters.ts';
import { ServerNode } from '../src/server-node.ts';
import { Status } from '../src/status.ts';
import type { OpenStreams } from '../src/streams.ts';
import { cutOff, FakeCluster, follower } from './fake-cluster.ts';
import { keptLines } from './kept-lines.ts';
import { type ParsedMetric, parseMetrics } from './parse-metrics.ts';
import { emptyStream, remove, testServer, upsert } from './test-server.ts';

const VERSION = process.version;
const NOW_MS = Date.parse('2026-01-01T00:00:10.250Z');

const GOOD: SourceHealth = {
  origin: 'http://agency.example/vp.pb',
  state: 'ok',
  lastGoodAt: '2026-01-01T00:00:00.000Z',
  dataAt: '2025-12-31T23:59:50.000Z',
  nextUpdateAt: '2026-01-01T00:00:21.500Z',
  lastError: { code: 'ERR_FEED_CUT', message: 'cut', at: '2026-01-01T00:00:00.000Z' },
  polls: { good: 7, bad: 2 },
  errors: { ERR_FEED_CUT: 2 },
  findings: { collision: 1 },
};
const STARTING: SourceHealth = { origin: 'b', state: 'starting', polls: { good: 0, bad: 0 }, errors: {}, findings: {} };

/** What push has of one stream, with numbers that a test sets. */
function pushOf() {
  const counters = new PushCounters();
  const admission = { size: 0, waiting: 0 };
  const connections = () => counters.live + counters.catchingUp;
  return { counters, push: { counters: new Map([['vehicles', counters]]), admission, connections } };
}

/** The status of a server over a log in memory, whose numbers a test sets. */
async function statusOf(limits: Parameters<typeof pushSettings>[0] = {}) {
  const time = { nowMs: NOW_MS };
  const clock = () => time.nowMs;
  const { description, log } = await emptyStream(clock);
  const sources: SourceHealth[] = [];
  const stream = {
    ...{ description, log, health: () => sources, requests: new RequestCounts(), commits: new CommitCounts(log) },
    post: () => ({ stats: () => ({ reading: 1, waiting: 2, members: { stored: 3 }, refused: { ERR_POST_EMPTY: 4 } }) }),
  };
  const workers = new WorkerReports();
  const { counters, push } = pushOf();
  const cluster = new FakeCluster();
  const sleep = () => Promise.resolve();
  const node = new ServerNode(cluster, { logger: keptLines().logger, clock, sleep });
  const streams = {
    node,
    push,
    all: [stream],
    settings: pushSettings(limits),
    workers: { reports: async () => workers },
  };
  const status = new Status(streams as unknown as OpenStreams, new RequestCounts(), clock);
  onTestFinished(() => status.close());
  const read = async () => parseMetrics(String((await status.metrics({ headers: {} })).content));
  const number = async (name: string, labels: Record<string, string> = {}) => sampleOf(await read(), name, labels);
  const health = async () => {
    const { status: code, content } = await status.health({ headers: {} });
    return { code, report: JSON.parse(String(content)) as HealthReport };
  };
  return { status, cluster, log, sources, stream, workers, counters, push, time, read, number, health };
}

function sampleOf(metrics: ReadonlyMap<string, ParsedMetric>, name: string, labels: Record<string, string> = {}) {
  return metrics
    .get(name)
    ?.samples.find((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))?.value;
}

function specified() {
  const file = fileURLToPath(new URL('../../../specs/metrics.md', import.meta.url));
  const rows = readFileSync(file, 'utf8').match(/^\| `\w+` +\| (?:gauge|counter|histogram) .*$/gm) ?? [];
  return rows.map((row) => {
    const [, name = '', type, labels = '', unit, meaning = ''] = row.split('|').map((cell) => cell.trim());
    const help = meaning.replace(/(?<=\.) [A-Z].*/, '');
    return { name: name.slice(1, -1), type, labels: (labels.match(/\w+/g) ?? []).sort(), unit, help };
  });
}

test('PUSH-39 metrics are text of Prometheus that nobody keeps, and labels may have any text', async () => {
  const response = await (await testServer()).get('/metrics');
  expect(response.statusCode).toBe(200);
  expect(response.headers).toMatchObject({
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'cache-control': 'no-store',
  });
  const { sources, read } = await statusOf();
  const origin = 'C:\\feeds\n"x", é {}';
  sources.push({ ...GOOD, origin });
  expect((await read()).get('ldes_live_source_up')?.samples).toEqual([
    { name: 'ldes_live_source_up', labels: { stream: 'vehicles', origin }, value: 1 },
  ]);
});

test('PUSH-40 what is reported and what the table of the specification has are one', async () => {
  const { log, sources, stream, read } = await statusOf();
  await log.append([upsert(1, 1)]);
  sources.push(GOOD);
  stream.requests.add('latest', 200);
  const reported = [...(await read())].map(([name, { type, help, samples }]) => {
    // What the format itself adds to a histogram is no label of the metric.
    const labelsOf = (labels: object) =>
      Object.keys(labels)
        .filter((label) => label !== 'le')
        .sort();
    const labels = labelsOf(samples[0]?.labels ?? {});
    for (const sample of samples) expect(labelsOf(sample.labels)).toEqual(labels);
    return { name, type, labels, help };
  });
  const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
  // It has a value when the first window of 15 s is over.
  const late = 'ldes_live_process_event_loop_delay_seconds';
  const table = specified().filter(({ name }) => name !== late);
  expect(reported.sort(byName)).toEqual(table.map(({ unit: _, ...rest }) => rest).sort(byName));
  // Names say their units, and counters that they count.
  for (const { name, type, unit } of specified()) {
    expect(name.endsWith('_total')).toBe(type === 'counter');
    const base = name.replace(/_total$/, '');
    for (const word of ['seconds', 'bytes']) expect(base.endsWith(`_${word}`), name).toBe(unit === word);
  }
});

test('PUSH-40 push, posts and limits are reported as they are counted and set', async () => {
  const { counters, push, read } = await statusOf({ limitConnections: 77, limitStallMs: 1500 });
  Object.assign(push.admission, { size: 12, waiting: 3 });
  Object.assign(counters, {
    live: 10,
    catchingUp: 2,
    accepted: 20,
    commits: 6,
    deliveries: 60,
    bytes: 6000,
    heartbeats: 7,
  });
  Object.assign(counters, { conflations: 8, gaps: 9, replays: 11, queueBytes: 1234 });
  counters.refused.address = 4;
  counters.closed.slow = 5;
  for (const seconds of [0.004, 0.004, 60]) counters.fannedOut(seconds);
  const metrics = await read();
  const stream = 'vehicles';
  const push_ = (name: string, labels: object = { stream }) =>
    sampleOf(metrics, `ldes_live_push_${name}`, labels as Record<string, string>);
  expect(push_('connections', { stream, state: 'live' })).toBe(10);
  expect(push_('connections', { stream, state: 'behind' })).toBe(2);
  expect([push_('admitted_connections', {}), push_('waiting_accepts', {})]).toEqual([12, 3]);
  expect(push_('refused_total', { stream, reason: 'address' })).toBe(4);
  expect(push_('refused_total', { stream, reason: 'rate' })).toBe(0);
  expect(push_('closed_total', { stream, reason: 'slow' })).toBe(5);
  const totals = ['accepted', 'commits', 'deliveries', 'sent_bytes', 'heartbeats', 'conflations', 'gaps', 'replays'];
  expect(totals.map((name) => push_(`${name}_total`))).toEqual([20, 6, 60, 6000, 7, 8, 9, 11]);
  expect(push_('queue_bytes')).toBe(1234);
  const { samples = [] } = metrics.get('ldes_live_push_fan_out_seconds') ?? {};
  const bucket = (bound: string) => samples.find(({ labels }) => labels.le === bound)?.value;
  expect(['0.0025', '0.005', '10', '+Inf'].map(bucket)).toEqual([0, 2, 2, 3]);
  expect(samples.slice(-2).map(({ value }) => value)).toEqual([60.008, 3]);
  expect(push_('limit', { limit: 'connections' })).toBe(77);
  expect(push_('limit', { limit: 'stall_seconds' })).toBe(1.5);
  expect(push_('limit', { limit: 'queue_bytes' })).toBe(1024 * 1024);
  expect(sampleOf(metrics, 'ldes_live_posts', { stream, state: 'waiting' })).toBe(2);
  expect(sampleOf(metrics, 'ldes_live_posted_members_total', { stream, result: 'stored' })).toBe(3);
  expect(sampleOf(metrics, 'ldes_live_posts_refused_total', { stream, code: 'ERR_POST_EMPTY' })).toBe(4);
});

test('PUSH-40 the log is reported as it stands, and what was published since the start', async () => {
  const { log, stream, time, read } = await statusOf();
  const last = 'ldes_live_log_last_commit_timestamp_seconds';
  expect((await read()).has(last)).toBe(false);
  await log.append([upsert(1, 1), upsert(2, 1)]);
  time.nowMs += 1000;
  await log.append([remove(1)]);
  const metrics = await read();
  const names = ['head_sequence', 'held_members', 'entities', 'commits_total', 'members_total'];
  expect(names.map((name) => sampleOf(metrics, `ldes_live_log_${name}`, { stream: 'vehicles' }))).toEqual([
    3, 3, 1, 2, 3,
  ]);
  expect(sampleOf(metrics, last)).toBe(time.nowMs / 1000);
  stream.commits.close();
  await log.append([upsert(1, 2)]);
  expect(stream.commits.commits).toBe(2);
});

test('a source is reported by its age and that of its data, its next update, its polls and its errors', async () => {
  const { sources, time, number } = await statusOf();
  sources.push(GOOD, STARTING);
  const of =
    (origin: string) =>
    (name: string, labels: object = {}) =>
      number(`ldes_live_source_${name}`, { stream: 'vehicles', origin, ...labels });
  const [good, never] = [of(GOOD.origin), of(STARTING.origin)];
  expect(await good('age_seconds')).toBe(10.25);
  time.nowMs += 5000;
  expect([await good('age_seconds'), await good('data_age_seconds')]).toEqual([15.25, 25.25]);
  expect(await good('next_update_timestamp_seconds')).toBe(Date.UTC(2026, 0, 1, 0, 0, 21, 500) / 1000);
  expect([await good('up'), await never('up')]).toEqual([1, 0]);
  expect([await good('polls_total', { result: 'good' }), await good('polls_total', { result: 'bad' })]).toEqual([7, 2]);
  expect(await good('errors_total', { code: 'ERR_FEED_CUT' })).toBe(2);
  expect(await good('findings', { finding: 'collision' })).toBe(1);
  for (const name of ['age_seconds', 'data_age_seconds', 'next_update_timestamp_seconds']) {
    expect(await never(name)).toBeUndefined();
  }
  // By a clock that was set back, nothing is from the future.
  time.nowMs = 0;
  expect([await good('age_seconds'), await good('data_age_seconds')]).toEqual([0, 0]);
});

test('DOC-17 health is 200 and degraded while a source fails, with since when, and ok when it has recovered', async () => {
  const { sources, health } = await statusOf();
  const failing = { ...GOOD, state: 'failing', failingSince: '2026-01-01T00:00:05.000Z' } as const;
  const never = { ...STARTING, lastError: failing.lastError };
  const seen = [];
  for (const now of [[STARTING], [GOOD], [GOOD, failing], [never], [GOOD, GOOD]]) {
    sources.splice(0, sources.length, ...now);
    const { code, report } = await health();
    expect(report.streams.vehicles?.sources).toEqual(now);
    seen.push(`${code} ${report.status}`);
  }
  expect(seen).toEqual(['200 ok', '200 ok', '200 degraded', '200 degraded', '200 ok']);
});

/** What a worker reports, as it comes from another process. */
async function workerReport(name: string, set: (counters: PushCounters) => void, requests = new RequestCounts()) {
  const { counters, push } = pushOf();
  set(counters);
  push.admission.size = counters.live;
  const metrics = new ProcessMetrics({ name, push, requests: () => [['vehicles', requests]] });
  const report = { connections: { vehicles: counters.live }, metrics: metrics.report() };
  metrics.close();
  return JSON.parse(JSON.stringify(report)) as typeof report;
}

test('what workers report is added up, and the numbers of each process stand apart', async () => {
  const { workers, counters, stream, read, health } = await statusOf();
  const requests = new RequestCounts();
  requests.add('events', 200);
  stream.requests.add('events', 200);
  counters.deliveries = 2;
  counters.fannedOut(0.5);
  workers.reported(
    {},
    await workerReport('worker-1', (one) => Object.assign(one, { live: 10, deliveries: 100 }), requests),
  );
  const second = await workerReport('worker-2', (other) => {
    Object.assign(other, { live: 5, deliveries: 50 });
    other.closed.slow = 1;
    for (const seconds of [0.5, 60]) other.fannedOut(seconds);
  });
  workers.reported({}, second);
  const metrics = await read();
  const stream_ = { stream: 'vehicles' };
  expect(sampleOf(metrics, 'ldes_live_push_connections', { ...stream_, state: 'live' })).toBe(15);
  expect(sampleOf(metrics, 'ldes_live_push_admitted_connections')).toBe(15);
  expect(sampleOf(metrics, 'ldes_live_push_deliveries_total', stream_)).toBe(152);
  expect(sampleOf(metrics, 'ldes_live_push_closed_total', { ...stream_, reason: 'slow' })).toBe(1);
  expect(sampleOf(metrics, 'ldes_live_requests_total', { ...stream_, kind: 'events', status: '2xx' })).toBe(2);
  const { samples = [] } = metrics.get('ldes_live_push_fan_out_seconds') ?? {};
  expect(samples.slice(-2).map(({ value }) => value)).toEqual([61, 3]);
  for (const process of ['main', 'worker-1', 'worker-2']) {
    expect(sampleOf(metrics, 'process_resident_memory_bytes', { process })).toBeGreaterThan(1e7);
    expect(sampleOf(metrics, 'process_start_time_seconds', { process })).toBeLessThan(Date.now() / 1000);
    expect(sampleOf(metrics, 'process_cpu_seconds_total', { process })).toBeGreaterThan(0);
    expect(sampleOf(metrics, 'nodejs_version_info', { process, version: VERSION })).toBe(1);
  }
  expect((await health()).report.streams.vehicles?.pushConnections).toBe(15);
});

test('no counter goes down when a worker is silent, ends, or is replaced', async () => {
  const { workers, read } = await statusOf();
  const [first, second, third] = [{}, {}, {}];
  const report = (name: string, live: number, deliveries: number) =>
    workerReport(name, (counters) => {
      Object.assign(counters, { live, deliveries });
      counters.fannedOut(0.5);
    });
  const totals = async () => {
    const metrics = await read();
    const isTold = metrics.get('process_cpu_seconds_total')?.samples.length;
    const names = ['ldes_live_push_deliveries_total', 'ldes_live_push_admitted_connections'];
    return [...names.map((name) => sampleOf(metrics, name)), isTold];
  };
  expect(await totals()).toEqual([0, 0, 1]);
  workers.reported(first, await report('worker-1', 3, 30));
  expect(await totals()).toEqual([30, 3, 2]);
  workers.reported(first, await report('worker-1', 4, 40));
  workers.reported(second, await report('worker-2', 1, 5));
  expect(await totals()).toEqual([45, 5, 3]);
  workers.ended(first);
  expect(await totals()).toEqual([45, 1, 2]);
  workers.reported(third, await report('worker-3', 2, 1));
  workers.ended(second);
  workers.ended(third);
  // One that ended before it reported anything.
  workers.ended({});
  expect(await totals()).toEqual([46, 0, 1]);
  const { samples = [] } = (await read()).get('ldes_live_push_fan_out_seconds') ?? {};
  expect(samples.at(-2)?.value).toBe(1.5);
});

test('PUSH-41 kinds and classes of status are told apart', () => {
  const counts = new RequestCounts();
  const statuses = {
    '2xx': [200, 204],
    '3xx': [301, 307, 399],
    '304': [304],
    '4xx': [400, 404, 429],
    '5xx': [500, 503],
  };
  for (const [index, kind] of REQUEST_KINDS.entries()) {
    for (const status of Object.values(statuses).flat()) {
      for (let time = 0; time <= index; time += 1) counts.add(kind, status);
    }
  }
  const expected = REQUEST_KINDS.flatMap((kind, index) =>
    STATUS_CLASSES.map((status) => [kind, status, statuses[status].length * (index + 1)]),
  );
  expect([...counts.entries()]).toEqual(expected);
});

test('CLU-26 health tells the role of a node, the writer, since when it is cut off, and what is wrong with it', async () => {
  const { cluster, health, status } = await statusOf();
  const problem = { code: 'ERR_CLOCK', message: 'The clock is an hour off.' };
  const told = async () => {
    const { code, report } = await health();
    return [code, report.status, report.cluster];
  };
  expect(await told()).toEqual([200, 'ok', { node: 'b', role: 'writer', problems: [] }]);
  cluster.become({ role: follower() });
  expect(await told()).toEqual([200, 'ok', { node: 'b', role: 'follower', writer: 'a', problems: [] }]);
  cluster.become({ problems: [problem] });
  expect(await told()).toMatchObject([200, 'degraded', { problems: [problem] }]);
  cluster.become({ role: cutOff(NOW_MS - 5000), problems: [] });
  const since = '2026-01-01T00:00:05.250Z';
  expect(await told()).toEqual([200, 'degraded', { node: 'b', role: 'cut-off', since, problems: [] }]);
  status.isStopping = true;
  expect(await told()).toMatchObject([503, 'stopping', { role: 'cut-off' }]);
});

test('a node that does not write reports no sources, which are those of the writer', async () => {
  const { cluster, sources, read } = await statusOf();
  sources.push(GOOD);
  const names = async () => [...(await read()).keys()].filter((name) => name.startsWith('ldes_live_source_'));
  expect(await names()).not.toEqual([]);
  cluster.become({ role: follower() });
  expect(await names()).toEqual([]);
});

test('metrics tell whether a node writes, for how long it is cut off, and what it lacks', async () => {
  const { cluster, number } = await statusOf();
  const told = async () => [
    await number('ldes_live_cluster_writer'),
    await number('ldes_live_cluster_cut_off_seconds'),
    await number('ldes_live_cluster_lag_members', { stream: 'vehicles' }),
  ];
  expect(await told()).toEqual([1, 0, 0]);
  cluster.become({ role: follower(), lags: { vehicles: 3 } });
  expect(await told()).toEqual([0, 0, 3]);
  cluster.become({ role: cutOff(NOW_MS - 2500) });
  expect(await told()).toEqual([0, 2.5, 3]);
});
