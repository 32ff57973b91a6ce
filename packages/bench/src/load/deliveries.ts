import { setTimeout as delay } from 'node:timers/promises';
import type { Subject } from '../subjects/node-subject.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import type { LoadGroup } from './load-group.ts';
import type { LoadReport } from './load-messages.ts';
import { monotonicMicros } from './monotonic-micros.ts';
import type { SequenceTally } from './sequence-check.ts';

/** What to publish, and how much is to come of it. */
export interface DeliveryPlan {
  readonly count: number;
  readonly intervalMs: number;
  /** Events that readers get of each update. */
  readonly readers: number;
}

/** How a series of updates reached the readers. */
export interface Deliveries {
  readonly updates: number;
  readonly expected: number;
  readonly events: number;
  /** Deliveries that a reader never had: of each reader by itself where all get every update, else what lacks in all. */
  readonly lost: number;
  /** Deliveries that a reader had before: likewise. */
  readonly doubled: number;
  readonly bytesPerDelivery: number;
  /** CPU time of the server for each event that came, microseconds. */
  readonly serverCpuMicros: number;
  /** CPU time of the load for each event that came, microseconds. */
  readonly loadCpuMicros: number;
  /** Share of a core that the load took throughout; of several processes, of as many cores. */
  readonly loadShare: number;
  /** The longest turn of an event loop of the load, microseconds. */
  readonly longestLoopLagMicros: number;
  /** From the instant that an update was scheduled for to the reader's last byte of it, of every delivery, milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** From the first reader that had an update to the last, the median of the updates, milliseconds. */
  readonly spreadMs: number;
  /** Every delivery: counters of microseconds and how often, in turns. */
  readonly histogram: LoadReport['latency'];
  readonly sequence: SequenceTally;
}

/** Time for the schedule to reach the server, milliseconds. */
const LEAD_MS = 200;
/** How long nothing may come before it is taken for lost, milliseconds. */
const QUIET_MS = 5000;
const LOOK_MS = 100;

/** Publishes a series of updates, and waits until all have come or nothing comes any more. */
export async function measureDeliveries(subject: Subject, load: LoadGroup, plan: DeliveryPlan): Promise<Deliveries> {
  const before = (await load.report()).tally;
  const cpuBefore = await subject.cpuMicros();
  const expected = plan.count * plan.readers;
  const intervalMicros = plan.intervalMs * 1000;
  // On multiples of the interval: those who are measured side by side publish at the same instants.
  const startMicros = Math.ceil((monotonicMicros() + LEAD_MS * 1000) / intervalMicros) * intervalMicros;
  const schedule = { startMicros, intervalMicros, count: plan.count };
  // Where some readers get an update and others do not, only all together can be counted.
  const isCounted = plan.readers === load.readers && plan.count > 0;
  if (isCounted) load.order({ order: 'series', series: schedule });
  await subject.publish(schedule);
  await untilEvents(load, before.events + expected);
  const cpu = (await subject.cpuMicros()) - cpuBefore;
  const report = await load.report();
  return summed({
    plan,
    expected,
    cpu,
    report,
    isCounted,
    events: report.tally.events - before.events,
    bytes: report.tally.bytes - before.bytes,
  });
}

/** Waits until so many events have come in all, or nothing has for a while. */
export async function untilEvents(load: LoadGroup, events: number): Promise<void> {
  let seen = -1;
  for (let quietMs = 0; quietMs < QUIET_MS; quietMs += LOOK_MS) {
    const tally = await load.tally();
    // What came twice is not to stand for what has not come.
    if (tally.events - tally.doubled >= events) return;
    if (tally.events > seen) quietMs = 0;
    seen = tally.events;
    await delay(LOOK_MS);
  }
}

function summed({
  plan,
  expected,
  cpu,
  report,
  isCounted,
  events,
  bytes,
}: {
  readonly plan: Pick<DeliveryPlan, 'count'>;
  readonly expected: number;
  readonly cpu: number;
  readonly report: LoadReport;
  readonly isCounted: boolean;
  readonly events: number;
  readonly bytes: number;
}): Deliveries {
  const latency = new LatencyHistogram();
  latency.add(report.latency);
  const spreads = report.arrivals.map(({ first, last }) => last - first).sort((left, right) => left - right);
  return {
    updates: plan.count,
    expected,
    events,
    ...(report.series && isCounted
      ? report.series
      : { lost: Math.max(0, expected - events), doubled: Math.max(0, events - expected) }),
    bytesPerDelivery: bytes / events,
    serverCpuMicros: cpu / events,
    loadCpuMicros: report.cpuMicros / events,
    loadShare: report.cpuMicros / report.wallMicros,
    longestLoopLagMicros: report.longestLoopLagMicros,
    p50Ms: latency.percentile(0.5) / 1000,
    p99Ms: latency.percentile(0.99) / 1000,
    longestMs: latency.max / 1000,
    spreadMs: (spreads[Math.floor(spreads.length / 2)] ?? 0) / 1000,
    histogram: report.latency,
    sequence: report.sequence,
  };
}
