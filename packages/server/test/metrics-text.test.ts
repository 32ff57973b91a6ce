import { expect, test } from 'vitest';
import { REQUEST_KINDS } from '../src/documents/document.ts';
import { countersOf, mergeSnapshots } from '../src/metrics/merge-snapshots.ts';
import type { Distribution, MetricsSnapshot } from '../src/metrics/metrics-snapshot.ts';
import { METRICS_MEDIA_TYPE, metricsText } from '../src/metrics/metrics-text.ts';
import { processSamples } from '../src/metrics/process-samples.ts';
import { pushSamples } from '../src/metrics/push-samples.ts';
import { RequestCounts, STATUS_CLASSES } from '../src/metrics/request-counts.ts';
import { requestSamples } from '../src/metrics/request-samples.ts';
import { ToldSnapshots } from '../src/metrics/told-snapshots.ts';
import { FAN_OUT_BOUNDS_SECONDS, PushCounters } from '../src/push/counters.ts';
import { parseMetrics } from './parse-metrics.ts';

test('PUSH-39 the text is what the format says, to the byte', () => {
  expect(METRICS_MEDIA_TYPE).toBe('text/plain; version=0.0.4; charset=utf-8');
  const snapshot: MetricsSnapshot = {
    // In another order than the table's.
    ldes_live_push_waiting_accepts: [{ labels: {}, value: 3 }],
    ldes_live_push_connections: [
      { labels: { stream: 'a', state: 'live' }, value: 10_000 },
      { labels: { stream: 'a', state: 'behind' }, value: 0 },
    ],
    ldes_live_push_gaps_total: [],
  };
  expect(metricsText(snapshot)).toBe(
    [
      '# HELP ldes_live_push_connections Open push connections, as of a fifth of the heartbeat ago at most: live ones get commits as they come, those behind are brought up to the newest.',
      '# TYPE ldes_live_push_connections gauge',
      'ldes_live_push_connections{stream="a",state="live"} 10000',
      'ldes_live_push_connections{stream="a",state="behind"} 0',
      '# HELP ldes_live_push_waiting_accepts Requests for push that wait for their turn to be accepted.',
      '# TYPE ldes_live_push_waiting_accepts gauge',
      'ldes_live_push_waiting_accepts 3',
      '',
    ].join('\n'),
  );
  expect(metricsText({})).toBe('');
});

test('PUSH-39 labels may have any text', () => {
  const labels = { stream: 'a', origin: 'C:\\feeds\n"x", é {}' };
  const text = metricsText({ ldes_live_source_up: [{ labels, value: 1 }] });
  expect(text).toContain('{stream="a",origin="C:\\\\feeds\\n\\"x\\", é {}"} 1\n');
  expect(parseMetrics(text).get('ldes_live_source_up')?.samples).toEqual([
    { name: 'ldes_live_source_up', labels, value: 1 },
  ]);
});

test('PUSH-39 numbers are read back as they are', () => {
  for (const value of [
    0,
    -1,
    0.1,
    1e-9,
    1e21,
    2 ** 53,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NaN,
  ]) {
    const text = metricsText({ ldes_live_push_waiting_accepts: [{ labels: {}, value }] });
    expect(parseMetrics(text).get('ldes_live_push_waiting_accepts')?.samples[0]?.value).toBe(value);
  }
});

test('PUSH-39 a histogram is cumulative, with its sum and its count', () => {
  const counts = [2, 0, 3, ...new Array<number>(FAN_OUT_BOUNDS_SECONDS.length - 3).fill(0), 1];
  const text = metricsText({
    ldes_live_push_fan_out_seconds: [{ labels: { stream: 'a' }, value: { counts, sum: 12.5 } }],
  });
  const { samples = [] } = parseMetrics(text).get('ldes_live_push_fan_out_seconds') ?? {};
  const bucket = (le: string) => samples.find(({ labels }) => labels.le === le)?.value;
  expect(['0.001', '0.0025', '0.005', '10', '+Inf'].map(bucket)).toEqual([2, 2, 5, 5, 6]);
  expect(samples.slice(-2)).toEqual([
    { name: 'ldes_live_push_fan_out_seconds_sum', labels: { stream: 'a' }, value: 12.5 },
    { name: 'ldes_live_push_fan_out_seconds_count', labels: { stream: 'a' }, value: 6 },
  ]);
});

test.each([
  ['a line that does not end', 'a 1'],
  ['a sample without a type', 'a 1\n'],
  ['a type without help', '# TYPE a gauge\na 1\n'],
  ['a metric twice', '# HELP a x\n# TYPE a gauge\na 1\n# HELP a x\n# TYPE a gauge\na{b="c"} 1\n'],
  ['a sample twice', '# HELP a x\n# TYPE a gauge\na{b="1",c="2"} 1\na{c="2",b="1"} 1\n'],
  ['a label that is not closed', '# HELP a x\n# TYPE a gauge\na{b="1} 1\n'],
  ['a number of JavaScript', '# HELP a x\n# TYPE a gauge\na Infinity\n'],
  ['buckets that are not cumulative', `# HELP a x\n# TYPE a histogram\n${histogram(2, 1, 1)}`],
  ['a count that is not that of the buckets', `# HELP a x\n# TYPE a histogram\n${histogram(1, 2, 1)}`],
])('the parser of these tests refuses %s', (_, text) => {
  expect(() => parseMetrics(text)).toThrow();
  expect(() => parseMetrics(`# HELP a x\n# TYPE a histogram\n${histogram(1, 2, 2)}`)).not.toThrow();
});

