/*
 * One cell of push, for all experiments that push: readers connect to a server, get updates that do not count, and then those
 * that do. The server is weighed before the first reader and after the last update.
 *
 *   await measurePushed('Express', 5200, { clients: 10_000, updates: 8, warmUps: 3, intervalMs: 2000, settleMs: 1000 }, lab)
 *   // { values: { cpuMicros: 61.2, p99Ms: 812, lost: 0, doubled: 0, residentBytes: 310000000, connectionBytes: 24100, ... },
 *   //   histograms: { delay: 'HISTFAAAA...' } }
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Lab, Measured, Missing } from '../experiment.ts';
import { MAX_UPDATES, type PushLoad, type PushOptions, startPushLoad } from '../load/push-load.ts';
import { processesFor, SERVER_CORE } from '../processes.ts';
import { cpuOnlyMicros } from '../subjects/c-loops.ts';
import { type Subject, type SubjectKind, startSubject } from '../subjects/subject.ts';

/** The event that all servers send, as text: what ours makes of a commit of about so many bytes. */
export async function sharedEvent(lab: Pick<Lab, 'shared'>, eventBytes: number): Promise<string> {
  const { event } = await lab.shared('event', async () => {
    const subject = await startSubject('ldes-live', { workload: 'sized', eventBytes }, SERVER_CORE);
    await subject.close();
    return { event: subject.sample ?? '', close: async () => undefined };
  });
  return event;
}

/** A folder for the program in C, which is compiled once. */
export async function sharedFolder(lab: Pick<Lab, 'shared'>): Promise<string> {
  return (await lab.shared('folder', async (folder) => ({ folder, close: async () => undefined }))).folder;
}

/** How updates are pushed, and to how many. */
export interface PushCell extends Pick<PushOptions, 'processes' | 'core'> {
  readonly clients: number;
  readonly updates: number;
  /** Updates before, which do not count. */
  readonly warmUps: number;
  readonly intervalMs: number;
  /** How long to wait until memory is looked at. */
  readonly settleMs: number;
  /** Whether CPU time is taken once more, beside readers that do nothing but read. */
  readonly isCpuOnly?: boolean;
}

/** How many updates are pushed in so long, as many as readers follow at a time at most. */
export function updatesIn(durationMs: number, intervalMs: number): number {
  return Math.min(MAX_UPDATES, Math.max(1, Math.round(durationMs / intervalMs)));
}

/** The sizes that were asked for, of a plan that pushes an update every so often. */
export function askedSizes({ clients, durationSeconds, repeats }: Asked, intervalMs: number) {
  const updates = durationSeconds && updatesIn(durationSeconds * 1000, intervalMs);
  return { ...(clients && { clients }), ...(updates && { updates }), ...(repeats && { repeats }) };
}

const CPU_ONLY_UPDATES = 4;

/** About how long a cell takes. */
export function pushSeconds({ clients, updates, warmUps, intervalMs, settleMs, isCpuOnly = false }: PushCell): number {
  const open = 1 + 0.0004 * clients;
  const again = isCpuOnly ? open + ((CPU_ONLY_UPDATES + 2) * intervalMs + settleMs) / 1000 : 0;
  return open + ((updates + warmUps + 1) * intervalMs + 3 * settleMs) / 1000 + again;
}

/** What of the servers that push the shared event this machine may not have. */
const NEEDS: Readonly<Record<string, string>> = { 'C loop': 'a C compiler', Nchan: 'nginx with Nchan' };

/** Measures a server on the core of servers: a process for as many clients as one may hold, and for each more. */
export async function measurePushed(
  name: string,
  eventBytes: number,
  cell: PushCell,
  lab: Pick<Lab, 'shared'>,
): Promise<Measured | Missing> {
  const [event, folder] = [await sharedEvent(lab, eventBytes), await sharedFolder(lab)];
  const options = { workload: 'sized', eventBytes, event, folder, processes: processesFor(cell.clients) };
  const subject = await startSubject(name as SubjectKind, options, SERVER_CORE);
  if (subject === undefined) return { missing: NEEDS[name] ?? name };
  return measurePush(subject, cell, folder).finally(() => subject.close());
}

