/*
 * `scale`: as many push connections as one machine holds, 100,000 unless asked otherwise. Our server holds them in workers, plain
 * and in gzip; beside it the article's loop in one process, and in as many as so many connections need.
 *
 *   { "measurement": "plain", "subject": "ldes-live", "at": { "clients": 100000, "processes": 7, "limit": "–" },
 *     "values": { "lost": 0, "doubled": 0, "disordered": 0, "p99Ms": 2150, "residentBytes": 1890000000, "kernelBytes": 6400, ... } }
 *
 * What a machine allows is read before: where it is less than was asked for, so many are held, and `limit` says what allows no more.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Experiment, Lab, Measured, PlannedCell, View } from '../experiment.ts';
import { packageVersions, textOf } from '../machine.ts';
import { MAX_CONNECTIONS, SERVER_CORE } from '../processes.ts';
import type { CellPlan } from '../result.ts';
import { startSubject } from '../subjects/subject.ts';
import {
  askedSizes,
  DELAYS,
  grown,
  PUSH_COLUMNS,
  sharedEvent,
  sharedFolder,
  watchMaximum,
  withLoad,
} from './push-cell.ts';

const FULL = {
  clients: [100_000] as readonly number[],
  repeats: 1,
  eventBytes: 5200,
  intervalMs: 30_000,
  updates: 5,
  settleMs: 5000,
  /** Of gzip: readers that decode what they get. */
  decoded: 20,
};
const QUICK = { ...FULL, clients: [2000], intervalMs: 1000, updates: 2, settleMs: 100 };

/** What the machine allows, where it tells. */
type Limits = Partial<Record<'openFiles' | 'systemFiles' | 'trackedConnections' | 'localPorts', number>>;
type ScalePlan = typeof FULL & { readonly limits: Limits };

