import {
  type RowLoadProcess,
  type RowServerProcess,
  startRowLoadProcess,
  startRowServerProcess,
} from './row-processes.ts';
import { runStep } from './run-step.ts';
import type { Transport } from './transport.ts';

const WARM_UP = { connections: 2, batch: 2, intervalMs: 5 };
const MOST_WARM_UP_MS = 600;

/**
 * Measures with a server and a consumer in processes of their own, which have sent and read some rows before and end
 * after it.
 *
 * @param stepMs - how long each step of it is, milliseconds
 */
export async function withProcesses<Value>(
  transport: Transport,
  { stepMs, seed }: { readonly stepMs: number; readonly seed: number },
  measure: (server: RowServerProcess, load: RowLoadProcess) => Promise<Value>,
): Promise<Value> {
  const [server, load] = [startRowServerProcess(), startRowLoadProcess()];
  try {
    await runStep(server, load, { ...WARM_UP, transport, durationMs: Math.min(stepMs, MOST_WARM_UP_MS), seed });
    return await measure(server, load);
  } finally {
    await Promise.all([server.end(), load.end()]);
  }
}
