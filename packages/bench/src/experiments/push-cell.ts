/*
 * One cell of push, for all experiments that push: readers connect to a server, get updates that do not count, and then those
 * that do. The server is weighed before the first reader and after the last update.
 *
 *   const server = await startPushed('Express', { event, clients: 10_000, folder })
 *   await measurePush(server, { clients: 10_000, updates: 10, warmUps: 6, intervalMs: 2000, settleMs: 2000, folder })
 *   // { values: { cpuMicros: 61.2, p99Ms: 812, lost: 0, doubled: 0, residentBytes: 310000000, connectionBytes: 24100, ... },
 *   //   updates: [...], histograms: { delay: 'HISTFAAAA...' } }
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab, Measured } from '../experiment.ts';
import { type PushOptions, startPushLoad } from '../load/push-load.ts';
import { processesFor, SERVER_CORE } from '../processes.ts';
import { cpuOnlyMicros } from '../subjects/c-loops.ts';
import { type Subject, startSubject } from '../subjects/subject.ts';

/** Servers that push the same event, as tables name them. */
export type PushedName = 'ldes-live' | 'C loop' | 'Node loop' | 'Nchan' | '@fastify/sse' | 'Express';

/** What a server needs that this machine may not have. */
export const NEEDS: Readonly<Record<string, string>> = { 'C loop': 'a C compiler', Nchan: 'nginx with Nchan' };

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

/** What a server is started with. */
export interface PushedOptions {
  readonly event: string;
  /** For as many as one process may hold, and for each more, there is a process. */
  readonly clients: number;
  readonly folder: string;
  /** @defaultValue the core of servers */
  readonly core?: number | undefined;
}

/** Starts a server; `undefined` where this machine does not have what it takes. */
export function startPushed(name: PushedName, options: PushedOptions): Promise<Subject | undefined> {
  const { event, clients, folder } = options;
  const core = 'core' in options ? options.core : SERVER_CORE;
  const common = { event, folder, processes: processesFor(clients) };
  switch (name) {
    case 'ldes-live': {
      const live = { workload: 'sized', eventBytes: Buffer.byteLength(event) } as const;
      return startSubject('ldes-live', { ...live, processes: common.processes }, core);
    }
    case 'C loop':
      return startSubject('c-loop', common, core);
    case 'Nchan':
      return startSubject('nchan', common, core);
    case 'Node loop':
      return startSubject('node-loop', common, core);
    case '@fastify/sse':
      return startSubject('fastify-sse', common, core);
    case 'Express':
      return startSubject('express', common, core);
  }
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
  /** Where readers in C are compiled to. */
  readonly folder: string;
  /** Updates by which CPU time is taken once more, beside readers that do nothing but read. */
  readonly cpuOnly?: { readonly updates: number; readonly intervalMs: number };
}

/** Opens all readers, publishes, and closes all. */
export async function measurePush(subject: Subject, cell: PushCell): Promise<Measured> {
  const { clients, updates, warmUps, intervalMs, settleMs, folder, cpuOnly, ...placed } = cell;
  await sleep(settleMs);
  const before = subject.residentBytes();
  const load = await startPushLoad(subject, { ...placed, readers: clients, cFolder: folder });
  try {
    await sleep(settleMs);
    await load.deliver(subject, { count: warmUps, intervalMs });
    const { values, ...delivered } = await load.deliver(subject, { count: updates, intervalMs });
    await sleep(settleMs);
    const memory = grown(before, subject.residentBytes(), clients);
    await load.stop();
    const onlyMicros = cpuOnly && (await cpuOnlyMicros(subject, { ...cpuOnly, clients, warmUps, settleMs, folder }));
    const only = onlyMicros === undefined ? {} : { cpuOnlyMicros: onlyMicros };
    return { ...delivered, values: { ...values, ...only, ...memory } };
  } catch (error) {
    await load.stop();
    throw error;
  }
}

/** Memory of a server with all its connections, and what it grew by for each; nothing where the system does not tell. */
export function grown(before: number | undefined, after: number | undefined, connections: number) {
  if (before === undefined || after === undefined) return {};
  return { residentBytes: after, connectionBytes: Math.max(0, after - before) / connections };
}
