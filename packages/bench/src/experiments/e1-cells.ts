/*
 * A cell of `e1` with clients that poll: a server, with what stands before it, and so many clients of it.
 *
 *   { "measurement": "polling", "subject": "Express", "at": { "clients": 5000, "front": "nginx" } }
 *   -> withWay: server on core 0, a front on the same core, clients on core 1, all ended afterwards
 *   -> { "expected": 5000, "skipped": 0, "lost": 0, "doubled": 0, "p99Ms": 1840, "cpuShare": 0.21, "residentBytes": 91000000, ... }
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab, Measured, Missing } from '../experiment.ts';
import { Histogram } from '../histogram.ts';
import { busyLoad } from '../load/effort.ts';
import { startPollLoad, sumPollReports } from '../load/poll-load.ts';
import type { PollBehaviour } from '../load/poll-pace.ts';
import type { PollReport } from '../load/poll-reader.ts';
import { duePercentiles } from '../load/push-load.ts';
import { isInstalled, processesFor, SERVER_CORE } from '../processes.ts';
import { FRONT_PROGRAMS, startFront } from '../programs/fronts.ts';
import type { CellPlan } from '../result.ts';
import { type Subject, startSubject } from '../subjects/subject.ts';
import { monotonicMicros, startPublishing, until } from '../timing.ts';
import { grown, sharedEvent } from './push-cell.ts';

/** How large every cell is in a full run. */
export const SIZES = {
  eventBytes: 5200,
  /** From one update to the next where clients poll, and what CPU time is a share of. */
  intervalMs: 5000,
  /** How long each cell is measured; with `manyClients` and more, whose one update tells as much, `manyMs`. */
  measuredMs: 10_000,
  manyMs: 5000,
  manyClients: 5000,
  /** How long the article's client waits after an answer. */
  pauseMs: 500,
  /** The shortest time from one pushed update to the next. */
  minPushMs: 1000,
  /** Before memory is looked at. */
  settleMs: 300,
};
type Sizes = typeof SIZES;

/** How many updates are measured where so many clients poll. */
export function polledUpdates({ measuredMs, manyMs, manyClients, intervalMs }: Sizes, clients: number): number {
  return Math.max(1, Math.round((clients < manyClients ? measuredMs : manyMs) / intervalMs));
}

/** With more lost or skipped, what a server takes that leaves clients without says nothing of what they cost. */
const MAX_MISSING_SHARE = 0.01;

/** Share of a core that updates take when there is one every so often; and the same where clients had nearly all. */
export function costsOf(updateCpuMicros: number, everyMs: number, missingShare: number) {
  const cpuShare = updateCpuMicros / (everyMs * 1000);
  return { cpuShare, ...(missingShare <= MAX_MISSING_SHARE && { servedCpuShare: cpuShare }) };
}

/** A server with what stands before it, started for a number of clients. */
export interface Way extends Pick<Subject, 'ports' | 'path' | 'cpuMicros' | 'residentBytes' | 'close'> {
  readonly subject: Subject;
}

/** A cell that takes so much longer than twice what is measured will never be done. */
const LIMIT_MORE_MS = 75_000;

