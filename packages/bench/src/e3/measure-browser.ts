import { setTimeout as delay } from 'node:timers/promises';
import { type LatencyCounts, LatencyHistogram } from '../load/latency-histogram.ts';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { isInstalled } from '../processes.ts';
import { type ChromiumPage, openChromium } from '../programs/chromium.ts';
import { LOAD, type Setting } from '../setting.ts';
import type { BrowserPlan } from './e3-plan.ts';
import { type PageServer, startPageServer } from './page-server.ts';
import { treeCpuMicros } from './process-tree.ts';
import type { RowServerProcess } from './row-processes.ts';
import { startRowServerProcess } from './row-processes.ts';
import type { RowCounts } from './row-tally.ts';
import { KEPT_UP_P99_MS } from './run-step.ts';
import { TRANSPORT_NAMES, type Transport } from './transport.ts';

/** One page by one transport at one rate, in one repeat. */
export interface BrowserRun {
  readonly page: 'table' | 'chart';
  readonly transport: Transport;
  readonly batch: number;
  /** From 0. */
  readonly repeat: number;
  readonly offeredPerSecond: number;
  readonly rowsPerSecond: number;
  readonly rows: number;
  readonly lost: number;
  /** Rows that had not been parsed when the measured time ended. */
  readonly behind: number;
  readonly doubled: number;
  /** Times that the page was drawn. */
  readonly draws: number;
  readonly longestGapMs: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
  readonly latency: LatencyCounts;
  /** Share of a core that all processes of the browser took; absent where the system does not tell. */
  readonly browserShare?: number;
  readonly serverShare: number;
  /** What the page wrote to its console as an error. */
  readonly problems: readonly string[];
}

/** What came of the browser. */
export interface BrowserResult {
  /** Whether there is no browser here. */
  readonly isMissing: boolean;
  readonly runs: readonly BrowserRun[];
}

/** What a page tells of itself. */
interface Look extends RowCounts {
  readonly draws: number;
  readonly longestGapMs: number;
}

const AHEAD_MICROS = 20_000;
const LIMIT_LAG_MICROS = 500_000;
const LIMIT_QUEUE_BYTES = 32 * 1024 * 1024;
const OPEN_MS = 10_000;
const DRAIN_MS = 1500;
const LOOK_MS = 50;

/** Shows rows in pages of Chromium: all transports in turns, as often as there are repeats. */
export async function measureBrowser(plan: BrowserPlan, setting: Setting): Promise<BrowserResult> {
  if (!isInstalled('chromium')) return { isMissing: true, runs: [] };
  const runs: BrowserRun[] = [];
  const all = plan.repeats * plan.transports.length * plan.pages.length * plan.batches.length;
  // What starts first is what may fail to.
  const chromium = await openChromium('about:blank', LOAD.core);
  const pages = await startPageServer();
  const server = startRowServerProcess();
  try {
    // The first page of a browser starts what later ones find running.
    await warmBrowser({ pages, server, chromium }, plan);
    for (let repeat = 0; repeat < plan.repeats; repeat += 1) {
      for (const batch of plan.batches) {
        for (const transport of plan.transports) {
          for (const page of plan.pages) {
            const run = await runPage({ pages, server, chromium }, plan, { page, transport, batch, repeat });
            runs.push(run);
            setting.onProgress(lineOf(run), runs.length / all);
          }
        }
      }
    }
  } finally {
    await chromium.close();
    await server.end();
    await pages.close();
  }
  return { isMissing: false, runs };
}

interface BrowserEdge {
  readonly pages: PageServer;
  readonly server: RowServerProcess;
  readonly chromium: ChromiumPage;
}

