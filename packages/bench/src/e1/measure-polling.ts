import { setTimeout as delay } from 'node:timers/promises';
import { mergePollReports } from '../load/merge-poll-reports.ts';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { PollGroup } from '../load/poll-group.ts';
import type { PollBehaviour, PollReport } from '../load/poll-messages.ts';
import { saturation } from '../load/saturation.ts';
import { LOAD } from '../setting.ts';
import type { Measured } from './cell-run.ts';
import { percentileMs } from './latency-share.ts';
import { openingMs } from './opening-ms.ts';
import { startPublishing } from './publish-until.ts';
import { processesFor, type ServedWay } from './served-way.ts';

/** How clients poll, and for how many updates. */
export interface PollingSize {
  readonly clients: number;
  readonly behaviour: PollBehaviour;
  readonly intervalMs: number;
  readonly updates: number;
  readonly settleMs: number;
  readonly seed: number;
}

/** What was measured, and why its latencies do not count, if so. */
export interface CellResult {
  readonly measured: Measured;
  readonly refusal?: string;
}

/** Before an update is due, what is counted is looked at: by then all should have the one before, milliseconds. */
const MARGIN_MS = 50;
/** How often is looked whether what is still on its way has come, milliseconds. */
const LOOK_MS = 100;

/** Connects polling clients, and counts what they have of updates from just before one to just before another. */
export async function measurePolling(served: ServedWay, size: PollingSize): Promise<CellResult> {
  const { clients, behaviour, intervalMs, updates, settleMs, seed } = size;
  await delay(settleMs);
  const residentBytesBefore = served.residentBytes();
  const publishing = startPublishing(served.subject, intervalMs, Math.max(0, intervalMs - openingMs(clients)));
  await publishing.begun;
  const processes = processesFor(clients);
  const group = await PollGroup.start({
    readers: clients,
    processes,
    core: LOAD.core,
    targets: served.ports.map((port) => ({ port, path: served.path })),
    headers: LOAD.headers,
    behaviour,
    updateIntervalMs: intervalMs,
    opening: LOAD.opening,
    seed,
  });
  let ended: Promise<void> | undefined;
  try {
    const first = publishing.nextAfter(monotonicMicros() + 2 * MARGIN_MS * 1000);
    const beforeMicros = (index: number) => publishing.dueMicros(index) - MARGIN_MS * 1000;
    ended = publishing.endWith(first + updates - 1);
    await until(beforeMicros(first));
    const cpuBefore = await served.cpuMicros();
    await group.report(beforeMicros(first));
    await until(beforeMicros(first + updates));
    const serverCpuMicros = (await served.cpuMicros()) - cpuBefore;
    const report = await group.report(beforeMicros(first));
    const residentBytes = served.residentBytes();
    const reached = await reachedIn(group, report, beforeMicros(first), {
      expected: updates * clients,
      untilMicros: publishing.dueMicros(first + updates) + intervalMs * 1000,
    });
    const expected = updates * clients;
    const refusal = saturation({ ...report, processes, p99Micros: percentileMs(reached.latency, 0.99) * 1000 });
    return {
      measured: {
        updates,
        intervalMs,
        expected,
        delivered: reached.news,
        skipped: reached.skipped,
        lost: expected - reached.news - reached.skipped,
        doubled: reached.older,
        latency: reached.latency,
        requests: report.requests,
        failed: report.failed + answersOfNoUse(report.statuses),
        wallMicros: report.wallMicros,
        serverCpuMicros,
        ...(residentBytes !== undefined && { residentBytes }),
        ...(residentBytesBefore !== undefined && { residentBytesBefore }),
        bytes: report.bytes,
        loadShare: report.cpuMicros / report.wallMicros,
        loadLagMs: report.longestLoopLagMicros / 1000,
      },
      ...(refusal !== undefined && { refusal }),
    };
  } finally {
    await group.stop();
    // A server that cannot keep up publishes late as well: only without its clients does it come to the last.
    await ended;
  }
}

/**
 * What of the updates came: by the end of what is measured, and of those that were still on their way, as long as there is no
 * newer one.
 *
 * @param sinceMicros - from when on updates count
 */
async function reachedIn(
  group: PollGroup,
  report: PollReport,
  sinceMicros: number,
  { expected, untilMicros }: { readonly expected: number; readonly untilMicros: number },
): Promise<Pick<PollReport, 'news' | 'skipped' | 'older' | 'latency'>> {
  let all = report;
  while (all.news + all.skipped < expected && monotonicMicros() < untilMicros) {
    await delay(LOOK_MS);
    all = mergePollReports([all, await group.report(sinceMicros)]);
  }
  return all;
}

async function until(micros: number): Promise<void> {
  for (let wait = micros - monotonicMicros(); wait > 0; wait = micros - monotonicMicros())
    await delay(Math.ceil(wait / 1000));
}

function answersOfNoUse(statuses: Readonly<Record<string, number>>): number {
  return Object.entries(statuses).reduce(
    (sum, [status, count]) => sum + (status === '200' || status === '304' ? 0 : count),
    0,
  );
}
