import { LatencyHistogram } from './latency-histogram.ts';
import type { Arrival, LoadReport, LoadTally } from './load-messages.ts';
import { addSequences } from './sequence-check.ts';

/** What several processes counted, added up. */
export function mergeTallies(tallies: readonly LoadTally[]): LoadTally {
  const sum: LoadTally = { open: 0, opened: 0, ended: 0, refused: 0, events: 0, doubled: 0, bytes: 0 };
  for (const tally of tallies) {
    for (const key of Object.keys(sum) as (keyof LoadTally)[]) sum[key] += tally[key];
  }
  return sum;
}

/** What several processes of the load found, as if they were one; the time is that of the longest. */
export function mergeReports(reports: readonly LoadReport[]): LoadReport {
  const latency = new LatencyHistogram();
  const arrivals = new Map<number, Arrival>();
  const lastIds: Record<string, number> = {};
  for (const report of reports) {
    latency.add(report.latency);
    for (const arrival of report.arrivals)
      arrivals.set(arrival.stamp, mergeArrivals(arrivals.get(arrival.stamp), arrival));
    for (const [id, count] of Object.entries(report.lastIds)) lastIds[id] = (lastIds[id] ?? 0) + count;
  }
  const series = reports.flatMap((report) => report.series ?? []);
  return {
    tally: mergeTallies(reports.map(({ tally }) => tally)),
    sequence: addSequences(reports.map(({ sequence }) => sequence)),
    ...(series.length > 0 && {
      series: {
        lost: series.reduce((sum, { lost }) => sum + lost, 0),
        doubled: series.reduce((sum, { doubled }) => sum + doubled, 0),
      },
    }),
    latency: latency.toSparse(),
    arrivals: [...arrivals.values()].sort((left, right) => left.stamp - right.stamp),
    ends: reports.flatMap(({ ends }) => ends).sort((left, right) => left - right),
    lastIds,
    cpuMicros: reports.reduce((sum, { cpuMicros }) => sum + cpuMicros, 0),
    wallMicros: Math.max(...reports.map(({ wallMicros }) => wallMicros)),
    longestLoopLagMicros: Math.max(...reports.map(({ longestLoopLagMicros }) => longestLoopLagMicros)),
  };
}

function mergeArrivals(known: Arrival | undefined, other: Arrival): Arrival {
  if (known === undefined) return { ...other };
  return {
    stamp: known.stamp,
    first: Math.min(known.first, other.first),
    last: Math.max(known.last, other.last),
    events: known.events + other.events,
  };
}
