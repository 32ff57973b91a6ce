/*
 * `fanout`: what it costs to push one update to very many, beside other servers that push the same event, and what compression,
 * workers and filters change; and what slow and returning clients do to it, see trouble.ts.
 *
 *   { "measurement": "fanout", "subject": "C loop", "at": { "clients": 10000 },
 *     "values": { "cpuOnlyMicros": 7.9, "cpuMicros": 8.7, "p99Ms": 94.7, "connectionBytes": 610, "lost": 0, ... } }
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Experiment, Lab, Measured, Missing, PlannedCell, View } from '../experiment.ts';
import { packageVersions, programVersions } from '../machine.ts';
import { SERVER_CORE } from '../processes.ts';
import type { CellPlan } from '../result.ts';
import { startSubject } from '../subjects/subject.ts';
import { entityIri } from '../subjects/workloads.ts';
import { monotonicMicros } from '../timing.ts';
import {
  askedSizes,
  DELAYS,
  measurePush,
  measurePushed,
  PUSH_COLUMNS,
  pushSeconds,
  sharedEvent,
  sharedFolder,
  withLoad,
} from './push-cell.ts';
import { disruptionCells, measureSlow, measureStorm, SLOW, STORM, TROUBLE_VIEWS } from './trouble.ts';

const FULL = {
  eventBytes: 5200,
  clients: [10_000] as readonly number[],
  repeats: 3,
  fanout: { intervalMs: 2000, updates: 8, warmUps: 3, settleMs: 1000, isCpuOnly: true },
  /** More clients than one process may have sockets, in several: servers and load share the cores. */
  workers: { clients: 25_000, repeats: 1, processes: 2, intervalMs: 2000, updates: 8, warmUps: 2, settleMs: 1000 },
  /** Of so many clients, `decoded` look at what they get. */
  gzip: { clients: 5000, decoded: 20, commits: 60, intervalMs: 500 },
  entities: { clients: [1000, 10_000], updatesPerSecond: 1000, seconds: 20 },
  slow: SLOW,
  storm: STORM,
};
type FanoutPlan = typeof FULL;

