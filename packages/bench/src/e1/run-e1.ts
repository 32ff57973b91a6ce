import type { Asked, ExperimentEdge } from '../old-experiment.ts';
import { SERVER_CORE } from '../setting.ts';
import { startNodeSubject } from '../subjects/node-subject.ts';
import type { CellRun } from './cell-run.ts';
import { type CellToRun, CROSSING_WAYS, cellsToRun, crossingWays } from './cells-to-run.ts';
import type { CrossingRun } from './crossing-run.ts';
import { type E1Plan, polledUpdates, pushedUpdates } from './e1-plan.ts';
import { evenlyServedPerSecond } from './evenly-served.ts';
import { percentileMs } from './latency-share.ts';
import { measureCrossing } from './measure-crossing.ts';
import { type CellResult, measurePolling } from './measure-polling.ts';
import { measureSse } from './measure-sse.ts';
import { type ServedWay, startWay } from './served-way.ts';
import type { Way } from './ways.ts';

/** All that was measured. JSON. */
export interface E1Data {
  readonly plan: E1Plan;
  /** Of the event that all sent, bytes. */
  readonly eventBytes: number;
  readonly runs: readonly CellRun[];
  readonly crossings: readonly CrossingRun[];
  /** What is not on this machine. */
  readonly missing: readonly string[];
}

interface Run {
  readonly plan: E1Plan;
  readonly event: string;
  readonly folder: string;
  readonly seed: number;
}

/** A cell that takes so much longer than twice what is measured will never be done, milliseconds. */
const LIMIT_MORE_MS = 75_000;

/** Runs all cells in turns, each repeat after the other, and then asks at rates near the crossing of pulling and pushing. */
export async function runE1(plan: E1Plan, asked: Asked, { folder, onProgress }: ExperimentEdge): Promise<E1Data> {
  const cells = cellsToRun(plan, asked.only, asked.quick);
  const ways = crossingWays(asked.only, asked.quick);
  const total = plan.repeats * (cells.length + ways.length);
  const run: Run = { plan, folder, seed: asked.seed, event: await sampleEvent(plan.eventBytes) };
  const runs: CellRun[] = [];
  const crossings: CrossingRun[] = [];
  const missing = new Set<string>();
  const progress = (line: string) => onProgress(line, (runs.length + crossings.length) / total);
  for (let repeat = 0; repeat < plan.repeats; repeat += 1) {
    for (const cell of cells) {
      const one = await runCell(cell, repeat, run);
      if (one === undefined) missing.add(cell.way.name);
      else {
        runs.push(one);
        progress(cellLine(cell, one));
      }
    }
  }
  for (let repeat = 0; repeat < plan.repeats; repeat += 1) {
    for (const way of ways) {
      const one = await runCrossing(way, repeat, run);
      crossings.push(one);
      progress(crossingLine(way, one));
    }
  }
  return { plan, eventBytes: Buffer.byteLength(run.event), runs, crossings, missing: [...missing] };
}

/** The event that all send: what our server makes of a commit. */
async function sampleEvent(eventBytes: number): Promise<string> {
  const subject = await startNodeSubject('ldes-live', { live: { workload: 'sized', eventBytes } }, SERVER_CORE);
  await subject.close();
  return subject.sample ?? '';
}

async function runCell({ way, clients }: CellToRun, repeat: number, run: Run): Promise<CellRun | undefined> {
  const cell = { way: way.id, clients, repeat };
  try {
    const result = await withWay(way, clients, run, (served) => measure(way, clients, served, run));
    return result && { ...cell, ...result };
  } catch (error) {
    return { ...cell, failure: textOf(error) };
  }
}

function measure(way: Way, clients: number, served: ServedWay, { plan, folder, seed }: Run): Promise<CellResult> {
  const { intervalMs, settleMs, pauseMs } = plan;
  if (way.kind === 'sse') {
    const { count, intervalMs: pushedEveryMs } = pushedUpdates(plan, clients);
    const lean = clients === plan.barClients && { lean: { ...plan.lean, folder } };
    return measureSse(served, { clients, intervalMs: pushedEveryMs, updates: count, settleMs, ...lean });
  }
  const behaviour =
    way.malSeconds === undefined
      ? ({ kind: 'article', pauseMs } as const)
      : ({ kind: 'mal', malSeconds: way.malSeconds } as const);
  return measurePolling(served, { clients, behaviour, intervalMs, updates: polledUpdates(plan), settleMs, seed });
}

async function runCrossing(way: Way, repeat: number, run: Run): Promise<CrossingRun> {
  const { server, between } = way;
  const cell = { server, between, repeat };
  const { intervalMs, crossing } = run.plan;
  const { clients } = crossing;
  const isVerified = (CROSSING_WAYS.verified as readonly string[]).includes(way.id);
  try {
    const plan = { ...crossing, isVerified, intervalMs, folder: run.folder };
    const measured = await withWay(
      way,
      clients,
      run,
      async (served) => (await measureCrossing(served, plan)) ?? unmeasured('there is no compiler for its clients'),
    );
    return { ...cell, ...(measured ?? unmeasured('it is not on this machine')) };
  } catch (error) {
    return { ...cell, ...unmeasured(textOf(error)) };
  }
}

function unmeasured(failure: string): Pick<CrossingRun, 'rates' | 'failure'> {
  return { rates: [], failure };
}

/** Starts a way, uses it for as long as it may take, and ends it. */
async function withWay<Result>(
  way: Way,
  clients: number,
  { plan: { intervalMs, measuredMs }, event, folder }: Run,
  use: (served: ServedWay) => Promise<Result>,
): Promise<Result | undefined> {
  const served = await startWay(way, { event, intervalMs, clients, folder });
  if (served === undefined) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const limitMs = 2 * measuredMs + LIMIT_MORE_MS;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([use(served), late]);
  } finally {
    clearTimeout(timer);
    await served.close();
  }
}

function cellLine({ way, clients }: CellToRun, { measured, failure, refusal }: CellRun): string {
  const name = `${way.name}, ${clients} clients`;
  if (!measured) return `${name}: failed: ${failure}`;
  const cpu = (measured.serverCpuMicros / Math.max(1, measured.delivered)).toFixed(1);
  const p99 =
    refusal === undefined ? `p99 ${percentileMs(measured.latency, 0.99).toFixed(0)} ms` : `refused: ${refusal}`;
  return `${name}: ${measured.delivered} of ${measured.expected} updates, ${cpu} us each, ${p99}`;
}

function crossingLine({ name }: Way, { capacity, rates, failure }: CrossingRun): string {
  if (!capacity) return `crossing, ${name}: failed: ${failure}`;
  const tried = rates.map(({ part, round }) => `, ${((100 * round.served) / round.asked).toFixed(1)} % at ${part}`);
  return `crossing, ${name}: ${Math.round(evenlyServedPerSecond(capacity))} requests/s${tried.join('')}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
