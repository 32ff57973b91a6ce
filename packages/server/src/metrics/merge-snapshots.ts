import { METRIC_NAMES, metricOf } from './metric-table.ts';
import type { Distribution, MetricsSnapshot, Sample } from './metrics-snapshot.ts';

/**
 * Adds snapshots of several processes up: samples with equal labels become one.
 *
 * @see specs/metrics.md PUSH-43
 */
export function mergeSnapshots(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const merged: Partial<Record<keyof MetricsSnapshot, readonly Sample[]>> = {};
  for (const name of METRIC_NAMES) {
    const samples = snapshots.flatMap((snapshot) => snapshot[name] ?? []);
    if (samples.length > 0) merged[name] = addedUp(samples);
  }
  return merged;
}

/**
 * What is left of a process that has ended: what it has counted, and nothing of what it held.
 *
 * @see specs/metrics.md PUSH-42
 */
export function countersOf(snapshot: MetricsSnapshot): MetricsSnapshot {
  return Object.fromEntries(
    METRIC_NAMES.filter((name) => metricOf(name).type !== 'gauge').flatMap((name) => {
      // Whatever is told by process ends with it.
      const samples = snapshot[name]?.filter(({ labels }) => labels.process === undefined) ?? [];
      return samples.length > 0 ? [[name, samples]] : [];
    }),
  );
}

function addedUp(samples: readonly Sample[]): Sample[] {
  const byLabels = new Map<string, Sample>();
  for (const sample of samples) {
    const key = JSON.stringify(sample.labels);
    const known = byLabels.get(key);
    byLabels.set(key, known ? { labels: known.labels, value: sum(known.value, sample.value) } : sample);
  }
  return [...byLabels.values()];
}

function sum(left: Sample['value'], right: Sample['value']): Sample['value'] {
  if (typeof left === 'number' || typeof right === 'number') return (left as number) + (right as number);
  return sumOfDistributions(left, right);
}

function sumOfDistributions(left: Distribution, right: Distribution): Distribution {
  return {
    counts: left.counts.map((count, index) => count + (right.counts[index] as number)),
    sum: left.sum + right.sum,
  };
}
