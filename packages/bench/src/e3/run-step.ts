import { type LatencyCounts, LatencyHistogram } from '../load/latency-histogram.ts';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import type { RowLoadProcess, RowServerProcess } from './row-processes.ts';
import type { RowCounts } from './row-tally.ts';
import type { Transport } from './transport.ts';

/** Rows that are offered to all connections for some time. */
export interface StepPlan {
  readonly transport: Transport;
  readonly connections: number;
  /** Rows of a batch; each connection gets every batch. */
  readonly batch: number;
  readonly intervalMs: number;
  readonly durationMs: number;
  readonly seed: number;
}

/** What came of a step. */
export interface StepResult extends Omit<StepPlan, 'durationMs' | 'seed'> {
  /** Rows that were due at all connections in a second. */
  readonly offeredPerSecond: number;
  /** Rows that came at all connections in a second, until the last one came. */
  readonly rowsPerSecond: number;
  readonly rows: number;
  /** Rows that were passed over. */
  readonly lost: number;
  /** Rows that had not come when it ended. */
  readonly behind: number;
  readonly doubled: number;
  /** Bytes of a row, framing and what it shares with others of its batch included; 0 where bytes are not known. */
  readonly bytesPerRow: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
  readonly latency: LatencyCounts;
  /** Shares of a core that the server and the consumer took. */
  readonly serverShare: number;
  readonly clientShare: number;
  readonly serverCpuMicros: number;
  readonly clientCpuMicros: number;
  /** Whether the consumer kept up: see {@link isKeptUp}. */
  readonly isKeptUp: boolean;
}

/** How late batches may be in a step that is kept up with, milliseconds: what is not kept up with is later at its end. */
export const KEPT_UP_P99_MS = 100;

const AHEAD_MICROS = 20_000;
const LIMIT_LAG_MICROS = 500_000;
const LIMIT_QUEUE_BYTES = 32 * 1024 * 1024;
const DRAIN_MS = 1000;

/** Runs a step: opens the connections, publishes, waits for what was published, and closes all of it. */
export async function runStep(server: RowServerProcess, load: RowLoadProcess, plan: StepPlan): Promise<StepResult> {
  const { transport, connections, batch, intervalMs, durationMs, seed } = plan;
  await load.open(await server.start(transport), connections);
  const before = await cpuOf(server, load);
  const startMicros = monotonicMicros() + AHEAD_MICROS;
  const published = await server.publish({
    schedule: {
      startMicros,
      intervalMicros: intervalMs * 1000,
      count: Math.max(1, Math.round(durationMs / intervalMs)),
    },
    batch,
    seed,
    limitLagMicros: LIMIT_LAG_MICROS,
    limitQueueBytes: LIMIT_QUEUE_BYTES,
  });
  const publishedRows = published.batches * batch;
  const counts = await load.finish(publishedRows, published.isGivenUp ? 0 : DRAIN_MS);
  const after = await cpuOf(server, load);
  await load.close();
  await server.close();
  const wallMicros = Math.max(counts.lastMicros - startMicros, published.batches * intervalMs * 1000);
  const latency = new LatencyHistogram();
  latency.add(counts.latency);
  const p99Micros = latency.percentile(0.99);
  return {
    transport,
    connections,
    batch,
    intervalMs,
    offeredPerSecond: (batch * connections * 1000) / intervalMs,
    rowsPerSecond: perSecond(counts.rows, wallMicros),
    rows: counts.rows,
    lost: counts.lost,
    behind: counts.behind,
    doubled: counts.doubled,
    bytesPerRow: counts.rows > 0 ? counts.bytes / counts.rows : 0,
    p50Micros: latency.percentile(0.5),
    p99Micros,
    latency: counts.latency,
    serverShare: (after.server - before.server) / (after.micros - before.micros),
    clientShare: (after.client - before.client) / (after.micros - before.micros),
    serverCpuMicros: after.server - before.server,
    clientCpuMicros: after.client - before.client,
    isKeptUp: !published.isGivenUp && isKeptUp(counts, p99Micros),
  };
}

/** Whether all rows came once, and all but few of them soon. */
function isKeptUp(
  { rows, lost, behind, doubled }: Pick<RowCounts, 'rows' | 'lost' | 'behind' | 'doubled'>,
  p99Micros: number,
): boolean {
  return rows > 0 && lost + behind + doubled === 0 && p99Micros <= KEPT_UP_P99_MS * 1000;
}

async function cpuOf(server: RowServerProcess, load: RowLoadProcess) {
  const [serverCpu, clientCpu] = await Promise.all([server.cpuMicros(), load.cpuMicros()]);
  return { server: serverCpu, client: clientCpu, micros: monotonicMicros() };
}

function perSecond(count: number, micros: number): number {
  return micros > 0 ? (count / micros) * 1e6 : 0;
}
