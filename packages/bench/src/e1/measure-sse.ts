import { setTimeout as delay } from 'node:timers/promises';
import { measureCpu } from '../fanout/measure-cpu.ts';
import { untilEvents } from '../load/deliveries.ts';
import { LoadGroup } from '../load/load-group.ts';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { saturation } from '../load/saturation.ts';
import type { SeriesTally } from '../load/series-counts.ts';
import { LOAD } from '../setting.ts';
import type { Measured } from './cell-run.ts';
import type { PushedUpdates } from './e1-plan.ts';
import type { CellResult } from './measure-polling.ts';
import { processesFor, type ServedWay } from './served-way.ts';

/** To how many is pushed, and how many updates. */
export interface SseSize {
  readonly clients: number;
  readonly intervalMs: number;
  readonly updates: number;
  readonly settleMs: number;
  /** Updates by which CPU time is measured beside readers that take nothing from the server, where these are compiled to. */
  readonly lean?: PushedUpdates & { readonly folder: string };
}

/** Time for the schedule to reach the server, milliseconds. */
const LEAD_MS = 200;
/** Updates before, which do not count. */
const WARM_UPS = 1;

/** Connects clients to event streams, and counts what they have of updates. */
export async function measureSse(served: ServedWay, size: SseSize): Promise<CellResult> {
  const result = await measureLoad(served, size);
  const { clients, settleMs, lean } = size;
  if (lean === undefined || processesFor(clients) > 1) return result;
  const { intervalMs, count, folder } = lean;
  const updates = { clients, updates: count, warmUps: WARM_UPS, intervalMs, settleMs };
  const leanCpuMicros = await measureCpu(served.subject, updates, { folder, core: LOAD.core });
  return leanCpuMicros === undefined ? result : { ...result, measured: { ...result.measured, leanCpuMicros } };
}

async function measureLoad(
  { subject, ports, path, residentBytes, cpuMicros }: ServedWay,
  { clients, intervalMs, updates, settleMs }: SseSize,
): Promise<CellResult> {
  await delay(settleMs);
  const residentBytesBefore = residentBytes();
  const processes = processesFor(clients);
  const load = await LoadGroup.start({ ...LOAD, readers: clients, processes, port: subject.port, ports, path });
  try {
    const publish = async (count: number) => {
      const events = (await load.tally()).events + count * clients;
      const series = { startMicros: monotonicMicros() + LEAD_MS * 1000, intervalMicros: intervalMs * 1000, count };
      load.order({ order: 'series', series });
      await subject.publish(series);
      await untilEvents(load, events);
    };
    await publish(WARM_UPS);
    await delay(settleMs);
    const { tally: before } = await load.report();
    const cpuBefore = await cpuMicros();
    await publish(updates);
    const serverCpuMicros = (await cpuMicros()) - cpuBefore;
    const report = await load.report();
    const refusal = saturation({ ...report, processes });
    await delay(settleMs);
    const resident = residentBytes();
    return {
      measured: {
        updates,
        intervalMs,
        ...pushedCounts(updates * clients, report.series),
        latency: report.latency,
        wallMicros: report.wallMicros,
        serverCpuMicros,
        ...(resident !== undefined && { residentBytes: resident }),
        ...(residentBytesBefore !== undefined && { residentBytesBefore }),
        bytes: report.tally.bytes - before.bytes,
        loadShare: report.cpuMicros / report.wallMicros,
        loadLagMs: report.longestLoopLagMicros / 1000,
      },
      ...(refusal !== undefined && { refusal }),
    };
  } finally {
    await load.stop();
  }
}

/**
 * What came of updates by what each reader by itself got: what came twice to one does not stand for what another never had.
 *
 * @throws Error - the load has not counted
 */
function pushedCounts(
  expected: number,
  series: SeriesTally | undefined,
): Pick<Measured, 'expected' | 'delivered' | 'skipped' | 'lost' | 'doubled'> {
  if (series === undefined) throw new Error('the load did not count what each reader got');
  const { lost, doubled } = series;
  return { expected, delivered: expected - lost, skipped: 0, lost, doubled };
}
