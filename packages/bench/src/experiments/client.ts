/*
 * `client`: whether clients keep their MALs, and what that costs. Clients with many MALs follow streams of many kinds,
 * straight and through caches, where push is advised below one MAL or another; and very many poll at once (stampede.ts).
 *
 *   { "measurement": "promise", "subject": "nginx", "at": { "breakEvenSeconds": 0.1, "stream": "late" },
 *     "values": { "delivered": 1700, "misses": 0, "unstated": 0, "requestsPerUpdate": 1.02, "p99Ms": 480 } }
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment, Lab, Measured, Missing, View } from '../experiment.ts';
import { Histogram } from '../histogram.ts';
import { busyLoad } from '../load/effort.ts';
import { programVersions } from '../machine.ts';
import { type Child, freePort, isInstalled, LOAD_CORE, SERVER_CORE, startChild } from '../processes.ts';
import { FRONT_PROGRAMS, startFront } from '../programs/fronts.ts';
import type { CellPlan } from '../result.ts';
import { seededRandom } from '../timing.ts';
import type {
  ClientOrder,
  ClientRole,
  ClientSpec,
  ClientsReport,
  PublisherReport,
  Readiness,
} from './client-process.ts';
import { judgeClients, type StreamRhythm } from './client-watch.ts';
import type { StampedeReport, StampedeSize } from './stampede.ts';

interface ClientPlan {
  /** Of each way, in equal parts on the streams. */
  readonly clients: number;
  readonly streams: readonly StreamRhythm[];
  /** MALs are drawn between these by their logarithm. */
  readonly minMalSeconds: number;
  readonly maxMalSeconds: number;
  /** The MAL below which the publisher advises push. */
  readonly breakEvenSeconds: readonly number[];
  readonly entities: number;
  readonly membersPerUpdate: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly seed: number;
  readonly stampede: StampedeSize;
  readonly stampedeRepeats: number;
}

const FULL: Omit<ClientPlan, 'seed'> = {
  clients: 120,
  streams: [
    { name: 'every-1', kind: 'regular', intervalMs: 1000 },
    { name: 'every-5', kind: 'regular', intervalMs: 5000 },
    { name: 'every-20', kind: 'regular', intervalMs: 20_000 },
    { name: 'irregular', kind: 'irregular', intervalMs: 4000 },
    { name: 'late', kind: 'late', intervalMs: 5000 },
    { name: 'missing', kind: 'missing', intervalMs: 5000 },
  ],
  minMalSeconds: 0.2,
  maxMalSeconds: 120,
  breakEvenSeconds: [10, 0.1],
  entities: 20,
  membersPerUpdate: 5,
  warmUpMs: 10_000,
  durationMs: 180_000,
  stampede: {
    clients: 5000,
    malSeconds: 10,
    intervalMs: 5000,
    breakEvenSeconds: 10,
    openingMs: 1000,
    warmUpMs: 30_000,
    durationMs: 60_000,
  },
  stampedeRepeats: 5,
};
const QUICK: Omit<ClientPlan, 'seed'> = {
  ...FULL,
  clients: 12,
  streams: [
    { name: 'every-1', kind: 'regular', intervalMs: 1000 },
    { name: 'irregular', kind: 'irregular', intervalMs: 800 },
    { name: 'late', kind: 'late', intervalMs: 1000 },
    { name: 'missing', kind: 'missing', intervalMs: 1000 },
  ],
  minMalSeconds: 0.5,
  maxMalSeconds: 2,
  warmUpMs: 1000,
  durationMs: 5000,
  stampede: { ...FULL.stampede, clients: 60, warmUpMs: 10_000, durationMs: 20_000 },
  stampedeRepeats: 1,
};

const STRAIGHT = 'straight';
const FRONTS = ['nginx', 'Varnish'] as const;
/** All streams of a way together. */
const ALL = 'all streams';
const START_SECONDS = 3;
/** A second of the virtual clock with one client. */
const VIRTUAL_SECONDS = 0.26 / 1000;

const PROMISE = { measurement: 'promise' };
const STAMPEDE = { measurement: 'stampede' };