/** Opens readers of a server, uses them, and ends both. */
export async function withLoad<Found>(
  subject: Subject,
  options: PushOptions,
  use: (load: PushLoad) => Promise<Found>,
): Promise<Found> {
  try {
    const load = await startPushLoad(subject, options);
    return await use(load).finally(() => load.stop());
  } finally {
    await subject.close();
  }
}

/**
 * Opens all readers, publishes, and closes all.
 *
 * @param folder - where readers in C are compiled to
 */
export async function measurePush(subject: Subject, cell: PushCell, folder: string): Promise<Measured> {
  const { clients, updates, warmUps, intervalMs, settleMs, isCpuOnly, ...placed } = cell;
  await sleep(settleMs);
  const before = subject.residentBytes();
  const load = await startPushLoad(subject, { ...placed, readers: clients, cFolder: folder });
  let measured: Measured;
  try {
    await sleep(settleMs);
    await load.deliver(subject, { count: warmUps, intervalMs });
    const { values, ...delivered } = await load.deliver(subject, { count: updates, intervalMs });
    await sleep(settleMs);
    measured = { ...delivered, values: { ...values, ...grown(before, subject.residentBytes(), clients) } };
  } finally {
    await load.stop();
  }
  if (!isCpuOnly) return measured;
  // The server is warm, but its new connections are not.
  const again = { clients, updates: CPU_ONLY_UPDATES, warmUps: 1, intervalMs, settleMs, folder };
  const only = await cpuOnlyMicros(subject, again);
  return { ...measured, values: { ...measured.values, ...(only !== undefined && { cpuOnlyMicros: only }) } };
}

/** Memory of a server with all its connections, and what it grew by for each; nothing where the system does not tell. */
export function grown(before: number | undefined, after: number | undefined, connections: number) {
  if (before === undefined || after === undefined) return {};
  return { residentBytes: after, connectionBytes: Math.max(0, after - before) / connections };
}

const LOOK_MS = 200;

/** Looks at a figure every so often, until it is asked for the most. */
export function watchMaximum(look: () => number): () => number {
  let most = look();
  const timer = setInterval(() => {
    most = Math.max(most, look());
  }, LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    return most;
  };
}

/** A picture of when each delivery came. */
export const DELAYS = {
  kind: 'density',
  title: 'Delay of an update',
  histogram: 'delay',
  x: 'Delay, ms',
  rows: { key: 'clients', title: 'Clients' },
} as const;

/** Columns of what was pushed. */
export const PUSH_COLUMNS = {
  cpuOnly: { value: 'cpuOnlyMicros', title: 'CPU with readers that only read, µs a delivery' },
  cpu: { value: 'cpuMicros', title: 'CPU, µs a delivery' },
  p50: { value: 'p50Ms', title: 'p50, ms' },
  p99: { value: 'p99Ms', title: 'p99, ms' },
  max: { value: 'maxMs', title: 'Longest that came, ms' },
  loadCpu: { value: 'loadCpuMicros', title: 'CPU of the load, µs a delivery' },
  load: { value: 'loadShare', per: 0.01, title: 'The load, % of a core' },
  spread: { value: 'spreadMs', title: 'First to last, ms' },
  bytes: { value: 'bytes', title: 'Bytes a delivery' },
  memory: { value: 'residentBytes', per: 1024 ** 2, title: 'Memory, MiB' },
  connection: { value: 'connectionBytes', per: 1024, title: 'KiB a connection' },
  lost: { value: 'lost', title: 'Lost', isTotal: true },
  doubled: { value: 'doubled', title: 'Twice', isTotal: true },
} as const;
