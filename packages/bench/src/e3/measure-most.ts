import type { LatencyCounts } from '../load/latency-histogram.ts';
import { numberText } from '../report/number-text.ts';
import type { Setting } from '../setting.ts';
import type { MostPlan } from './e3-plan.ts';
import type { RowLoadProcess, RowServerProcess } from './row-processes.ts';
import { runStep, type StepPlan, type StepResult } from './run-step.ts';
import { searchMost } from './search-most.ts';
import { TRANSPORT_NAMES, type Transport } from './transport.ts';
import { withProcesses } from './with-processes.ts';

/** A step as reports keep it. */
interface Step extends Omit<StepResult, 'latency'> {
  /** The batch or the number of connections, whichever grows. */
  readonly level: number;
}

/** How far one transport came in one repeat. */
export interface MostRun {
  readonly transport: Transport;
  /** From 0. */
  readonly repeat: number;
  readonly steps: readonly Step[];
  /** The highest level that was kept up with; absent where none was. */
  readonly best?: Step & { readonly latency: LatencyCounts };
}

/** The most rows a second that came in any step, late ones too: what a consumer reads when it has no pause. */
export function mostRows({ steps }: Pick<MostRun, 'steps'>): number | undefined {
  const rates = steps.map(({ rowsPerSecond }) => rowsPerSecond).filter((rate) => rate > 0);
  return rates.length > 0 ? Math.max(...rates) : undefined;
}

/** Grows until rows are not kept up with: all transports in turns, as often as there are repeats. */
export async function measureMost(plan: MostPlan, setting: Setting): Promise<readonly MostRun[]> {
  const runs: MostRun[] = [];
  const all = plan.repeats * plan.transports.length;
  for (let repeat = 0; repeat < plan.repeats; repeat += 1) {
    for (const transport of plan.transports) {
      const before = runs.findLast((run) => run.transport === transport)?.best;
      const run = await withProcesses(transport, plan, (server, load) =>
        searchRun(plan, { transport, repeat, before, server, load }),
      );
      runs.push(run);
      setting.onProgress(lineOf(plan, run), runs.length / all);
    }
  }
  return runs;
}

interface SearchEdge {
  readonly transport: Transport;
  readonly repeat: number;
  /** The best of the repeat before. */
  readonly before: Step | undefined;
  readonly server: RowServerProcess;
  readonly load: RowLoadProcess;
}

async function searchRun(plan: MostPlan, edge: SearchEdge): Promise<MostRun> {
  const { levels, firstStride, laterStride, attempts } = plan;
  const { transport, repeat, before, server, load } = edge;
  const results = new Map<number, StepResult>();
  const steps: Step[] = [];
  const from = before?.level ?? startOf(plan, transport);
  const at = levels.findLastIndex((level) => level <= from);
  const found = await searchMost(
    levels.length,
    { at, stride: before ? laterStride : firstStride, attempts },
    async (index) => {
      const level = levels[index] as number;
      const result = await runStep(server, load, stepPlan(plan, transport, level));
      const { latency: _, ...step } = result;
      steps.push({ ...step, level });
      results.set(index, result);
      return result.isKeptUp;
    },
  );
  const best = results.get(found);
  const level = levels[found] as number;
  return { transport, repeat, steps, ...(best && { best: { ...best, level } }) };
}

function startOf({ plainStart, liveStart }: MostPlan, transport: Transport): number {
  return transport === 'websocket' || transport === 'sse' ? plainStart : liveStart;
}

function stepPlan(plan: MostPlan, transport: Transport, level: number): StepPlan {
  const { grows, fixed, stepMs, seed } = plan;
  const size = grows === 'batch' ? { batch: level, connections: fixed } : { batch: fixed, connections: level };
  return { transport, intervalMs: intervalOf(plan, transport), durationMs: stepMs, seed, ...size };
}

/** Time from a batch to the next, milliseconds. */
export function intervalOf({ intervalMs, clientIntervalMs }: MostPlan, transport: Transport): number {
  return transport === 'live-client' ? clientIntervalMs : intervalMs;
}

function lineOf({ grows }: MostPlan, { transport, best }: MostRun): string {
  const name = TRANSPORT_NAMES[transport];
  if (!best) return `${name}: not kept up with at any ${grows === 'batch' ? 'batch' : 'number of connections'}`;
  const what = grows === 'batch' ? `batches of ${best.level}` : `${best.level} connections`;
  return `${name}: ${numberText(Math.round(best.rowsPerSecond))} rows/s at ${what}`;
}