const QUICK: FanoutPlan = {
  ...FULL,
  clients: [40],
  repeats: 1,
  fanout: { intervalMs: 20, updates: 5, warmUps: 5, settleMs: 20, isCpuOnly: false },
  workers: { clients: 60, repeats: 1, processes: 2, intervalMs: 20, updates: 5, warmUps: 1, settleMs: 20 },
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
const OTHERS = ['C loop', 'Node loop', 'Nchan', '@fastify/sse', 'Express'];

/** The experiment `fanout`: `--clients` and `--duration` are those of the measurement of that name. */
export const FANOUT: Experiment<FanoutPlan> = {
  name: 'fanout',
  title: 'What it costs to push one update to very many',
  about: 'one update to very many clients, compared with other servers',
  measurements: ['fanout', 'workers', 'gzip', 'entities', 'slow', 'storm'],
  options: ['clients', 'duration', 'repeat'],
  plan: (asked: Asked) => {
    const plan = asked.quick ? QUICK : FULL;
    const { updates = plan.fanout.updates, ...sizes } = askedSizes(asked, plan.fanout.intervalMs);
    const { repeats = plan.workers.repeats } = sizes;
    return { ...plan, ...sizes, workers: { ...plan.workers, repeats }, fanout: { ...plan.fanout, updates } };
  },
  cells,
  measure,
  versions: () => ({ ...packageVersions(['@fastify/sse', 'fastify', 'express']), ...programVersions(['nginx']) }),
  ratios: [
    ...OTHERS.flatMap((subject) =>
      ['cpuOnlyMicros', 'cpuMicros', 'p99Ms'].map((value) => {
        return { of: { measurement: 'fanout', subject: OURS }, value, over: { subject } };
      }),
    ),
    { of: { at: { encoding: 'gzip' } }, value: 'bytes', over: { at: { encoding: 'identity' } } },
    { of: { at: { encoding: 'gzip' } }, value: 'cpuMicros', over: { at: { encoding: 'identity' } } },
  ],
  views: [...views(), ...TROUBLE_VIEWS],
};

function cells({ clients: sizes, repeats, fanout, workers, gzip, entities, slow, storm }: FanoutPlan) {
  const seconds = (clients: number, updates: number, intervalMs: number) =>
    pushSeconds({ clients, updates, warmUps: 1, intervalMs, settleMs: 0 });
  const cell = (measurement: string, at: PlannedCell['at'], cellSeconds: number, subject = OURS, times = 1) => {
    return { measurement, subject, at, seconds: cellSeconds, repeats: times };
  };
  const { clients, processes, repeats: rounds } = workers;
  return [
    ...sizes.flatMap((size) =>
      [OURS, ...OTHERS].map((subject) =>
        cell('fanout', { clients: size }, pushSeconds({ ...fanout, clients: size }), subject, repeats),
      ),
    ),
    ...[OURS, 'Express'].map((subject) =>
      cell('workers', { clients, processes }, pushSeconds(workers), subject, rounds),
    ),
    ...['identity', 'gzip'].map((encoding) =>
      cell('gzip', { clients: gzip.clients, encoding }, seconds(gzip.clients, gzip.commits, gzip.intervalMs)),
    ),
    ...entities.clients.map((size) => cell('entities', { clients: size }, seconds(size, entities.seconds + 1, 1000))),
    ...disruptionCells(slow, storm),
  ];
}

async function measure(cell: CellPlan, plan: FanoutPlan, lab: Lab): Promise<Measured | readonly Measured[] | Missing> {
  const clients = Number(cell.at.clients);
  switch (cell.measurement) {
    case 'fanout':
      return measurePushed(cell.subject, plan.eventBytes, { ...plan.fanout, clients }, lab);
    case 'workers':
      return measureWorkers(cell.subject, plan, lab);
    case 'gzip':
      return measureEncoding(cell.at.encoding as 'identity' | 'gzip', plan.gzip);
    case 'entities':
      return measureFollowers(clients, plan.entities);
    case 'slow':
      return measureSlow(plan.slow);
    default:
      return measureStorm(plan.storm, plan.eventBytes, await sharedFolder(lab));
  }
}

async function measureWorkers(name: string, { eventBytes, workers }: FanoutPlan, lab: Lab): Promise<Measured> {
  const { repeats: _, ...size } = workers;
  const [event, folder, processes] = [await sharedEvent(lab, eventBytes), await sharedFolder(lab), size.processes];
  const subject =
    name === OURS
      ? await startSubject('ldes-live', { workload: 'sized', eventBytes, workers: processes }, undefined)
      : await startSubject('Express', { event, processes }, undefined);
  return measurePush(subject, { ...size, core: undefined }, folder).finally(() => subject.close());
}

/** The commits of the demonstration, as they are or compressed, which is done once for all clients. */
async function measureEncoding(encoding: 'identity' | 'gzip', size: FanoutPlan['gzip']): Promise<Measured> {
  const { clients: readers, decoded, commits, intervalMs } = size;
  const subject = await startSubject('ldes-live', { workload: 'demo', entities: commits }, SERVER_CORE);
  return withLoad(subject, { readers, encoding, decoded }, async (load) => {
    const [before, cpuBefore, intervalMicros] = [await load.stats(), await subject.cpuMicros(), intervalMs * 1000];
    await subject.publish({ startMicros: monotonicMicros() + intervalMicros, intervalMicros, count: commits });
    const [expected, deliveries] = [commits * (encoding === 'gzip' ? decoded : readers), commits * readers];
    await load.untilEvents(before.events + expected);
    // Those that decode may be done before the others.
    await sleep(intervalMs);
    const cpuMicros = ((await subject.cpuMicros()) - cpuBefore) / deliveries;
    const { bytes, events } = await load.stats();
    const lost = expected - (events - before.events);
    return { values: { bytes: (bytes - before.bytes) / deliveries, cpuMicros, expected, lost } };
  });
}

/** As many entities as clients, each of which follows one; each update is of one entity, at random. */
async function measureFollowers(clients: number, size: FanoutPlan['entities']): Promise<Measured> {
  const subject = await startSubject('ldes-live', { workload: 'single', entities: clients }, SERVER_CORE);
  // The number is the end of the IRI; each reader puts its own.
  const path = `${subject.path}?entity=${encodeURIComponent(entityIri(0).slice(0, -6))}{reader}`;
  return withLoad(subject, { readers: clients, path }, async (load) => {
    const updates = { intervalMs: 1000 / size.updatesPerSecond, readers: 1 };
    // The first second makes the code warm.
    await load.deliver(subject, { ...updates, count: size.updatesPerSecond });
    return load.deliver(subject, { ...updates, count: size.updatesPerSecond * size.seconds });
  });
}

function views(): readonly View[] {
  const fanout = { measurement: 'fanout' };
  const { cpuOnly, cpu, loadCpu, load, p50, p99, max, spread, bytes, connection, lost, doubled } = PUSH_COLUMNS;
  const columns = [cpu, loadCpu, load, p50, p99, max, spread, connection, lost, doubled];
  const over = { subject: 'C loop' };
  const ratios = [
    { value: 'cpuOnlyMicros', over, title: 'CPU with readers that only read ÷ C loop' },
    { value: 'p99Ms', over, title: 'p99 ÷ C loop' },
  ];
  const rows = { subject: 'Server', clients: 'Clients' };
  const [plain, encoding] = [{ at: { encoding: 'identity' } }, { encoding: 'Encoding', clients: 'Clients' }];
  return [
    { ...DELAYS, of: fanout, series: { subject: '' } },
    {
      kind: 'bars',
      title: 'CPU time of a delivery',
      of: fanout,
      x: { key: 'subject', title: 'Server' },
      y: { ...cpuOnly, title: 'CPU, µs a delivery' },
      series: { clients: 'clients' },
    },
    {
      kind: 'table',
      title: 'One update to very many clients',
      of: fanout,
      rows,
      columns: [cpuOnly, ...columns, ...ratios],
    },
    {
      kind: 'table',
      title: 'In several processes, on cores shared with the load',
      of: { measurement: 'workers' },
      rows: { ...rows, processes: 'Processes' },
      columns,
    },
    {
      kind: 'table',
      title: 'Compression',
      of: { measurement: 'gzip' },
      rows: encoding,
      columns: [
        bytes,
        { value: 'bytes', over: plain, title: 'Bytes ÷ identity' },
        cpu,
        { value: 'cpuMicros', over: plain, title: 'CPU ÷ identity' },
        lost,
      ],
    },
    {
      kind: 'table',
      title: 'Clients that follow an entity each, updates of one at random',
      of: { measurement: 'entities' },
      rows: { clients: 'Clients' },
      columns: [{ ...cpu, title: 'CPU, µs an update' }, p50, p99, max, { value: 'expected', title: 'Updates' }, lost],
    },
  ];
}