/** Whether clients keep their MALs, and what that costs. */
export const CLIENT: Experiment<ClientPlan> = {
  name: 'client',
  title: 'Whether clients keep their MALs, and what that costs',
  about: 'whether clients keep their MALs, and how evenly they ask',
  measurements: ['promise', 'stampede'],
  options: [],
  plan: ({ quick, seed }) => ({ ...(quick ? QUICK : FULL), seed }),
  cells: ({ breakEvenSeconds: all, warmUpMs, durationMs, stampede, stampedeRepeats }) => [
    ...all.flatMap((breakEvenSeconds) =>
      [STRAIGHT, ...FRONTS].map((subject) => {
        const seconds = START_SECONDS + (warmUpMs + durationMs) / 1000;
        return { ...PROMISE, subject, at: { breakEvenSeconds }, seconds };
      }),
    ),
    {
      ...STAMPEDE,
      subject: 'ldes-live',
      at: { clients: stampede.clients },
      repeats: stampedeRepeats,
      seconds: 1 + (stampede.clients * (stampede.warmUpMs + stampede.durationMs) * VIRTUAL_SECONDS) / 1000,
    },
  ],
  measure: (cell, plan, lab) =>
    cell.measurement === 'promise' ? measurePromise(cell, plan) : measureStampede(plan, lab),
  versions: () => programVersions(['nginx', 'Varnish']),
  ratios: [{ of: STAMPEDE, value: 'peakToMean', overValue: 'chancePeakToMean' }],
  views: [
    ...[10, 0.1].map(
      (breakEvenSeconds): View => ({
        kind: 'density',
        title: `From publication to delivery where push is advised below ${breakEvenSeconds} s`,
        of: { ...PROMISE, at: { breakEvenSeconds } },
        histogram: 'delay',
        x: 'Delay, ms',
        rows: { key: 'stream', title: 'Stream' },
        series: { subject: '' },
      }),
    ),
    {
      kind: 'table',
      title: 'Whether MALs are kept',
      of: PROMISE,
      rows: { breakEvenSeconds: 'Break-even, s', subject: 'Way', stream: 'Stream' },
      columns: [
        { value: 'clients', title: 'Clients' },
        { value: 'delivered', title: 'Members' },
        { value: 'misses', title: 'Later than the MAL', isTotal: true },
        { value: 'unstated', title: 'Not stated by clients', isTotal: true },
        { value: 'lost', title: 'Never', isTotal: true },
        { value: 'doubled', title: 'Twice', isTotal: true },
        { value: 'gaps', title: 'Gaps', isTotal: true },
        { value: 'p50Ms', title: 'p50, ms' },
        { value: 'p99Ms', title: 'p99, ms' },
        { value: 'polling', title: 'Clients that poll' },
        { value: 'requestsPerUpdate', title: 'Their requests/update' },
      ],
    },
    {
      kind: 'table',
      title: 'Very many polling clients that begin at once: requests in the fullest tenth of a second, virtual time',
      of: STAMPEDE,
      rows: { clients: 'Clients' },
      columns: [
        { value: 'requests', title: 'Requests' },
        { value: 'peakRequests', title: 'Fullest tenth' },
        { value: 'peakToMean', title: '÷ mean' },
        { value: 'chancePeakToMean', title: '÷ mean, by chance' },
        { value: 'requestsPerUpdate', title: 'Requests/update' },
        { value: 'misses', title: 'Later than the MAL', isTotal: true },
        { value: 'pushes', title: 'Attempts to push', isTotal: true },
      ],
    },
  ],
};

const MODULE = new URL('./client-process.js', import.meta.url);
const [READY_TRY_MS, READY_LIMIT_MS] = [100, 60_000];

async function measurePromise({ subject, at }: CellPlan, plan: ClientPlan): Promise<readonly Measured[] | Missing> {
  const kind = FRONTS.find((one) => one === subject);
  if (kind !== undefined && !isInstalled(FRONT_PROGRAMS[kind])) return { missing: kind };
  const { streams, entities, membersPerUpdate, warmUpMs, durationMs, seed } = plan;
  const breakEvenSeconds = Number(at.breakEvenSeconds);
  const port = await freePort();
  const frontPort = kind === undefined ? port : await freePort();
  const publicUrl = `http://127.0.0.1:${frontPort}/`;
  const start = (role: ClientRole, core: number) => startChild<object>(MODULE, role, core);
  const sizes = { streams, entities, membersPerUpdate, breakEvenSeconds, seed };
  const publisher = await start({ role: 'publisher', publicUrl, port, ...sizes }, SERVER_CORE);
  const front = kind && (await startFront(kind, new URL(`http://127.0.0.1:${port}/`), { port: frontPort }));
  let load: Child<object> | undefined;
  try {
    await ask(publisher, 'publish');
    load = await start(
      { role: 'clients', clients: drawClients(plan, publicUrl), openingMs: warmUpMs / 5, seed },
      LOAD_CORE,
    );
    await untilReady(load, plan.clients);
    await sleep(warmUpMs);
    await ask(publisher, 'begin');
    await ask(load, 'begin');
    await sleep(durationMs);
    const report = await ask<ClientsReport>(load, 'report');
    const { commits } = await ask<PublisherReport>(publisher, 'report');
    return judge(streams, report, commits);
  } finally {
    await load?.close();
    await front?.close();
    await publisher.close();
  }
}