function readLimits(): Limits {
  const [from = 0, to = 0] = textOf('/proc/sys/net/ipv4/ip_local_port_range').split(/\s+/).map(Number);
  const limits = {
    openFiles: numberIn('/proc/self/limits', /^Max open files +(\d+)/m),
    systemFiles: numberIn('/proc/sys/fs/file-max', /(\d+)/),
    // Those that the packet filter follows.
    trackedConnections: numberIn('/proc/sys/net/netfilter/nf_conntrack_max', /(\d+)/),
    // Of an address: each process of the load has one of its own.
    localPorts: to > from ? to - from + 1 : undefined,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/** The experiment `scale`. */
export const SCALE: Experiment<ScalePlan> = {
  name: 'scale',
  title: 'As many push connections as one machine holds',
  about: '100,000 push connections to one machine: delays, CPU, memory',
  measurements: ['plain', 'gzip'],
  options: ['clients', 'duration', 'repeat'],
  plan: (asked: Asked) => {
    const plan = asked.quick ? QUICK : FULL;
    return { ...plan, ...askedSizes(asked, plan.intervalMs), limits: readLimits() };
  },
  cells: (plan) => plan.clients.flatMap((clients) => cellsFor(clients, plan)),
  measure,
  versions: () => packageVersions(['express']),
  ratios: [{ of: { measurement: 'gzip' }, value: 'bytes', over: { measurement: 'plain' } }],
  views: views(),
};

/** Files that a process has open beside its connections. */
const OWN_FILES = 2000;
/** Workers do not get quite as many connections each as the others. */
const WORKER_SHARE = 0.8;

/** Both encodings of ours, the loop in one process, and in as many as are needed. */
function cellsFor(asked: number, { repeats, intervalMs, updates, settleMs, limits }: ScalePlan): PlannedCell[] {
  const { openFiles = Infinity, systemFiles = Infinity, trackedConnections = Infinity, localPorts = Infinity } = limits;
  const [one, limitOfOne] = least([
    [openFiles - OWN_FILES, 'openFiles'],
    [localPorts, 'localPorts'],
    [MAX_CONNECTIONS, 'processConnections'],
  ]);
  // Each connection takes a file at either end.
  const [held, limit] = least([
    [asked, '–'],
    [Math.floor(systemFiles / 2) - OWN_FILES, 'systemFiles'],
    [trackedConnections - OWN_FILES, 'trackedConnections'],
  ]);
  const cell = (measurement: string, subject: string, clients: number, processes: number, why: string = limit) => {
    const seconds = 5 + clients / 2500 + ((updates + 1.5) * intervalMs + 3 * settleMs) / 1000;
    return { measurement, subject, at: { clients, processes, limit: why }, repeats, seconds };
  };
  const workers = Math.ceil(held / (one * WORKER_SHARE));
  return [
    cell('plain', 'ldes-live', held, workers),
    cell('gzip', 'ldes-live', held, workers),
    ...(held > one ? [cell('plain', 'Express', one, 1, limitOfOne)] : []),
    cell('plain', 'Express', held, Math.ceil(held / one)),
  ];
}

/** Of limits with their names the one that is reached first. */
function least(limits: readonly (readonly [number, string])[]): readonly [number, string] {
  return limits.reduce((first, other) => (other[0] < first[0] ? other : first));
}

async function measure({ measurement, subject, at }: CellPlan, plan: ScalePlan, lab: Lab): Promise<Measured> {
  const { eventBytes, updates, intervalMs, settleMs, decoded, limits } = plan;
  const [clients, processes] = [Number(at.clients), Number(at.processes)];
  const [event, folder] = [await sharedEvent(lab, eventBytes), await sharedFolder(lab)];
  // What our server does not allow by itself; workers share it.
  const push = { limitConnections: 2 * clients, limitAcceptsPerSecond: 2 * clients, limitWaitingAccepts: 2 * clients };
  const server =
    subject === 'Express'
      ? await startSubject('Express', { event, processes }, SERVER_CORE)
      : await startSubject('ldes-live', { workload: 'sized', eventBytes, workers: processes, push }, SERVER_CORE);
  await sleep(settleMs);
  const [residentBefore, kernelBefore, startMs] = [server.residentBytes(), kernelBytes(), performance.now()];
  const load = {
    ...(measurement === 'gzip' && { encoding: 'gzip' as const, decoded }),
    readers: clients,
    processes: loadProcesses(clients, server.ports.length, limits.localPorts),
    cFolder: folder,
  };
  return withLoad(server, load, async (readers) => {
    const openSeconds = (performance.now() - startMs) / 1000;
    lab.onProgress(`${clients} connections are open`, 0.2);
    await sleep(settleMs);
    await readers.deliver(server, { count: 1, intervalMs: 1000 });
    const mostBuffered = watchMaximum(bufferBytes);
    const { values, ...delivered } = await readers.deliver(server, { count: updates, intervalMs });
    const buffered = { bufferBytes: mostBuffered() };
    await sleep(settleMs);
    const memory = grown(residentBefore, server.residentBytes(), clients);
    const kernel = { kernelBytes: (kernelBytes() - kernelBefore) / clients, ...buffered };
    const updateCpuSeconds = (values.cpuMicros * clients) / 1e6;
    return { ...delivered, values: { ...values, openSeconds, updateCpuSeconds, ...memory, ...kernel } };
  });
}

/**
 * Of the ports of an address, the system gives every second one quickly; to find one of the others takes it ever longer.
 */
const QUICK_PORTS_SHARE = 0.45;

/** As many for each port of the server. */
function loadProcesses(clients: number, ports: number, localPorts = MAX_CONNECTIONS): number {
  return ports * Math.ceil(clients / (ports * localPorts * QUICK_PORTS_SHARE));
}

const PAGE_BYTES = 4096;

/** What waits in the buffers of all sockets. */
function bufferBytes(): number {
  return PAGE_BYTES * (numberIn('/proc/net/sockstat', /^TCP:.* mem (\d+)/m) ?? 0);
}

/** What the kernel holds for itself, sockets among it, without their buffers. */
function kernelBytes(): number {
  return 1024 * (numberIn('/proc/meminfo', /^SUnreclaim: +(\d+)/m) ?? 0);
}

function numberIn(path: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(textOf(path))?.[1];
  return found === undefined ? undefined : Number(found);
}

function views(): readonly View[] {
  const { p50, p99, max, spread, bytes, cpu, memory, connection, lost, doubled } = PUSH_COLUMNS;
  const rows = { measurement: 'Encoding', subject: 'Server', processes: 'Processes', clients: 'Connections' };
  const open = { value: 'openSeconds', title: 'To open, s' };
  const disordered = { value: 'disordered', title: 'Out of order', isTotal: true };
  return [
    { ...DELAYS, of: {}, series: { subject: '', measurement: '' } },
    {
      kind: 'table',
      title: 'Updates to all connections',
      of: {},
      rows: { ...rows, limit: 'No more by' },
      columns: [open, lost, doubled, disordered, p50, p99, max, spread, bytes],
    },
    {
      kind: 'table',
      title: 'Cost of all connections',
      of: {},
      rows,
      columns: [
        { ...cpu, title: 'CPU of the server, µs a delivery' },
        { value: 'updateCpuSeconds', title: 'CPU of the server, s an update' },
        { value: 'loadCpuMicros', title: 'CPU of the load, µs a delivery' },
        { ...memory, title: 'Memory of the server, MiB' },
        connection,
        { value: 'kernelBytes', per: 1024, title: 'Of the kernel, both ends, KiB a connection' },
        { value: 'bufferBytes', per: 1024 ** 2, title: 'Most in buffers of sockets, MiB' },
      ],
    },
  ];
}
