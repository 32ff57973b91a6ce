/*
 * `scale`: as many push connections as one machine holds, 100,000 unless asked otherwise. Our server holds them in workers, plain
 * and in gzip; beside it the article's loop in one process, and in as many as so many connections need.
 *
 *   { "measurement": "plain", "subject": "ldes-live", "at": { "clients": 100000, "processes": 7 },
 *     "values": { "lost": 0, "doubled": 0, "disordered": 0, "p99Ms": 2900, "residentBytes": 1900000000, "kernelBytes": 9300, ... } }
 *
 * What a machine allows is read before: where it is less than was asked for, so many are held, and the cell says what the limit is.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Experiment, Lab, Measured, PlannedCell } from '../experiment.ts';
import { startPushLoad } from '../load/push-load.ts';
import { packageVersions } from '../machine.ts';
import { MAX_CONNECTIONS, SERVER_CORE } from '../processes.ts';
import type { CellPlan } from '../result.ts';
import { type Subject, startSubject } from '../subjects/subject.ts';
import { grown, sharedEvent, sharedFolder } from './push-cell.ts';

interface ScalePlan {
  readonly clients: readonly number[];
  readonly repeats: number;
  readonly eventBytes: number;
  readonly intervalMs: number;
  readonly updates: number;
  readonly settleMs: number;
  /** Of gzip: readers that decode what they get. */
  readonly decoded: number;
  readonly limits: Limits;
}

/** How many connections the machine allows, by what allows no more. */
interface Limits {
  /** Open files of a process, some of which are its own. */
  readonly openFiles: number;
  /** Open files of all processes. */
  readonly systemFiles: number;
  /** Connections that the packet filter follows, where there is one. */
  readonly trackedConnections: number;
  /** Local ports of one address: a process of the load has an address of its own. */
  readonly localPorts: number;
  /** Memory of all sockets that waits to be sent or read. */
  readonly socketBufferBytes: number;
}

const FULL = {
  clients: [100_000],
  repeats: 1,
  eventBytes: 5200,
  intervalMs: 30_000,
  updates: 5,
  settleMs: 5000,
  decoded: 20,
};
const QUICK = { ...FULL, clients: [2000], intervalMs: 1000, updates: 2, settleMs: 100 };

/** Workers do not get quite as many connections each as the others. */
const WORKER_SHARE = 0.8;
/** Of the ports of an address, the system gives every second one quickly; to find one of the others takes it ever longer. */
const QUICK_PORTS = 0.45;
/** Files that a process has open beside its connections. */
const OWN_FILES = 2000;

