import { REQUEST_KINDS } from '../documents/document.ts';
import type { MetricsSnapshot, Sample } from './metrics-snapshot.ts';
import { type RequestCounts, STATUS_CLASSES } from './request-counts.ts';

/**
 * The requests that were answered.
 *
 * @param counts - by the name of the stream, or by an empty one for what is beside the streams; what has not come up is
 * left out
 */
export function requestSamples(counts: Iterable<readonly [stream: string, counts: RequestCounts]>): MetricsSnapshot {
  const samples: Sample[] = [];
  for (const [stream, requests] of counts) {
    for (const kind of REQUEST_KINDS) {
      for (const status of STATUS_CLASSES) {
        const value = requests.count(kind, status);
        if (value > 0) samples.push({ labels: { stream, kind, status }, value });
      }
    }
  }
  return { ldes_live_requests_total: samples };
}
