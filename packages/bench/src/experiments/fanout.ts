/*
 * `fanout`: what it costs to push one update to very many, beside other servers that push the same event, and what compression,
 * workers and filters change; and what slow and returning clients do to it, see trouble.ts.
 *
 *   { "measurement": "fanout", "subject": "C loop", "at": { "clients": 10000 },
 *     "values": { "cpuOnlyMicros": 7.9, "cpuMicros": 8.7, "p99Ms": 94.7, "connectionBytes": 610, "lost": 0, ... } }
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Experiment, Lab, Measured, Missing, PlannedCell, View } from '../experiment.ts';
import { startPushLoad } from '../load/push-load.ts';
import { packageVersions, programVersions } from '../machine.ts';
import { SERVER_CORE } from '../processes.ts';
import type { CellPlan } from '../result.ts';
import { startSubject } from '../subjects/subject.ts';
import { entityIri } from '../subjects/workloads.ts';
import { monotonicMicros } from '../timing.ts';
import {
  measurePush,
  NEEDS,
  type PushCell,
  type PushedName,
  sharedEvent,
  sharedFolder,
  startPushed,
} from './push-cell.ts';
import { measureSlow, measureStorm, type SlowSize, type StormSize, TROUBLE_VIEWS, troubleSeconds } from './trouble.ts';

type PushSize = Omit<PushCell, 'folder' | 'clients'> & { readonly repeats: number };

/** How large each measurement is. */
interface FanoutPlan {
  readonly eventBytes: number;
  readonly fanout: PushSize & { readonly clients: readonly number[] };
  readonly workers: PushSize & { readonly clients: number; readonly workers: number };
  /** Of so many clients, `decoded` look at what they get. */
  readonly gzip: Readonly<Record<'clients' | 'decoded' | 'commits' | 'intervalMs', number>>;
  readonly entities: {
    readonly clients: readonly number[];
    readonly updatesPerSecond: number;
    readonly seconds: number;
  };
  readonly slow: SlowSize;
  readonly storm: StormSize;
}

const FULL: FanoutPlan = {
  eventBytes: 5200,
  fanout: {
    clients: [10_000],
    intervalMs: 2000,
    updates: 10,
    warmUps: 6,
    repeats: 3,
    settleMs: 2000,
    cpuOnly: { intervalMs: 2000, updates: 10 },
  },
  workers: {
    clients: 25_000,
    intervalMs: 2000,
    updates: 15,
    warmUps: 3,
    repeats: 1,
    settleMs: 2000,
    workers: 2,
    processes: 2,
  },
  gzip: { clients: 5000, decoded: 20, commits: 100, intervalMs: 500 },
  entities: { clients: [1000, 10_000], updatesPerSecond: 1000, seconds: 20 },
  slow: {
    clients: 5000,
    stopped: 1000,
    eventBytes: 20_800,
    intervalMs: 250,
    updatesBefore: 60,
    updatesStopped: 260,
    updatesLonger: 240,
    push: {},
  },
  storm: { clients: 10_000, intervalMs: 2000, updates: 30, cutMs: 9000, pollMs: 50, settleMs: 5000, push: {} },
};

const QUICK: FanoutPlan = {
  ...FULL,
  fanout: { clients: [40], intervalMs: 20, updates: 5, warmUps: 5, repeats: 1, settleMs: 20 },
  workers: { ...FULL.workers, clients: 60, intervalMs: 20, updates: 5, warmUps: 1, settleMs: 20 },
  gzip: { clients: 20, decoded: 5, commits: 6, intervalMs: 20 },
  entities: { clients: [100], updatesPerSecond: 200, seconds: 0.5 },
  slow: {
    clients: 12,
    stopped: 4,
    eventBytes: 100_000,
    intervalMs: 25,
    updatesBefore: 6,
    updatesStopped: 40,
    updatesLonger: 50,
    // What has stalled is looked for with the heartbeats.
    push: { limitQueueBytes: 500_000, limitStallMs: 600, heartbeatMs: 800, retryMs: 200 },
  },
  storm: { clients: 100, intervalMs: 50, updates: 24, cutMs: 300, pollMs: 25, settleMs: 50, push: { retryMs: 200 } },
};