async function runPage(
  { pages, server, chromium }: BrowserEdge,
  { intervalMs, warmUpMs, durationMs, seed }: BrowserPlan,
  what: Pick<BrowserRun, 'page' | 'transport' | 'batch' | 'repeat'>,
): Promise<BrowserRun> {
  const { page, transport, batch } = what;
  const target = await server.start(transport);
  const problemsBefore = chromium.problems.length;
  const scheme = transport === 'websocket' ? 'ws' : 'http';
  const query = new URLSearchParams({
    transport,
    name: TRANSPORT_NAMES[transport],
    url: `${scheme}://127.0.0.1:${target.port}${target.path}`,
    // Stamps are of a clock that pages do not have.
    offset: String(Date.now() * 1000 - monotonicMicros()),
  });
  await chromium.command('Page.navigate', { url: `${pages.url}pages/${page}.html?${query}` });
  await until(OPEN_MS, () => chromium.evaluate<boolean>('globalThis.isOpen?.() ?? false'));
  const intervalMicros = intervalMs * 1000;
  const publish = (startMicros: number, firstBatch: number, count: number) =>
    server.publish({
      schedule: { startMicros, intervalMicros, count },
      firstBatch,
      batch,
      seed,
      limitLagMicros: LIMIT_LAG_MICROS,
      limitQueueBytes: LIMIT_QUEUE_BYTES,
    });
  const isPast = (rows: number) => chromium.evaluate<boolean>(`globalThis.isPast(${rows})`);
  const warmUp = await publish(monotonicMicros() + AHEAD_MICROS, 0, Math.round(warmUpMs / intervalMs));
  const firstRow = warmUp.batches * batch;
  await until(OPEN_MS, async () => (await isPast(firstRow)) && chromium.evaluate<boolean>('globalThis.hasDrawn()'));
  const count = Math.round(durationMs / intervalMs);
  const startMicros = monotonicMicros() + AHEAD_MICROS;
  const endMicros = startMicros + (count - 1) * intervalMicros + KEPT_UP_P99_MS * 1000;
  await chromium.evaluate(`globalThis.count(${JSON.stringify({ firstRow, endMicros })})`);
  const before = await cpuOf(server, chromium);
  const { batches } = await publish(startMicros, warmUp.batches, count);
  await until(DRAIN_MS, () => isPast(firstRow + batches * batch));
  const after = await cpuOf(server, chromium);
  // What the server gave up to publish was to come too.
  const due = firstRow + count * batch;
  const { bytes: _, lastMicros: __, ...look } = await chromium.evaluate<Look>(`globalThis.look(${due})`);
  await chromium.command('Page.navigate', { url: 'about:blank' });
  await server.close();
  const latency = new LatencyHistogram();
  latency.add(look.latency);
  const wallMicros = after.micros - before.micros;
  return {
    ...what,
    ...look,
    offeredPerSecond: (batch * 1000) / intervalMs,
    rowsPerSecond: (look.rows / (count * intervalMicros)) * 1e6,
    p50Micros: latency.percentile(0.5),
    p99Micros: latency.percentile(0.99),
    serverShare: (after.server - before.server) / wallMicros,
    ...(before.browser !== undefined &&
      after.browser !== undefined && { browserShare: (after.browser - before.browser) / wallMicros }),
    problems: chromium.problems.slice(problemsBefore),
  };
}

async function warmBrowser(edge: BrowserEdge, plan: BrowserPlan): Promise<void> {
  const [transport, page, batch] = [plan.transports[0], plan.pages[0], plan.batches[0]];
  if (transport && page && batch) await runPage(edge, plan, { page, transport, batch, repeat: 0 });
}

async function cpuOf(server: RowServerProcess, { pid }: ChromiumPage) {
  return { server: await server.cpuMicros(), browser: treeCpuMicros(pid), micros: monotonicMicros() };
}

/** Waits until something holds, or for so long. */
async function until(limitMs: number, holds: () => Promise<boolean>): Promise<void> {
  const endMicros = monotonicMicros() + limitMs * 1000;
  while (!(await holds()) && monotonicMicros() < endMicros) await delay(LOOK_MS);
}

function lineOf({ page, transport, offeredPerSecond, draws, longestGapMs }: BrowserRun): string {
  const drawn = `${draws} draws, at most ${Math.round(longestGapMs)} ms apart`;
  return `${page} by ${TRANSPORT_NAMES[transport]} at ${offeredPerSecond} rows/s: ${drawn}`;
}
