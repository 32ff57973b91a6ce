import type { Report } from './report.ts';

/** What is kept of a run beside the source: all that is read, without every single measurement. */
export type ReportSummary = Omit<Report, 'data' | 'histograms'>;

/** A report without its data and histograms. */
export function summaryOf({ data: _data, histograms: _histograms, ...summary }: Report): ReportSummary {
  return summary;
}