const OURS = 'ldes-live';
const SERVERS: readonly PushedName[] = [OURS, 'C loop', 'Node loop', 'Nchan', '@fastify/sse', 'Express'];

/** The experiment `fanout`: `--clients` and `--duration` are those of the measurement of that name. */
export const FANOUT: Experiment<FanoutPlan> = {
  name: 'fanout',
  title: 'What it costs to push one update to very many',
  about: 'one update to very many clients, beside other servers',
  measurements: ['fanout', 'workers', 'gzip', 'entities', 'slow', 'storm'],
  options: ['clients', 'duration', 'repeat'],
  plan: ({ quick, clients, durationSeconds, repeats }: Asked) => {
    const { fanout, workers, ...plan } = quick ? QUICK : FULL;
    const updates = durationSeconds && Math.max(1, Math.round((durationSeconds * 1000) / fanout.intervalMs));
    const [own, workersRepeats] = [repeats ?? fanout.repeats, repeats ?? workers.repeats];
    return {
      ...plan,
      fanout: { ...fanout, clients: clients ?? fanout.clients, updates: updates ?? fanout.updates, repeats: own },
      workers: { ...workers, repeats: workersRepeats },
    };
  },
  cells,
  measure,
  versions: () => ({ ...packageVersions(['@fastify/sse', 'fastify', 'express']), ...programVersions(['nginx']) }),
  ratios: [
    ...SERVERS.slice(1).flatMap((subject) => [
      { of: { measurement: 'fanout', subject: OURS }, value: 'cpuOnlyMicros', over: { subject } },
      { of: { measurement: 'fanout', subject: OURS }, value: 'cpuMicros', over: { subject } },
      { of: { measurement: 'fanout', subject: OURS }, value: 'p99Ms', over: { subject } },
    ]),
    { of: { at: { encoding: 'gzip' } }, value: 'bytes', over: { at: { encoding: 'identity' } } },
    { of: { at: { encoding: 'gzip' } }, value: 'cpuMicros', over: { at: { encoding: 'identity' } } },
  ],
  views: [...views(), ...TROUBLE_VIEWS],
};

/** What it takes to start a server and its load, and to open so many readers. */
function openSeconds(clients: number): number {
  return 1 + 0.0006 * clients;
}

function cells(plan: FanoutPlan): readonly PlannedCell[] {
  const { fanout, workers, gzip, entities, slow, storm } = plan;
  const pushSeconds = (clients: number, { updates, warmUps, intervalMs, settleMs, cpuOnly }: PushSize) => {
    const all = updates + warmUps + (cpuOnly ? cpuOnly.updates + warmUps : 0);
    return openSeconds(clients) * (cpuOnly ? 2 : 1) + (all * intervalMs + 3 * settleMs) / 1000;
  };
  return [
    ...fanout.clients.flatMap((clients) =>
      SERVERS.map((subject) => {
        const seconds = pushSeconds(clients, fanout);
        return { measurement: 'fanout', subject, at: { clients }, repeats: fanout.repeats, seconds };
      }),
    ),
    ...[OURS, 'Express'].map((subject) => {
      const at = { clients: workers.clients, processes: workers.workers };
      const seconds = pushSeconds(workers.clients, workers);
      return { measurement: 'workers', subject, at, repeats: workers.repeats, seconds };
    }),
    ...['identity', 'gzip'].map((encoding) => {
      const seconds = openSeconds(gzip.clients) + ((gzip.commits + 2) * gzip.intervalMs) / 1000;
      return { measurement: 'gzip', subject: OURS, at: { clients: gzip.clients, encoding }, seconds };
    }),
    ...entities.clients.map((clients) => {
      return {
        measurement: 'entities',
        subject: OURS,
        at: { clients },
        seconds: openSeconds(clients) + entities.seconds + 2,
      };
    }),
    { measurement: 'slow', subject: OURS, at: { clients: slow.clients }, seconds: troubleSeconds(slow) },
    { measurement: 'storm', subject: OURS, at: { clients: storm.clients }, seconds: troubleSeconds(storm) },
  ];
}

