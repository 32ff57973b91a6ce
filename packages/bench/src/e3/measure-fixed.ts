import type { Setting } from '../setting.ts';
import type { FixedPlan } from './e3-plan.ts';
import { percentText } from './percent-text.ts';
import { runStep, type StepResult } from './run-step.ts';
import { TRANSPORT_NAMES } from './transport.ts';
import { withProcesses } from './with-processes.ts';

/** One transport at one shape, in one repeat. */
export interface FixedRun extends StepResult {
  /** From 0. */
  readonly repeat: number;
}

/** Sends rows at one rate in several shapes: all transports in turns, as often as there are repeats. */
export async function measureFixed(plan: FixedPlan, setting: Setting): Promise<readonly FixedRun[]> {
  const { shapes, transports, intervalMs, warmUpMs, durationMs, repeats, seed } = plan;
  const runs: FixedRun[] = [];
  const all = repeats * transports.length * shapes.length;
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const transport of transports) {
      await withProcesses(transport, { stepMs: durationMs, seed }, async (server, load) => {
        const [first] = shapes;
        if (first) await runStep(server, load, { ...first, transport, intervalMs, durationMs: warmUpMs, seed });
        for (const shape of shapes) {
          const run = await runStep(server, load, { ...shape, transport, intervalMs, durationMs, seed });
          runs.push({ ...run, repeat });
          setting.onProgress(lineOf(run), runs.length / all);
        }
      });
    }
  }
  return runs;
}

function lineOf({ transport, connections, batch, clientShare, serverShare }: StepResult): string {
  const shares = `client ${percentText(clientShare)}, server ${percentText(serverShare)}`;
  return `${TRANSPORT_NAMES[transport]}: ${connections} connections of ${batch} rows: ${shares}`;
}
