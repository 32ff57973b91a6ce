import { LatencyHistogram } from './latency-histogram.ts';
import type { PollReport } from './poll-messages.ts';

/** What several processes of polling readers met, as if they were one; the times are those of the longest. */
export function mergePollReports(reports: readonly PollReport[]): PollReport {
  const [latency, responseTime] = [new LatencyHistogram(), new LatencyHistogram()];
  const statuses: Record<string, number> = {};
  for (const report of reports) {
    latency.add(report.latency);
    responseTime.add(report.responseTime);
    for (const [status, count] of Object.entries(report.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  }
  const sum = (figure: (report: PollReport) => number) => reports.reduce((total, report) => total + figure(report), 0);
  return {
    requests: sum(({ requests }) => requests),
    statuses,
    failed: sum(({ failed }) => failed),
    news: sum(({ news }) => news),
    skipped: sum(({ skipped }) => skipped),
    older: sum(({ older }) => older),
    latency: latency.toSparse(),
    responseTime: responseTime.toSparse(),
    lateRequests: sum(({ lateRequests }) => lateRequests),
    waiting: sum(({ waiting }) => waiting),
    reopened: sum(({ reopened }) => reopened),
    bytes: sum(({ bytes }) => bytes),
    cpuMicros: sum(({ cpuMicros }) => cpuMicros),
    wallMicros: Math.max(...reports.map(({ wallMicros }) => wallMicros)),
    longestLoopLagMicros: Math.max(...reports.map(({ longestLoopLagMicros }) => longestLoopLagMicros)),
  };
}
