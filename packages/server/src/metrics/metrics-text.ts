import { METRIC_NAMES, metricOf } from './metric-table.ts';
import type { Distribution, Labels, MetricsSnapshot, Sample } from './metrics-snapshot.ts';

/** Media type of {@link metricsText}. */
export const METRICS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Writes a snapshot in the text exposition format of Prometheus, version 0.0.4.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 * @see specs/metrics.md PUSH-39
 */
export function metricsText(snapshot: MetricsSnapshot): string {
  const lines: string[] = [];
  for (const name of METRIC_NAMES) {
    const samples = snapshot[name];
    if (!samples || samples.length === 0) continue;
    const { type, meaning, bounds = [] } = metricOf(name);
    lines.push(`# HELP ${name} ${escaped(meaning, HELP_SPECIAL)}`, `# TYPE ${name} ${type}`);
    for (const { labels, value } of samples) {
      if (typeof value === 'number') lines.push(line(name, labels, value));
      else lines.push(...histogramLines(name, labels, value, bounds));
    }
  }
  return lines.map((text) => `${text}\n`).join('');
}

function histogramLines(name: string, labels: Labels, { counts, sum }: Distribution, bounds: readonly number[]) {
  let below = 0;
  const buckets = counts.map((count, index) => {
    below += count;
    return line(`${name}_bucket`, { ...labels, le: numeral(bounds[index] ?? Number.POSITIVE_INFINITY) }, below);
  });
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, below)];
}

function line(name: string, labels: Sample['labels'], value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text, LABEL_SPECIAL)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${numeral(value)}`;
}

const HELP_SPECIAL = /[\\\n]/g;
const LABEL_SPECIAL = /[\\\n"]/g;

function escaped(text: string, special: RegExp): string {
  return text.replaceAll(special, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}

/** A number as the format has it, which is Go's way but for the infinite. */
function numeral(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
