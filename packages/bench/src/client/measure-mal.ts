import { setTimeout as delay } from 'node:timers/promises';
import { type Child, startChild } from '../child.ts';
import { freePort } from '../free-port.ts';
import { LatencyHistogram } from '../load/latency-histogram.ts';
import type { Setting } from '../setting.ts';
import { ClientLoad } from './client-load.ts';
import type { ClientLoadReport } from './client-messages.ts';
import type { MalSize } from './client-plan.ts';
import { CLIENT_CORE, SERVER_CORE } from './cores.ts';

/** What clients with one MAL get of the demonstration, and what they cost. */
export interface MalRow {
  readonly malSeconds: number;
  /** How many clients were in each mode at the end. */
  readonly modes: { readonly pull: number; readonly push: number };
  readonly delivered: number;
  readonly misses: number;
  /** Misses that the clients tell of. */
  readonly told: number;
  /** From publication to delivery, milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** For one client and minute: requests for documents and events. */
  readonly requests: number;
  /** For one client and minute: bytes that its connections received and sent, compressed as they go. */
  readonly wireBytes: number;
  /** For one client and minute: CPU time of the server, less what it takes without clients, milliseconds. */
  readonly serverCpuMs: number;
}

export interface MalResult {
  readonly stream: string;
  /** CPU time of the server for a minute without clients, milliseconds. */
  readonly idleCpuMsPerMinute: number;
  readonly rows: readonly MalRow[];
}

const STREAM = 'vehicles';
const READY_MS = 60_000;
const TRY_MS = 100;
const MINUTE_MS = 60_000;
const SEED = 1;

/** What each MAL brings and costs on the demonstration. */
export async function measureMal(size: MalSize, { onProgress }: Setting): Promise<MalResult> {
  const port = await freePort();
  const url = `http://localhost:${port}/${STREAM}`;
  const server = startChild<{ readonly cpuMicros: number }>(
    new URL('./demo-process.js', import.meta.url),
    [String(port)],
    SERVER_CORE,
  );
  const cpuMs = async () => {
    server.send({});
    return (await server.next()).cpuMicros / 1000;
  };
  try {
    await untilAnswering(url, server);
    // What a start takes is not what it goes on to take.
    await delay(size.warmUpMs);
    const before = await cpuMs();
    await delay(size.idleMs);
    const idleCpuMsPerMinute = (((await cpuMs()) - before) * MINUTE_MS) / size.idleMs;
    const rows: MalRow[] = [];
    for (const malSeconds of size.malSeconds) {
      const row = await measureRow(size, { malSeconds, url, cpuMs, idleCpuMsPerMinute });
      rows.push(row);
      onProgress(
        `mal ${malSeconds} s: p99 ${Math.round(row.p99Ms)} ms, ${row.requests.toFixed(1)} requests a minute`,
        rows.length / size.malSeconds.length,
      );
    }
    return { stream: STREAM, idleCpuMsPerMinute, rows };
  } finally {
    server.disconnect();
    await server.ended;
  }
}

interface RowEdge {
  readonly malSeconds: number;
  readonly url: string;
  readonly cpuMs: () => Promise<number>;
  readonly idleCpuMsPerMinute: number;
}

async function measureRow(size: MalSize, edge: RowEdge): Promise<MalRow> {
  const { malSeconds, url, cpuMs, idleCpuMsPerMinute } = edge;
  const spec = { group: STREAM, url, malSeconds };
  const clients = Array.from({ length: size.clients }, () => spec);
  const load = await ClientLoad.start({ clients, openingMs: size.warmUpMs / 2, seed: SEED }, CLIENT_CORE);
  try {
    await load.ready(READY_MS);
    await delay(size.warmUpMs);
    await load.begin();
    const before = await cpuMs();
    await delay(size.durationMs);
    const usedMs = (await cpuMs()) - before;
    const report = await load.report();
    const minutes = size.durationMs / MINUTE_MS;
    return malRow(malSeconds, report, minutes, usedMs - idleCpuMsPerMinute * minutes);
  } finally {
    await load.stop();
  }
}

/** The row of one MAL, by what its clients report of so many minutes in which the server took so long for them. */
function malRow(
  malSeconds: number,
  { clients, wireBytes }: ClientLoadReport,
  minutes: number,
  serverCpuMs: number,
): MalRow {
  const lags = new LatencyHistogram();
  for (const client of clients) lags.add(client.lags);
  const sum = (figure: (client: (typeof clients)[number]) => number) =>
    clients.reduce((total, client) => total + figure(client), 0);
  const clientMinutes = clients.length * minutes;
  const pull = clients.filter(({ mode }) => mode === 'pull').length;
  return {
    malSeconds,
    modes: { pull, push: clients.length - pull },
    delivered: sum(({ delivered }) => delivered),
    misses: sum(({ misses }) => misses),
    told: sum(({ told }) => told),
    p50Ms: lags.percentile(0.5) / 1000,
    p99Ms: lags.percentile(0.99) / 1000,
    longestMs: lags.max / 1000,
    requests: sum(({ documents, events }) => documents + events) / clientMinutes,
    wireBytes: wireBytes / clientMinutes,
    serverCpuMs: serverCpuMs / clientMinutes,
  };
}

async function untilAnswering(url: string, { pid }: Child<unknown>): Promise<void> {
  for (let waitedMs = 0; waitedMs < READY_MS; waitedMs += TRY_MS) {
    const response = await fetch(url).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok) return;
    await delay(TRY_MS);
  }
  throw new Error(`The demonstration, process ${pid}, does not answer`);
}