async function measure(cell: CellPlan, plan: FanoutPlan, lab: Lab): Promise<Measured | readonly Measured[] | Missing> {
  switch (cell.measurement) {
    case 'fanout':
      return measureServer(cell, plan, lab);
    case 'workers':
      return measureWorkers(cell, plan, lab);
    case 'gzip':
      return measureEncoding(cell.at.encoding as 'identity' | 'gzip', plan.gzip);
    case 'entities':
      return measureFollowers(Number(cell.at.clients), plan.entities);
    case 'slow':
      return measureSlow(plan.slow);
    default:
      return measureStorm({ ...plan.storm, eventBytes: plan.eventBytes }, await sharedFolder(lab));
  }
}

async function measureServer({ subject: name, at }: CellPlan, { eventBytes, fanout }: FanoutPlan, lab: Lab) {
  const [event, folder, clients] = [await sharedEvent(lab, eventBytes), await sharedFolder(lab), Number(at.clients)];
  const subject = await startPushed(name as PushedName, { event, clients, folder });
  if (subject === undefined) return { missing: NEEDS[name] ?? name };
  const { repeats: _, ...size } = fanout;
  return measurePush(subject, { ...size, clients, folder }).finally(() => subject.close());
}

/** More clients than one process may have sockets, in several: servers and load share the cores. */
async function measureWorkers({ subject: name }: CellPlan, { eventBytes, workers: plan }: FanoutPlan, lab: Lab) {
  const { repeats: _, workers, ...size } = plan;
  const [event, folder] = [await sharedEvent(lab, eventBytes), await sharedFolder(lab)];
  const subject =
    name === OURS
      ? await startSubject('ldes-live', { workload: 'sized', eventBytes, workers }, undefined)
      : await startSubject('express', { event, processes: workers }, undefined);
  return measurePush(subject, { ...size, folder, core: undefined }).finally(() => subject.close());
}

/** The commits of the demonstration, as they are or compressed, which is done once for all clients. */
async function measureEncoding(
  encoding: 'identity' | 'gzip',
  { clients, decoded, commits, intervalMs }: FanoutPlan['gzip'],
) {
  const subject = await startSubject('ldes-live', { workload: 'demo', entities: commits }, SERVER_CORE);
  try {
    const load = await startPushLoad(subject, { readers: clients, encoding, decoded, isStamped: false });
    try {
      const before = await load.stats();
      const cpuBefore = await subject.cpuMicros();
      const intervalMicros = intervalMs * 1000;
      await subject.publish({ startMicros: monotonicMicros() + intervalMicros, intervalMicros, count: commits });
      const [expected, deliveries] = [commits * (encoding === 'gzip' ? decoded : clients), commits * clients];
      await load.untilEvents(before.events + expected);
      // Those that decode may be done before the others.
      await sleep(intervalMs);
      const cpuMicros = ((await subject.cpuMicros()) - cpuBefore) / deliveries;
      const { bytes, events } = await load.stats();
      const lost = expected - (events - before.events);
      return { values: { bytes: (bytes - before.bytes) / deliveries, cpuMicros, expected, lost } };
    } finally {
      await load.stop();
    }
  } finally {
    await subject.close();
  }
}