/** The experiment `scale`. */
export const SCALE: Experiment<ScalePlan> = {
  name: 'scale',
  title: 'As many push connections as one machine holds',
  about: '100,000 push connections to one machine: delays, CPU, memory',
  measurements: ['plain', 'gzip'],
  options: ['clients', 'duration', 'repeat'],
  plan: ({ quick, clients, durationSeconds, repeats }: Asked) => {
    const plan = quick ? QUICK : FULL;
    const updates = durationSeconds && Math.max(1, Math.round((durationSeconds * 1000) / plan.intervalMs));
    return {
      ...plan,
      clients: clients ?? plan.clients,
      repeats: repeats ?? plan.repeats,
      updates: updates ?? plan.updates,
      limits: readLimits(),
    };
  },
  cells: (plan) => plan.clients.flatMap((clients) => cellsFor(clients, plan)),
  measure,
  versions: () => packageVersions(['express']),
  ratios: [
    {
      of: { measurement: 'gzip', subject: 'ldes-live' },
      value: 'bytes',
      over: { measurement: 'plain' },
    },
  ],
  views: [
    {
      kind: 'density',
      title: 'Delay of an update',
      of: {},
      histogram: 'delay',
      x: 'Delay, ms',
      rows: { key: 'measurement', title: 'Encoding' },
      series: { subject: '', clients: 'clients' },
    },
    {
      kind: 'table',
      title: 'Updates to all connections',
      of: {},
      rows: {
        measurement: 'Encoding',
        subject: 'Server',
        processes: 'Processes',
        clients: 'Connections',
        limit: 'Limit',
      },
      columns: [
        { value: 'openSeconds', title: 'To open, s' },
        { value: 'lost', title: 'Lost', isTotal: true },
        { value: 'doubled', title: 'Twice', isTotal: true },
        { value: 'disordered', title: 'Out of order', isTotal: true },
        { value: 'p50Ms', title: 'p50, ms' },
        { value: 'p99Ms', title: 'p99, ms' },
        { value: 'maxMs', title: 'Longest, ms' },
        { value: 'spreadMs', title: 'First to last, ms' },
        { value: 'bytes', title: 'Bytes a delivery' },
      ],
    },
    {
      kind: 'table',
      title: 'Cost of all connections',
      of: {},
      rows: { measurement: 'Encoding', subject: 'Server', clients: 'Connections' },
      columns: [
        { value: 'cpuMicros', title: 'CPU of the server, µs a delivery' },
        { value: 'updateCpuSeconds', title: 'CPU of the server, s an update' },
        { value: 'loadCpuMicros', title: 'CPU of the load, µs a delivery' },
        { value: 'residentBytes', per: 1024 ** 2, title: 'Memory of the server, MiB' },
        { value: 'connectionBytes', per: 1024, title: 'Of it a connection, KiB' },
        { value: 'kernelBytes', per: 1024, title: 'Memory of the kernel, both ends of a connection, KiB' },
        { value: 'bufferBytes', per: 1024 ** 2, title: 'Most in buffers of sockets, MiB' },
      ],
    },
  ],
};

/** Both encodings of ours, the loop in one process, and in as many as are needed. */
function cellsFor(clients: number, { repeats, intervalMs, updates, settleMs, limits }: ScalePlan): PlannedCell[] {
  const { held, limit } = heldOf(clients, limits);
  const one = perProcess(limits);
  const cell = (measurement: string, subject: string, connections: number, processes: number, why = limit) => ({
    measurement,
    subject,
    at: { clients: connections, processes, limit: why },
    repeats,
    seconds: 5 + connections / 2500 + ((updates + 1.5) * intervalMs + 2 * settleMs) / 1000,
  });
  const workers = Math.ceil(held / (one * WORKER_SHARE));
  return [
    cell('plain', 'ldes-live', held, workers),
    cell('gzip', 'ldes-live', held, workers),
    ...(held > one ? [cell('plain', 'Express', one, 1, 'openFiles')] : []),
    cell('plain', 'Express', held, Math.ceil(held / one)),
  ];
}

/** How many connections one process may hold. */
function perProcess({ openFiles, localPorts }: Limits): number {
  return Math.min(MAX_CONNECTIONS, openFiles - OWN_FILES, localPorts);
}

/** How many of those that are asked for can be held, and what allows no more. Each takes a file at either end. */
function heldOf(clients: number, { systemFiles, trackedConnections }: Limits): { held: number; limit: string } {
  const limits = [
    { held: clients, limit: '–' },
    { held: Math.floor(systemFiles / 2) - OWN_FILES, limit: 'systemFiles' },
    { held: trackedConnections - OWN_FILES, limit: 'trackedConnections' },
  ];
  return limits.reduce((least, one) => (one.held < least.held ? one : least));
}