function ask<Answer>(child: Child<object>, order: ClientOrder['do']): Promise<Answer> {
  return child.ask<Answer>({ do: order });
}

/**
 * Clients for streams in equal parts, each part with MALs over the whole range: as many in each stretch of the same ratio,
 * and where in it by chance.
 */
function drawClients(plan: ClientPlan, publicUrl: string): readonly ClientSpec[] {
  const { streams, minMalSeconds, maxMalSeconds, seed } = plan;
  const random = seededRandom(seed);
  const count = plan.clients / streams.length;
  return streams.flatMap(({ name }) =>
    Array.from({ length: count }, (_, stretch) => ({
      stream: name,
      url: `${publicUrl}${name}`,
      malSeconds: minMalSeconds * (maxMalSeconds / minMalSeconds) ** ((stretch + random()) / count),
    })),
  );
}

/** Waits until all clients have read something. */
async function untilReady(load: Child<object>, clients: number): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += READY_TRY_MS) {
    const { ready, problems } = await ask<Readiness>(load, 'ready');
    if (problems[0] !== undefined) throw new Error(`A client ended: ${problems[0]}`);
    if (ready === clients) return;
    if (waitedMs > READY_LIMIT_MS) throw new Error(`Only ${ready} of ${clients} clients have read something`);
    await sleep(READY_TRY_MS);
  }
}

function judge(
  streams: readonly StreamRhythm[],
  { clients, beganMs, endedMs, effort }: ClientsReport,
  commits: PublisherReport['commits'],
): readonly Measured[] {
  const problem = clients.find((client) => client.problem !== undefined)?.problem;
  if (problem !== undefined) throw new Error(`A client ended: ${problem}`);
  const groups = streams.map(({ name, intervalMs }) => {
    const own = clients.filter(({ stream }) => stream === name);
    const judged = judgeClients(own, { commits: commits[name] ?? [], intervalMs, beganMs, endedMs });
    const delay = new Histogram(...own.map((client) => client.delay));
    return { stream: name, judged, delay };
  });
  const sum = (key: 'delivered' | 'misses' | 'unstated' | 'lost' | 'doubled' | 'gaps') =>
    groups.reduce((total, { judged }) => total + judged[key], 0);
  const whole = new Histogram(...groups.map(({ delay }) => delay.encode()));
  const refused = busyLoad(effort, whole.percentileMs(0.99));
  const [delivered, misses] = [sum('delivered'), sum('misses')];
  const missShare = misses / Math.max(1, delivered);
  const counts = { clients: clients.length, delivered, lost: sum('lost'), doubled: sum('doubled'), gaps: sum('gaps') };
  const all = { ...counts, misses, missShare, unstated: sum('unstated'), ...percentilesOf(whole) };
  if (refused === undefined) {
    return [
      ...groups.map(({ stream, judged, delay }) => ({
        at: { stream },
        values: { ...judged, ...percentilesOf(delay) },
        histograms: { delay: delay.encode() },
      })),
      { at: { stream: ALL }, values: all },
    ];
  }
  // What came is known all the same; when it came is the load's own.
  return [{ at: { stream: ALL }, values: counts, refused }];
}

function percentilesOf(delay: Histogram) {
  return { p50Ms: delay.percentileMs(0.5), p99Ms: delay.percentileMs(0.99) };
}

const STAMPEDE_MODULE = new URL('./stampede.js', import.meta.url);

async function measureStampede({ stampede, seed }: ClientPlan, { repeat }: Lab): Promise<Measured> {
  const child = await startChild<object>(STAMPEDE_MODULE, { ...stampede, seed: 1000 * (seed + repeat) }, LOAD_CORE);
  try {
    return { values: { ...(await child.ask<StampedeReport>({})) } };
  } finally {
    await child.close();
  }
}