/** As many entities as clients, each of which follows one; each update is of one entity, at random. */
async function measureFollowers(
  clients: number,
  { updatesPerSecond, seconds }: FanoutPlan['entities'],
): Promise<Measured> {
  const subject = await startSubject('ldes-live', { workload: 'single', entities: clients }, SERVER_CORE);
  try {
    // The number is the end of the IRI; each reader puts its own.
    const entity = encodeURIComponent(entityIri(0).slice(0, -6));
    const load = await startPushLoad(subject, { readers: clients, path: `${subject.path}?entity=${entity}{reader}` });
    try {
      const updates = { intervalMs: 1000 / updatesPerSecond, readers: 1 };
      // The first second makes the code warm.
      await load.deliver(subject, { ...updates, count: updatesPerSecond });
      return await load.deliver(subject, { ...updates, count: updatesPerSecond * seconds });
    } finally {
      await load.stop();
    }
  } finally {
    await subject.close();
  }
}

function views(): readonly View[] {
  const [fanout, workers] = [{ measurement: 'fanout' }, { measurement: 'workers' }];
  const clients = { key: 'clients', title: 'Clients' };
  const delay = {
    kind: 'density',
    histogram: 'delay',
    x: 'Delay, ms',
    rows: clients,
    series: { subject: '' },
  } as const;
  const bySubject = {
    kind: 'bars',
    of: fanout,
    x: { key: 'subject', title: 'Server' },
    series: { clients: 'clients' },
  } as const;
  const columns = [
    { value: 'cpuOnlyMicros', title: 'CPU beside readers that only read, µs a delivery' },
    { value: 'cpuMicros', title: 'CPU, µs a delivery' },
    { value: 'p50Ms', title: 'p50, ms' },
    { value: 'p99Ms', title: 'p99, ms' },
    { value: 'maxMs', title: 'Longest, ms' },
    { value: 'spreadMs', title: 'First to last, ms' },
    { value: 'connectionBytes', per: 1024, title: 'KiB a connection' },
    { value: 'lost', title: 'Lost', isTotal: true },
    { value: 'doubled', title: 'Twice', isTotal: true },
  ];
  const over = { subject: 'C loop' };
  const ratios = [
    { value: 'cpuOnlyMicros', over, title: 'CPU ÷ C loop' },
    { value: 'p99Ms', over, title: 'p99 ÷ C loop' },
  ];
  const rows = { subject: 'Server', clients: 'Clients' };
  const plain = { at: { encoding: 'identity' } };
  return [
    { ...delay, title: 'Delay of an update', of: fanout },
    { ...bySubject, title: 'CPU time of a delivery', y: { value: 'cpuOnlyMicros', title: 'CPU, µs a delivery' } },
    { ...bySubject, title: 'Memory of a connection', y: { value: 'connectionBytes', per: 1024, title: 'KiB' } },
    { ...delay, title: 'Delay of an update, in several processes', of: workers },
    { kind: 'table', title: 'One update to very many clients', of: fanout, rows, columns: [...columns, ...ratios] },
    {
      kind: 'table',
      title: 'In several processes, on cores shared with the load',
      of: workers,
      rows: { ...rows, processes: 'Processes' },
      columns: columns.slice(1),
    },
    {
      kind: 'table',
      title: 'Compression',
      of: { measurement: 'gzip' },
      rows: { encoding: 'Encoding', clients: 'Clients' },
      columns: [
        { value: 'bytes', title: 'Bytes a delivery' },
        { value: 'bytes', over: plain, title: 'Bytes ÷ identity' },
        { value: 'cpuMicros', title: 'CPU, µs a delivery' },
        { value: 'cpuMicros', over: plain, title: 'CPU ÷ identity' },
        { value: 'lost', title: 'Lost', isTotal: true },
      ],
    },
    {
      kind: 'table',
      title: 'Clients that follow an entity each, updates of one at random',
      of: { measurement: 'entities' },
      rows: { clients: 'Clients' },
      columns: [
        { value: 'cpuMicros', title: 'CPU, µs an update' },
        ...columns.slice(2, 5),
        { value: 'expected', title: 'Updates' },
        { value: 'lost', title: 'Lost', isTotal: true },
      ],
    },
  ];
}
