import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SourceHealth } from '@ldes-live/rdf-stream';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { hashToken, WorkTurns } from '../src/ingest/admission.ts';
import { type PostEndpoint, postEndpoints } from '../src/ingest/endpoint.ts';
import { CommitCounts } from '../src/metrics/commit-counts.ts';
import { METRIC_NAMES, metricOf } from '../src/metrics/metric-table.ts';
import type { ProcessFacts } from '../src/metrics/process-facts.ts';
import { RequestCounts } from '../src/metrics/request-counts.ts';
import { pushSettings } from '../src/options.ts';
import { publishedStream } from '../src/published-stream.ts';
import { PushCounters } from '../src/push/counters.ts';
import { createMetrics, type MetricsContext } from '../src/routes/metrics-route.ts';
import { type ParsedMetric, parseMetrics } from './parse-metrics.ts';
import { emptyStream, remove, testServer, upsert } from './test-server.ts';

const FACTS: ProcessFacts = {
  name: 'main',
  startedAtMs: 1_700_000_000_000,
  residentBytes: 80_000_000,
  heapUsedBytes: 30_000_000,
  externalBytes: 5_000_000,
  cpuSeconds: { user: 1.5, system: 0.25 },
  loopBusySeconds: 1.25,
  loopDelaySeconds: { p50: 0, p99: 0.001, longest: 0.2 },
};

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

type Parts = Partial<MetricsContext> & { readonly admission?: { readonly size: number; readonly waiting: number } };

/** The route over a log in memory, whose numbers a test sets. */
async function metricsServer({ admission = { size: 0, waiting: 0 }, ...more }: Parts = {}) {
  const time = { nowMs: Date.parse('2026-01-01T00:00:10.250Z') };
  const clock = () => time.nowMs;
  const live = await emptyStream(clock);
  const posts = await postEndpoints([{ ...live, ingest: { tokenHashes: [hashToken('token')] } }], {
    clock,
    sleep: () => new Promise(() => undefined),
    random: () => 0.5,
    log: { error: () => undefined, warn: () => undefined },
    turns: new WorkTurns(() => 0),
  });
  const post = posts.get('vehicles') as PostEndpoint;
  const stream = { ...publishedStream(live), post };
  const tally = new PushCounters();
  const metrics = createMetrics({
    requests: new RequestCounts(),
    streams: [stream],
    push: { counters: new Map([['vehicles', tally]]), admission },
    settings: pushSettings(),
    clock,
    ...more,
  });
  const read = async () => ({ metrics: parseMetrics(await metrics.text()) });
  const number = async (name: string, labels: Record<string, string> = {}) =>
    sampleOf((await read()).metrics, name, labels);
  return { log: live.log, sources: live.sources(), stream, post, tally, time, read, number };
}

function sampleOf(metrics: ReadonlyMap<string, ParsedMetric>, name: string, labels: Record<string, string> = {}) {
  return metrics
    .get(name)
    ?.samples.find((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))?.value;
}

test('PUSH-39 metrics are text of Prometheus that is not kept', async () => {
  const response = await (await testServer()).get('/metrics');
  expect(response.statusCode).toBe(200);
  expect(response.headers).toMatchObject({
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'cache-control': 'no-store',
  });
});

test('PUSH-40 what is told and what the table of the specification says are one', async () => {
  const server = await metricsServer({ admission: { size: 1, waiting: 0 }, processFacts: () => FACTS });
  await server.log.append([upsert(1, 1)]);
  server.sources.push(GOOD);
  server.stream.requests.add('latest', 200);
  const app = Fastify().post('/', async ({ raw }, reply) => server.post.answer(raw, reply.hijack().raw));
  await app.inject({ method: 'POST', url: '/' });
  const { metrics } = await server.read();
  const told = [...metrics].map(([name, { type, help, samples }]) => {
    // What the format itself adds to a histogram is no label of the metric.
    const labels = Object.keys(samples[0]?.labels ?? {}).filter((label) => label !== 'le');
    for (const sample of samples.filter((one) => one.name === name)) expect(Object.keys(sample.labels)).toEqual(labels);
    return { name, type, labels, meaning: help };
  });
  const documented = specified();
  expect(told).toEqual(documented.map(({ unit: _, ...rest }) => rest));
  expect(METRIC_NAMES.map((name) => ({ name, ...metricOf(name) }))).toMatchObject(documented);
});

