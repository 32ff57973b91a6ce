/*
 * A cell of `e1`: a server, with what stands before it, and so many clients that poll it or that it pushes to.
 *
 *   { "measurement": "polling", "subject": "Express", "at": { "clients": 5000, "front": "nginx" } }
 *   -> withWay: server on core 0, a front on the same core, clients on core 1, all ended afterwards
 *   -> { "delivered": 10000, "skipped": 0, "lost": 0, "doubled": 0, "p99Ms": 1840, "cpuShare": 0.21, "residentBytes": 91000000, ... }
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab, Measured, Missing } from '../experiment.ts';
import { Histogram } from '../histogram.ts';
import { busyLoad } from '../load/effort.ts';
import { type PollLoad, startPollLoad, sumPollReports } from '../load/poll-load.ts';
import type { PollBehaviour } from '../load/poll-pace.ts';
import type { PollReport } from '../load/poll-reader.ts';
import { duePercentiles } from '../load/push-load.ts';
import { isInstalled, processesFor, SERVER_CORE } from '../processes.ts';
import { FRONT_PROGRAMS, startFront } from '../programs/fronts.ts';
import type { CellPlan } from '../result.ts';
import { type Subject, startSubject } from '../subjects/subject.ts';
import { monotonicMicros, startPublishing, until } from '../timing.ts';
import {
  grown,
  measurePush,
  NEEDS,
  type PushCell,
  type PushedName,
  sharedEvent,
  sharedFolder,
  startPushed,
} from './push-cell.ts';

/** How large every cell is. */
export interface CellSizes {
  readonly eventBytes: number;
  /** From one update to the next where clients poll, and what CPU time is a share of. */
  readonly intervalMs: number;
  /** How long each cell is measured. */
  readonly measuredMs: number;
  /** How long the article's client waits after an answer. */
  readonly pauseMs: number;
  /** The shortest time from one pushed update to the next. */
  readonly minPushMs: number;
  /** Before memory is looked at. */
  readonly settleMs: number;
  /** With how many clients CPU time is taken once more, beside readers that do nothing but read; and by which updates. */
  readonly cpuOnlyClients: number;
  readonly cpuOnly: NonNullable<PushCell['cpuOnly']>;
}

/** How many updates are measured where clients poll. */
export function polledUpdates({ measuredMs, intervalMs }: CellSizes): number {
  return Math.max(1, Math.round(measuredMs / intervalMs));
}

/** Milliseconds of the least time between two pushed updates for each client. */
const PUSH_MS_PER_CLIENT = 0.25;
const MAX_PUSHED = 3;

/** How updates are pushed to so many: as soon one after the other as lets all servers be done between. */
export function pushedUpdates(sizes: CellSizes, clients: number): Pick<PushCell, 'intervalMs' | 'updates'> {
  const intervalMs = Math.min(sizes.intervalMs, Math.max(sizes.minPushMs, clients * PUSH_MS_PER_CLIENT));
  return { intervalMs, updates: Math.min(MAX_PUSHED, Math.max(1, Math.floor(sizes.measuredMs / intervalMs))) };
}

/** A server with what stands before it, started for a number of clients. */
export interface Way extends Pick<Subject, 'ports' | 'path' | 'cpuMicros' | 'residentBytes' | 'close'> {
  readonly subject: Subject;
}

type Found = Measured | readonly Measured[] | Missing;

/** A cell that takes so much longer than twice what is measured will never be done. */
const LIMIT_MORE_MS = 75_000;

/** Starts the way of a cell for so many clients, uses it for as long as it may take, and ends it. */
export async function withWay(
  cell: CellPlan,
  clients: number,
  sizes: CellSizes,
  lab: Lab,
  use: (way: Way) => Promise<Found>,
): Promise<Found> {
  const way =
    cell.measurement === 'sse'
      ? await startSse(cell, clients, sizes, lab)
      : await startPolled(cell, clients, sizes, lab);
  if ('missing' in way) return way;
  const limitMs = 2 * sizes.measuredMs + LIMIT_MORE_MS;
  const ending = new AbortController();
  const late = async (): Promise<never> => {
    await sleep(limitMs, undefined, { signal: ending.signal });
    throw new Error(`not done after ${limitMs / 1000} s`);
  };
  try {
    return await Promise.race([use(way), late()]);
  } finally {
    ending.abort();
    await way.close();
  }
}

