import { readFileSync } from 'node:fs';
import { startChild } from '../child.ts';
import { residentMemory } from '../resident-memory.ts';
import type { PeerOptions } from './peer.ts';
import type { PublishSchedule } from './publish-on-schedule.ts';
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

/** Starts one of this package's servers on a core, `undefined` for any. */
export async function startNodeSubject(
  name: string,
  options: PeerOptions,
  core: number | undefined,
): Promise<NodeSubject> {
  const module = new URL('./server-process.js', import.meta.url);
  const child = startChild<ServerTold>(module, [name, JSON.stringify(options)], core);
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
  return {
    name,
    ...started,
    cpuMicros: async () => (await ask<ServerUsage>('usage', { order: 'usage' })).cpuMicros,
    residentBytes: () => sumOf([child.pid, ...(started.pids ?? [])].map(residentBytesOf)),
    publish: async (schedule) => (await ask<ServerPublished>('published', { order: 'publish', schedule })).head,
    closeInOrder,
    close: async () => void (await closeInOrder()),
  };
}

/** Resident memory of a process, bytes; `undefined` where the system does not tell. */
export function residentBytesOf(pid: number): number | undefined {
  try {
    return residentMemory(readFileSync(`/proc/${pid}/status`, 'utf8'))?.residentBytes;
  } catch {
    return undefined;
  }
}

function sumOf(counts: readonly (number | undefined)[]): number | undefined {
  return counts.reduce<number | undefined>(
    (sum, count) => (sum === undefined || count === undefined ? undefined : sum + count),
    0,
  );
}