test('PUSH-40 names say their units, and counters that they count', () => {
  for (const { name, type, unit } of specified()) {
    expect(name.endsWith('_total')).toBe(type === 'counter');
    const base = name.replace(/_total$/, '');
    for (const base_unit of ['seconds', 'bytes']) expect(base.endsWith(`_${base_unit}`), name).toBe(unit === base_unit);
  }
});

function specified() {
  const file = fileURLToPath(new URL('../../../specs/metrics.md', import.meta.url));
  const rows = readFileSync(file, 'utf8').match(/^\| `ldes_live_.*$/gm) ?? [];
  return rows.map((row) => {
    const [, name = '', type, labels = '', unit, meaning] = row.split('|').map((cell) => cell.trim());
    return { name: name.slice(1, -1), type, labels: labels.match(/\w+/g) ?? [], unit, meaning };
  });
}

test('PUSH-40 push is told as it was counted', async () => {
  const { tally, number } = await metricsServer({ admission: { size: 12, waiting: 3 } });
  tally.live = 10;
  tally.catchingUp = 2;
  tally.accepted = 20;
  tally.refused.address = 4;
  tally.closed.slow = 5;
  tally.commits = 6;
  tally.deliveries = 60;
  tally.bytes = 6000;
  tally.heartbeats = 7;
  tally.conflations = 8;
  tally.gaps = 9;
  tally.replays = 11;
  tally.queueBytes = 1234;
  tally.fannedOut(0.004);
  const stream = 'vehicles';
  expect(await number('ldes_live_push_connections', { stream, state: 'live' })).toBe(10);
  expect(await number('ldes_live_push_connections', { stream, state: 'behind' })).toBe(2);
  expect(await number('ldes_live_push_admitted_connections')).toBe(12);
  expect(await number('ldes_live_push_waiting_accepts')).toBe(3);
  expect(await number('ldes_live_push_accepted_total', { stream })).toBe(20);
  expect(await number('ldes_live_push_refused_total', { stream, reason: 'address' })).toBe(4);
  expect(await number('ldes_live_push_refused_total', { stream, reason: 'rate' })).toBe(0);
  expect(await number('ldes_live_push_closed_total', { stream, reason: 'slow' })).toBe(5);
  expect(await number('ldes_live_push_commits_total', { stream })).toBe(6);
  expect(await number('ldes_live_push_deliveries_total', { stream })).toBe(60);
  expect(await number('ldes_live_push_sent_bytes_total', { stream })).toBe(6000);
  expect(await number('ldes_live_push_heartbeats_total', { stream })).toBe(7);
  expect(await number('ldes_live_push_conflations_total', { stream })).toBe(8);
  expect(await number('ldes_live_push_gaps_total', { stream })).toBe(9);
  expect(await number('ldes_live_push_replays_total', { stream })).toBe(11);
  expect(await number('ldes_live_push_queue_bytes', { stream })).toBe(1234);
  expect(await number('ldes_live_push_fan_out_seconds', { stream, le: '0.0025' })).toBe(0);
  expect(await number('ldes_live_push_fan_out_seconds', { stream, le: '0.005' })).toBe(1);
});

test('PUSH-40 the limits are told as they are set', async () => {
  const { number } = await metricsServer({ settings: pushSettings({ limitConnections: 77, limitStallMs: 1500 }) });
  expect(await number('ldes_live_push_limit', { limit: 'connections' })).toBe(77);
  expect(await number('ldes_live_push_limit', { limit: 'stall_seconds' })).toBe(1.5);
  expect(await number('ldes_live_push_limit', { limit: 'queue_bytes' })).toBe(1024 * 1024);
});

test('PUSH-40 the log is told as it stands, and what was published since the start', async () => {
  const { log, time, number, read } = await metricsServer();
  expect((await read()).metrics.has('ldes_live_log_last_commit_timestamp_seconds')).toBe(false);
  await log.append([upsert(1, 1), upsert(2, 1)]);
  time.nowMs += 1000;
  await log.append([remove(1)]);
  const stream = 'vehicles';
  expect(await number('ldes_live_log_head_sequence', { stream })).toBe(3);
  expect(await number('ldes_live_log_held_members', { stream })).toBe(3);
  expect(await number('ldes_live_log_entities', { stream })).toBe(1);
  expect(await number('ldes_live_log_commits_total', { stream })).toBe(2);
  expect(await number('ldes_live_log_members_total', { stream })).toBe(3);
  expect(await number('ldes_live_log_last_commit_timestamp_seconds', { stream })).toBe(time.nowMs / 1000);
});

test('PUSH-45 a source is told by its age and that of its data, its next update, its polls and its errors', async () => {
  const { sources, time, number, read } = await metricsServer();
  const {
    lastGoodAt: _,
    dataAt: __,
    nextUpdateAt: ___,
    ...starting
  } = { ...GOOD, origin: 'http://agency.example/tu.pb', state: 'starting' } as const;
  sources.push(GOOD, starting);
  const good = { stream: 'vehicles', origin: GOOD.origin };
  expect(await number('ldes_live_source_age_seconds', good)).toBe(10.25);
  time.nowMs += 5000;
  expect(await number('ldes_live_source_age_seconds', good)).toBe(15.25);
  expect(await number('ldes_live_source_data_age_seconds', good)).toBe(25.25);
  expect(await number('ldes_live_source_next_update_timestamp_seconds', good)).toBe(
    Date.UTC(2026, 0, 1, 0, 0, 21, 500) / 1000,
  );
  expect(await number('ldes_live_source_up', good)).toBe(1);
  expect(await number('ldes_live_source_polls_total', { ...good, result: 'good' })).toBe(7);
  expect(await number('ldes_live_source_polls_total', { ...good, result: 'bad' })).toBe(2);
  expect(await number('ldes_live_source_errors_total', { ...good, code: 'ERR_FEED_CUT' })).toBe(2);
  expect(await number('ldes_live_source_findings', { ...good, finding: 'collision' })).toBe(1);
  const never = { ...good, origin: starting.origin };
  expect(await number('ldes_live_source_up', never)).toBe(0);
  for (const name of ['age_seconds', 'data_age_seconds', 'next_update_timestamp_seconds']) {
    expect(sampleOf((await read()).metrics, `ldes_live_source_${name}`, never)).toBeUndefined();
  }
  // By a clock that was set back, nothing is from the future.
  time.nowMs = 0;
  expect(await number('ldes_live_source_age_seconds', good)).toBe(0);
  expect(await number('ldes_live_source_data_age_seconds', good)).toBe(0);
});

test('PUSH-43 what other processes tell is added', async () => {
  const { tally, number } = await metricsServer({
    processFacts: () => FACTS,
    others: async () => ({
      ldes_live_push_deliveries_total: [{ labels: { stream: 'vehicles' }, value: 40 }],
      ldes_live_process_resident_memory_bytes: [{ labels: { process: 'worker-1' }, value: 5 }],
    }),
  });
  tally.deliveries = 2;
  expect(await number('ldes_live_push_deliveries_total', { stream: 'vehicles' })).toBe(42);
  expect(await number('ldes_live_process_resident_memory_bytes', { process: 'worker-1' })).toBe(5);
  expect(await number('ldes_live_process_resident_memory_bytes', { process: 'main' })).toBe(80_000_000);
  expect(await number('ldes_live_process_cpu_seconds_total', { process: 'main', mode: 'system' })).toBe(0.25);
  expect(await number('ldes_live_process_event_loop_delay_seconds', { quantile: '1' })).toBe(0.2);
});

test('a log is let go of when nothing is counted any more', async () => {
  const { log, stream } = await metricsServer();
  const counts = new CommitCounts([stream]);
  await log.append([upsert(1, 1), upsert(2, 1)]);
  counts.close();
  await log.append([upsert(1, 2)]);
  expect(counts.of('vehicles')).toEqual({ commits: 1, members: 2 });
  expect(counts.of('none')).toEqual({ commits: 0, members: 0 });
});
