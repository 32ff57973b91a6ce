import { expect, test } from 'vitest';
import type { MetricsSnapshot } from '../src/metrics/metrics-snapshot.ts';
import { METRICS_MEDIA_TYPE, metricsText } from '../src/metrics/metrics-text.ts';
import { FAN_OUT_BOUNDS_SECONDS } from '../src/push/push-tally.ts';
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