async function measure({ measurement, subject, at }: CellPlan, plan: ScalePlan, lab: Lab): Promise<Measured> {
  const [event, folder] = [await sharedEvent(lab, plan.eventBytes), await sharedFolder(lab)];
  const [clients, processes] = [Number(at.clients), Number(at.processes)];
  const server = await startServer(subject, { event, clients, processes });
  const bufferBytes = watchBuffers();
  try {
    await sleep(plan.settleMs);
    const [before, kernelBefore, startMs] = [server.residentBytes(), kernelBytes(), performance.now()];
    const zipped = measurement === 'gzip' && { encoding: 'gzip' as const, decoded: plan.decoded };
    const load = await startPushLoad(server, {
      ...zipped,
      readers: clients,
      // As many for each port of the server.
      processes:
        Math.ceil(clients / (plan.limits.localPorts * QUICK_PORTS) / server.ports.length) * server.ports.length,
      cFolder: folder,
    });
    try {
      const openSeconds = (performance.now() - startMs) / 1000;
      lab.onProgress(`${clients} connections are open`, 0.2);
      await sleep(plan.settleMs);
      await load.deliver(server, { count: 1, intervalMs: 1000 });
      await sleep(plan.settleMs);
      const { updates, intervalMs } = plan;
      const { values, ...delivered } = await load.deliver(server, { count: updates, intervalMs });
      await sleep(plan.settleMs);
      return {
        ...delivered,
        values: {
          ...values,
          openSeconds,
          updateCpuSeconds: (values.cpuMicros * clients) / 1e6,
          ...grown(before, server.residentBytes(), clients),
          kernelBytes: (kernelBytes() - kernelBefore) / clients,
          bufferBytes: bufferBytes(),
        },
      };
    } finally {
      await load.stop();
    }
  } finally {
    bufferBytes();
    await server.close();
  }
}

function startServer(
  subject: string,
  { event, clients, processes }: { readonly event: string; readonly clients: number; readonly processes: number },
): Promise<Subject> {
  if (subject === 'Express') return startSubject('express', { event, processes }, SERVER_CORE);
  // Whatever a server does not allow unless it is told to, shared by the workers.
  const push = { limitConnections: 2 * clients, limitAcceptsPerSecond: 2 * clients, limitWaitingAccepts: 2 * clients };
  const eventBytes = Buffer.byteLength(event);
  return startSubject('ldes-live', { workload: 'sized', eventBytes, workers: processes, push }, SERVER_CORE);
}

const LOOK_MS = 200;
const PAGE_BYTES = 4096;

/** Looks how much waits in the buffers of all sockets; tells the most since it began, and ends. */
function watchBuffers(): () => number {
  let most = 0;
  const look = () => {
    most = Math.max(most, PAGE_BYTES * numberIn('/proc/net/sockstat', /^TCP:.* mem (\d+)/m, 0));
  };
  const timer = setInterval(look, LOOK_MS);
  return () => {
    clearInterval(timer);
    return most;
  };
}

/** What the kernel holds for itself, sockets among it; buffers of sockets are not a part of it. */
function kernelBytes(): number {
  return 1024 * numberIn('/proc/meminfo', /^SUnreclaim: +(\d+)/m, 0);
}

function readLimits(): Limits {
  const ports = /(\d+)\s+(\d+)/.exec(textOf('/proc/sys/net/ipv4/ip_local_port_range')) ?? [0, 0, MAX_CONNECTIONS];
  return {
    openFiles: numberIn('/proc/self/limits', /^Max open files +(\d+)/m, MAX_CONNECTIONS + OWN_FILES),
    systemFiles: numberIn('/proc/sys/fs/file-max', /(\d+)/, Number.MAX_SAFE_INTEGER),
    trackedConnections: numberIn('/proc/sys/net/netfilter/nf_conntrack_max', /(\d+)/, Number.MAX_SAFE_INTEGER),
    localPorts: Number(ports[2]) - Number(ports[1]) + 1,
    socketBufferBytes: PAGE_BYTES * numberIn('/proc/sys/net/ipv4/tcp_mem', /(\d+)\s*$/, 0),
  };
}

function numberIn(path: string, pattern: RegExp, otherwise: number): number {
  const found = pattern.exec(textOf(path))?.[1];
  return found === undefined ? otherwise : Number(found);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