function histogram(first: number, last: number, count: number): string {
  return `a_bucket{le="1"} ${first}\na_bucket{le="+Inf"} ${last}\na_sum 1\na_count ${count}\n`;
}

function worker(name: string, set: (tally: PushCounters) => void): MetricsSnapshot {
  const tally = new PushCounters();
  set(tally);
  const facts = {
    name,
    startedAtMs: 1000,
    residentBytes: 2,
    heapUsedBytes: 3,
    externalBytes: 4,
    cpuSeconds: { user: 5, system: 6 },
    loopBusySeconds: 7,
  };
  const push = pushSamples({ counters: new Map([['vehicles', tally]]), admission: { size: tally.live, waiting: 1 } });
  // As it comes from another process.
  return JSON.parse(JSON.stringify({ ...push, ...processSamples(facts) }));
}

const sampleOf = (snapshot: MetricsSnapshot, name: keyof MetricsSnapshot, labels: object = {}) =>
  snapshot[name]?.find((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    ?.value;

test('PUSH-43 processes are added up, and their own numbers told apart', () => {
  const one = worker('worker-1', (tally) => {
    tally.live = 10;
    tally.deliveries = 100;
    tally.closed.slow = 1;
    tally.fannedOut(0.5);
  });
  const two = worker('worker-2', (tally) => {
    tally.live = 5;
    tally.deliveries = 50;
    tally.fannedOut(0.5);
    tally.fannedOut(60);
  });
  const both = mergeSnapshots([one, two]);
  expect(sampleOf(both, 'ldes_live_push_connections', { stream: 'vehicles', state: 'live' })).toBe(15);
  expect(sampleOf(both, 'ldes_live_push_admitted_connections')).toBe(15);
  expect(sampleOf(both, 'ldes_live_push_deliveries_total')).toBe(150);
  expect(sampleOf(both, 'ldes_live_push_closed_total', { reason: 'slow' })).toBe(1);
  expect(sampleOf(both, 'ldes_live_push_fan_out_seconds')).toMatchObject({ sum: 61 });
  expect((sampleOf(both, 'ldes_live_push_fan_out_seconds') as Distribution).counts.join()).toBe(
    '0,0,0,0,0,0,0,0,2,0,0,0,0,1',
  );
  expect(both.ldes_live_process_resident_memory_bytes).toEqual([
    { labels: { process: 'worker-1' }, value: 2 },
    { labels: { process: 'worker-2' }, value: 2 },
  ]);
  expect(mergeSnapshots([one])).toEqual(one);
  expect(mergeSnapshots([])).toEqual({});
});

test('PUSH-42 what is left of a process is what it counted', () => {
  const left = countersOf(
    worker('worker-1', (tally) => {
      tally.live = 10;
      tally.accepted = 12;
    }),
  );
  expect(sampleOf(left, 'ldes_live_push_accepted_total')).toBe(12);
  expect(left).not.toHaveProperty('ldes_live_push_connections');
  expect(left).not.toHaveProperty('ldes_live_push_admitted_connections');
  expect(left).not.toHaveProperty('ldes_live_process_cpu_seconds_total');
  expect(left).toHaveProperty('ldes_live_push_fan_out_seconds');
});

test('PUSH-42 no counter goes down when a worker is silent, ends, or is replaced', () => {
  const book = new ToldSnapshots<object>();
  const [first, second, third] = [{}, {}, {}];
  const told = (live: number, deliveries: number) =>
    worker('worker-1', (tally) => {
      tally.live = live;
      tally.deliveries = deliveries;
      tally.fannedOut(0.5);
    });
  const totals = () => [
    sampleOf(book.all, 'ldes_live_push_deliveries_total') ?? 0,
    sampleOf(book.all, 'ldes_live_push_connections', { state: 'live' }) ?? 0,
  ];
  expect(book.all).toEqual({});
  book.told(first, told(3, 30));
  book.told(second, told(4, 40));
  expect(totals()).toEqual([70, 7]);
  // The second does not answer this time.
  book.told(first, told(3, 33));
  expect(totals()).toEqual([73, 7]);
  book.ended(second);
  expect(totals()).toEqual([73, 3]);
  book.told(third, told(1, 0));
  expect(totals()).toEqual([73, 4]);
  book.told(third, told(4, 5));
  expect(totals()).toEqual([78, 7]);
  book.ended(third);
  book.ended(third);
  // One that ended before it told anything.
  book.ended({});
  expect(totals()).toEqual([78, 3]);
  expect(sampleOf(book.all, 'ldes_live_push_fan_out_seconds')).toMatchObject({ sum: 1.5 });
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
  for (const [index, kind] of REQUEST_KINDS.entries()) {
    for (const status of STATUS_CLASSES) {
      expect(counts.count(kind, status)).toBe(statuses[status].length * (index + 1));
    }
  }
  expect(requestSamples([['', counts]]).ldes_live_requests_total).toHaveLength(
    REQUEST_KINDS.length * STATUS_CLASSES.length,
  );
});
