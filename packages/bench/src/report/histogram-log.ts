import { type LatencyCounts, latencyBuckets } from '../load/latency-histogram.ts';
import type { Report } from './report.ts';

/** More than the counters of a load have, so that they are kept as they were. */
const SIGNIFICANT_DIGITS = 3;

/**
 * Every latency of a report in the log format of HdrHistogram, version 1.3, with histograms in its encoding V2, that its
 * tools read: one tagged interval for each name, as long as the whole run, in microseconds; the greatest value of each
 * line in milliseconds, as is usual. Tags are the names without spaces and commas, which the format does not allow.
 */
export async function histogramLog(
  report: Pick<Report, 'histograms' | 'startedAt' | 'tookSeconds' | 'experiment'>,
): Promise<string> {
  const { build, HistogramLogWriter } = await import('hdr-histogram-js');
  const parts: string[] = [];
  const writer = new HistogramLogWriter((text) => parts.push(text));
  const startMs = Date.parse(report.startedAt);
  writer.outputComment(`Latencies of ${report.experiment}, microseconds`);
  writer.outputLogFormatVersion();
  writer.outputComment(`[StartTime: ${(startMs / 1000).toFixed(3)} (seconds since epoch), ${report.startedAt}]`);
  writer.outputLegend();
  for (const [tag, counts] of tagged(report.histograms)) {
    const histogram = build({ bitBucketSize: 64, numberOfSignificantValueDigits: SIGNIFICANT_DIGITS });
    for (const { greatest, count } of latencyBuckets(counts)) histogram.recordValueWithCount(greatest, count);
    histogram.tag = tag;
    writer.outputIntervalHistogram(histogram, 0, report.tookSeconds);
  }
  return parts.join('');
}

/** Histograms by tags, which differ as their names do. */
function tagged(histograms: Report['histograms']): ReadonlyMap<string, LatencyCounts> {
  const byTag = new Map<string, LatencyCounts>();
  for (const [name, counts] of Object.entries(histograms)) {
    const plain = name.replace(/,?\s+/g, '_').replaceAll(',', ';');
    let tag = plain;
    for (let again = 2; byTag.has(tag); again += 1) tag = `${plain}_${again}`;
    byTag.set(tag, counts);
  }
  return byTag;
}