async function startSse(
  { subject: name }: CellPlan,
  clients: number,
  { eventBytes }: CellSizes,
  lab: Lab,
): Promise<Way | Missing> {
  const [event, folder] = [await sharedEvent(lab, eventBytes), await sharedFolder(lab)];
  const subject = await startPushed(name as PushedName, { event, clients, folder });
  return subject ? { ...subject, subject } : { missing: NEEDS[name] ?? name };
}

async function startPolled(
  { subject: name, at: { front } }: CellPlan,
  clients: number,
  { eventBytes, intervalMs }: CellSizes,
  lab: Lab,
): Promise<Way | Missing> {
  const isStraight = front === 'straight';
  const kind = (front === 'nginx' && name === 'Express' ? 'article-nginx' : front) as keyof typeof FRONT_PROGRAMS;
  if (!isStraight && !isInstalled(FRONT_PROGRAMS[kind])) return { missing: String(front) };
  // What is behind a cache has few clients.
  const options = { intervalMs, processes: isStraight ? processesFor(clients) : 1 };
  const event = await sharedEvent(lab, eventBytes);
  const subject =
    name === 'Express'
      ? await startSubject('express', { event, ...options }, SERVER_CORE)
      : await startSubject('ldes-live', { workload: 'sized', eventBytes, ...options }, SERVER_CORE);
  const path = subject.latestPath ?? subject.path;
  if (isStraight) return { ...subject, path, subject };
  const publisher = new URL(`http://127.0.0.1:${subject.ports[0]}/`);
  const before = await startFront(kind, publisher, { core: SERVER_CORE, processes: processesFor(clients) }).catch(
    async (error) => {
      await subject.close();
      throw error;
    },
  );
  return {
    subject,
    path,
    ports: before.ports,
    cpuMicros: async () => (await subject.cpuMicros()) + before.cpuMicros(),
    residentBytes: () => {
      const [own, front] = [subject.residentBytes(), before.residentBytes()];
      return own === undefined || front === undefined ? undefined : own + front;
    },
    close: async () => {
      await before.close();
      await subject.close();
    },
  };
}

/** Measures a way to poll or to push with the clients of a cell. */
export async function measureWay(
  { measurement, at }: CellPlan,
  way: Way,
  sizes: CellSizes,
  lab: Lab,
): Promise<Measured> {
  const clients = Number(at.clients);
  if (measurement === 'sse') return measureSse(way, clients, sizes, await sharedFolder(lab));
  const malSeconds = measurement === 'mal' ? Number(at.malSeconds) : undefined;
  return measurePolling(way, { ...sizes, clients, malSeconds, seed: lab.seed });
}

async function measureSse({ subject }: Way, clients: number, sizes: CellSizes, folder: string): Promise<Measured> {
  const pushed = pushedUpdates(sizes, clients);
  const { settleMs, cpuOnly } = sizes;
  const only = clients === sizes.cpuOnlyClients && { cpuOnly };
  const { values, ...measured } = await measurePush(subject, {
    ...pushed,
    clients,
    warmUps: 1,
    settleMs,
    folder,
    ...only,
  });
  const { expected = 0, events = 0, lost = 0, cpuMicros = 0 } = values;
  const costs = costsOf((cpuMicros * events) / pushed.updates, sizes.intervalMs, lost / expected);
  const delay = new Histogram(...Object.values(measured.histograms ?? {}));
  const soon = measured.refused === undefined && { underSecondShare: delay.countBelow(1000) / expected };
  return { ...measured, values: { ...values, skipped: 0, ...costs, ...soon } };
}

/** With more lost or skipped, what a server takes that leaves clients without says nothing of what they cost. */
const MAX_MISSING_SHARE = 0.01;

/** Share of a core that updates take when there is one every so often; and the same where clients had nearly all. */
function costsOf(updateCpuMicros: number, everyMs: number, missingShare: number) {
  const cpuShare = updateCpuMicros / (everyMs * 1000);
  return { missingShare, cpuShare, ...(missingShare <= MAX_MISSING_SHARE && { servedCpuShare: cpuShare }) };
}

interface PollCell extends CellSizes {
  readonly clients: number;
  /** Of our client; absent for the article's. */
  readonly malSeconds: number | undefined;
  readonly seed: number;
}

