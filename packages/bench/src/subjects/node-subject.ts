import { startChild } from '../child.ts';
import type { PublishSchedule } from '../load/publish-on-schedule.ts';
import { cpuMicrosOf, residentBytesOf } from '../process-usage.ts';
import { groupSubjects } from './group-subjects.ts';
import type { PeerOptions } from './peer.ts';
import type {
  ServerClosed,
  ServerOrder,
  ServerPublished,
  ServerStarted,
  ServerTold,
  ServerUsage,
} from './server-messages.ts';

/** A server under measurement, as whoever measures sees it. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  /** Path of its event stream. */
  readonly path: string;
  /** Path of the document with the latest state, where it has one; it holds the stamp of its update. */
  readonly latestPath?: string;
  /** Where it is reached, in turns, when it consists of servers that have a port each; `port` is the first of them. */
  readonly ports?: readonly number[];
  /** CPU time that it has taken, microseconds. */
  cpuMicros(): Promise<number>;
  /** Resident memory, bytes; `undefined` where the system does not tell. */
  residentBytes(): number | undefined;
  /** Resolves when the last update has been published, to its id where it has one. */
  publish(schedule: PublishSchedule): Promise<string | undefined>;
  close(): Promise<void>;
}

/** A subject that is a program of this package. */
export interface NodeSubject extends Subject, Pick<ServerStarted, 'sample' | 'commits'> {
  /** Closes it; resolves to when it began to and when it was done. */
  closeInOrder(): Promise<ServerClosed>;
}

/** What a subject is started with. */
export interface NodeSubjectOptions extends PeerOptions {
  /**
   * Servers that share its readers, in a process and with a port each: one may have some 18,000 connections.
   *
   * @defaultValue 1
   */
  readonly processes?: number;
}

/** Starts one of this package's servers on a core, `undefined` for any. */
export async function startNodeSubject(
  name: string,
  { processes = 1, ...options }: NodeSubjectOptions,
  core: number | undefined,
): Promise<NodeSubject> {
  const first = await startOne(name, options, core);
  if (processes === 1) return first;
  // The others publish what the first has found to be of the size.
  const { live } = options;
  const others = live && first.commits ? { ...options, live: { ...live, commits: first.commits } } : options;
  const more = Array.from({ length: processes - 1 }, () => startOne(name, others, core));
  const all = [first, ...(await Promise.all(more))];
  return {
    ...first,
    ...groupSubjects(all),
    closeInOrder: async () => {
      const closed = await Promise.all(all.map((one) => one.closeInOrder()));
      const instants = closed.flatMap(({ startedMicros, endedMicros }) => [startedMicros, endedMicros]);
      return { kind: 'closed', startedMicros: Math.min(...instants), endedMicros: Math.max(...instants) };
    },
  };
}

async function startOne(name: string, options: PeerOptions, core: number | undefined): Promise<NodeSubject> {
  const module = new URL('./server-process.js', import.meta.url);
  const child = startChild<ServerTold>(module, [name, JSON.stringify(options)], core ?? 'any');
  const { kind: _, ...started } = (await child.next()) as ServerStarted;
  // Several orders may be under way: what is published goes on meanwhile.
  const answers = new Map<ServerTold['kind'], (told: ServerTold) => void>();
  const listen = async () => {
    for (;;) {
      const told = await child.next();
      answers.get(told.kind)?.(told);
    }
  };
  // Its end is an answer too: the one to what closes it.
  listen().catch(() => undefined);
  const ask = <Told extends ServerTold>(kind: Told['kind'], order: ServerOrder) =>
    new Promise<Told>((resolve, reject) => {
      answers.set(kind, (told) => resolve(told as Told));
      void child.ended.then(() => reject(new Error(`${name} ended before it was done`)));
      child.send(order);
    });
  const closeInOrder = async () => {
    const closed = await ask<ServerClosed>('closed', { order: 'close' });
    await child.ended;
    return closed;
  };
  const pids = [child.pid, ...(started.pids ?? [])];
  return {
    name,
    ...started,
    // Where the system tells it is not asked: one that has much to do would answer late, by a time that nobody knows.
    cpuMicros: async () => cpuMicrosOf(pids) || (await ask<ServerUsage>('usage', { order: 'usage' })).cpuMicros,
    residentBytes: () => residentBytesOf(pids),
    publish: async (schedule) => (await ask<ServerPublished>('published', { order: 'publish', schedule })).head,
    closeInOrder,
    close: async () => void (await closeInOrder()),
  };
}