/** Starts the way of a cell for so many clients, uses it for as long as it may take, and ends it. */
export async function withWay(
  cell: CellPlan,
  clients: number,
  sizes: Sizes,
  lab: Lab,
  use: (way: Way) => Promise<Measured | readonly Measured[] | Missing>,
): Promise<Measured | readonly Measured[] | Missing> {
  const way = await startWay(cell, clients, await sharedEvent(lab, sizes.eventBytes), sizes.intervalMs);
  if ('missing' in way) return way;
  const limitMs = 2 * sizes.measuredMs + LIMIT_MORE_MS;
  const late = sleep(limitMs, undefined, { ref: false }).then((): never => {
    throw new Error(`not done after ${limitMs / 1000} s`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([use(way), late]);
  } finally {
    await way.close();
  }
}

async function startWay(
  { subject: name, at: { front } }: CellPlan,
  clients: number,
  event: string,
  intervalMs: number,
): Promise<Way | Missing> {
  const isStraight = front === 'straight';
  const kind = (front === 'nginx' && name === 'Express' ? 'article-nginx' : front) as keyof typeof FRONT_PROGRAMS;
  if (!isStraight && !isInstalled(FRONT_PROGRAMS[kind])) return { missing: String(front) };
  // What is behind a cache has few clients.
  const options = { intervalMs, processes: isStraight ? processesFor(clients) : 1 };
  const live = { workload: 'sized', eventBytes: Buffer.byteLength(event) } as const;
  const subject =
    name === 'Express'
      ? await startSubject('Express', { event, ...options }, SERVER_CORE)
      : await startSubject('ldes-live', { ...live, ...options }, SERVER_CORE);
  const path = subject.latestPath ?? subject.path;
  return isStraight ? { ...subject, path, subject } : { ...(await startBefore(kind, subject, clients)), path, subject };
}

/** Starts a front before a server; both cost, and are closed, as one. */
async function startBefore(kind: keyof typeof FRONT_PROGRAMS, subject: Subject, clients: number) {
  const publisher = new URL(`http://127.0.0.1:${subject.ports[0]}/`);
  const starting = startFront(kind, publisher, { core: SERVER_CORE, processes: processesFor(clients) });
  const front = await starting.catch(async (error) => {
    await subject.close();
    throw error;
  });
  return {
    ports: front.ports,
    cpuMicros: async () => (await subject.cpuMicros()) + front.cpuMicros(),
    residentBytes: () => {
      const [own, before] = [subject.residentBytes(), front.residentBytes()];
      return own === undefined || before === undefined ? undefined : own + before;
    },
    close: async () => {
      await front.close();
      await subject.close();
    },
  };
}

type PollCell = Sizes & {
  readonly clients: number;
  /** Of our client; absent for the article's. */
  readonly malSeconds: number | undefined;
  readonly seed: number;
};

/** Before an update is due, counts are looked at: by then all should have the one before. */
const MARGIN_MS = 50;
/** How often is looked whether what is still on its way has come. */
const LOOK_MS = 100;

/** How long starting a load and having its clients answered once may well take. */
export function openingMs(clients: number): number {
  return 1000 + 0.5 * clients;
}

/** Connects polling clients, and counts what they have of updates from just before one to just before another. */
export async function measurePolling(way: Way, cell: PollCell): Promise<Measured> {
  const { clients: readers, malSeconds, intervalMs, pauseMs, seed } = cell;
  const updates = polledUpdates(cell, readers);
  const expected = updates * readers;
  const behaviour: PollBehaviour =
    malSeconds === undefined ? { kind: 'article', stepMs: pauseMs } : { kind: 'mal', stepMs: malSeconds * 1000 };
  await sleep(cell.settleMs);
  const memoryBefore = way.residentBytes();
  // So old that an update is due as soon as all are open.
  const publishing = startPublishing(way.subject, intervalMs, intervalMs - (openingMs(readers) % intervalMs));
  await publishing.begun;
  const load = await startPollLoad(way, { readers, behaviour, updateIntervalMs: intervalMs, seed });
  let ended: Promise<void> | undefined;
  try {
    const first = publishing.nextAfter(monotonicMicros() + 2 * MARGIN_MS * 1000);
    const lookMicros = (index: number) => publishing.dueMicros(index) - MARGIN_MS * 1000;
    ended = publishing.endWith(first + updates - 1);
    await until(lookMicros(first));
    const cpuBefore = await way.cpuMicros();
    await load.report(lookMicros(first));
    await until(lookMicros(first + updates));
    const cpuMicros = (await way.cpuMicros()) - cpuBefore;
    const report = await load.report(lookMicros(first));
    const memory = grown(memoryBefore, way.residentBytes(), readers);
    // What was still on its way counts too, as long as there is no newer one.
    const endMicros = publishing.dueMicros(first + updates + 1);
    let reached = report;
    while (reached.news + reached.skipped < expected && monotonicMicros() < endMicros) {
      await sleep(LOOK_MS);
      reached = sumPollReports([reached, await load.report(lookMicros(first))]);
    }
    const costs = costsOf(cpuMicros / updates, intervalMs, (expected - reached.news) / expected);
    const { values, ...measured } = polledValues(report, reached, cell);
    return {
      ...measured,
      values: { ...values, cpuMicros: cpuMicros / Math.max(1, reached.news), ...costs, ...memory },
    };
  } finally {
    await load.stop();
    // A server that cannot keep up publishes late as well: only without its clients does it come to the last.
    await ended;
  }
}

/** @param reached - with what came after the end of what is measured */
export function polledValues(
  { requests, failed, effort }: PollReport,
  { news, skipped, older: doubled, delay: encoded }: PollReport,
  cell: PollCell,
): Measured {
  const expected = polledUpdates(cell, cell.clients) * cell.clients;
  const lost = expected - news - skipped;
  const values = {
    ...{ expected, skipped, lost, doubled, failed },
    requestsPerSecond: (requests * 1e6) / effort.wallMicros,
    requestsPerUpdate: requests / expected,
    loadShare: effort.cpuMicros / effort.wallMicros,
    loadLagMs: effort.maxLagMicros / 1000,
  };
  const delay = new Histogram(encoded);
  const refused = busyLoad(effort, delay.percentileMs(0.99));
  if (refused !== undefined) return { values, refused };
  const malMissedShare = missedShare(delay, skipped, lost, cell);
  const delays = {
    ...duePercentiles(delay, lost + skipped),
    ...(news > 0 && { maxMs: delay.maxMicros / 1000 }),
    underSecondShare: Math.min(1, delay.countBelow(1000) / expected),
    ...(malMissedShare !== undefined && { malMissedShare }),
  };
  return { values: { ...values, ...delays }, histograms: { delay: encoded } };
}

/**
 * Share of all updates that were due which came later than the MAL or never did. With updates that follow each other sooner than
 * the MAL, a client may pass some by, and at the end have some still to come in time: these are not missed, and where that is
 * all of them nothing is known.
 */
function missedShare(delay: Histogram, skipped: number, lost: number, cell: PollCell): number | undefined {
  const { malSeconds, clients, intervalMs } = cell;
  if (malSeconds === undefined) return undefined;
  const updates = polledUpdates(cell, clients);
  const late = delay.total - delay.countBelow(malSeconds * 1000 + 0.001);
  const updatesOfMal = Math.ceil((malSeconds * 1000) / intervalMs);
  if (updatesOfMal <= 1) return (late + skipped + lost) / (updates * clients);
  if (updates <= updatesOfMal) return undefined;
  return (late + Math.max(0, lost - clients * updatesOfMal)) / (updates * clients);
}