/** Before an update is due, counts are looked at: by then all should have the one before. */
const MARGIN_MS = 50;

/** How long starting a load and connecting its clients may well take. */
export function openingMs(clients: number): number {
  return 1500 + 0.3 * clients;
}

/** Connects polling clients, and counts what they have of updates from just before one to just before another. */
async function measurePolling(way: Way, cell: PollCell): Promise<Measured> {
  const { clients: readers, malSeconds, intervalMs, pauseMs, seed } = cell;
  const behaviour: PollBehaviour =
    malSeconds === undefined ? { kind: 'article', pauseMs } : { kind: 'mal', malSeconds };
  const updates = polledUpdates(cell);
  await sleep(cell.settleMs);
  const memoryBefore = way.residentBytes();
  const publishing = startPublishing(way.subject, intervalMs, Math.max(0, intervalMs - openingMs(readers)));
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
    const untilMicros = publishing.dueMicros(first + updates) + intervalMs * 1000;
    const expected = updates * readers;
    const reached = await reachedIn(load, report, { sinceMicros: lookMicros(first), expected, untilMicros });
    const { values, ...measured } = polled(report, reached, cell);
    const costs = costsOf(cpuMicros / updates, intervalMs, (expected - reached.news) / expected);
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

/** How often is looked whether what is still on its way has come. */
const LOOK_MS = 100;

/** What of the updates came: by the end of what is measured, and what was still on its way, as long as there is no newer one. */
async function reachedIn(
  load: PollLoad,
  report: PollReport,
  until: Readonly<Record<'sinceMicros' | 'expected' | 'untilMicros', number>>,
): Promise<PollReport> {
  let all = report;
  while (all.news + all.skipped < until.expected && monotonicMicros() < until.untilMicros) {
    await sleep(LOOK_MS);
    all = sumPollReports([all, await load.report(until.sinceMicros)]);
  }
  return all;
}

function polled(report: PollReport, reached: PollReport, cell: PollCell): Measured {
  const { requests, statuses, effort } = report;
  const { news: delivered, skipped, older: doubled } = reached;
  const expected = polledUpdates(cell) * cell.clients;
  const counts = { expected, delivered, skipped, lost: expected - delivered - skipped, doubled };
  const unusable = Object.entries(statuses).filter(([status]) => status !== '200' && status !== '304');
  const values = {
    ...counts,
    requests,
    failed: unusable.reduce((sum, [, count]) => sum + count, report.failed),
    requestsPerSecond: (requests * 1e6) / effort.wallMicros,
    requestsPerUpdate: requests / expected,
    bytes: report.bytes / Math.max(1, delivered),
    loadShare: effort.cpuMicros / effort.wallMicros,
    loadLagMs: effort.maxLagMicros / 1000,
  };
  const delay = new Histogram(reached.delay);
  const refused = busyLoad(effort, delay.percentileMs(0.99));
  if (refused !== undefined) return { values, refused };
  const malMissedShare = missedShare(delay, counts, cell);
  const delays = {
    ...duePercentiles(delay, counts.lost + skipped),
    ...(delivered > 0 && { maxMs: delay.maxMicros / 1000 }),
    underSecondShare: Math.min(1, delay.countBelow(1000) / expected),
    ...(malMissedShare !== undefined && { malMissedShare }),
  };
  return { values: { ...values, ...delays }, histograms: { delay: reached.delay } };
}

/**
 * Share of all updates that were due which came later than the MAL or never did. With updates that follow each other sooner than
 * the MAL, a client may pass some by, and at the end have some still to come in time: these are not missed, and where that is
 * all of them nothing is known.
 */
function missedShare(
  delay: Histogram,
  { delivered, skipped, lost, expected }: Readonly<Record<'delivered' | 'skipped' | 'lost' | 'expected', number>>,
  cell: PollCell,
): number | undefined {
  if (cell.malSeconds === undefined) return undefined;
  const late = Math.max(0, delivered - delay.countBelow(cell.malSeconds * 1000 + 0.001));
  const updatesOfMal = (cell.malSeconds * 1000) / cell.intervalMs;
  if (updatesOfMal <= 1) return (late + skipped + lost) / expected;
  if (polledUpdates(cell) <= Math.ceil(updatesOfMal)) return undefined;
  return (late + Math.max(0, lost - cell.clients * Math.ceil(updatesOfMal))) / expected;
}
