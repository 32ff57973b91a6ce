// What readers that poll and readers that are pushed to have in common: processes of their own, each with an address of its own.
import { connect, type Socket } from 'node:net';
import { allOrNone, type Child, loadCore, nextAddress, processesFor, startChild } from '../processes.ts';

/** Where readers are. */
export interface Placed {
  /** @defaultValue as many as so many connections need */
  readonly processes?: number | undefined;
  /** Of all processes; `undefined` for any. @defaultValue the core of loads */
  readonly core?: number | undefined;
}

/** What the readers of one process have in common. JSON. */
export interface ReadersPlan {
  /** Of 127.0.0.1, which readers take in turns. */
  readonly ports: readonly number[];
  readonly path: string;
  readonly readers: number;
  /** The number of the first, of all readers of all processes. */
  readonly firstReader: number;
  /** From which address of the loopback network. */
  readonly localAddress: string;
}

/** Starts the processes of readers; resolves when all of these have been answered, or refused. */
export async function startReaders<Plan extends ReadersPlan>(
  plan: Omit<Plan, 'firstReader' | 'localAddress'> & Pick<ReadersPlan, 'readers'>,
  placed: Placed,
): Promise<readonly Child<unknown>[]> {
  let firstReader = 0;
  const module = new URL('./reader-process.js', import.meta.url);
  return allOrNone(
    shares(plan.readers, placed.processes).map((readers) => {
      const own = { ...plan, readers, firstReader, localAddress: nextAddress() };
      firstReader += readers;
      return startChild(module, own, loadCore(placed));
    }),
  );
}

/** How many readers each of some processes has. */
export function shares(readers: number, processes = processesFor(readers)): readonly number[] {
  return Array.from({ length: processes }, (_, index) => Math.ceil((readers - index) / processes));
}

/** Connections that may be under way at a time, in a process. */
const OPENING = 200;

/** Opens all readers of a process, some at a time. */
export async function openAll(readers: readonly { open(): Promise<unknown> }[]): Promise<void> {
  const left = readers.values();
  const one = async () => {
    for (const reader of left) await reader.open();
  };
  await Promise.all(Array.from({ length: OPENING }, one));
}

/** All readers of a process read into the same bytes: what is read is looked at before the next read. */
const shared = Buffer.allocUnsafe(256 * 1024);

/**
 * Connects a reader.
 *
 * @param onRead - takes what has come, which is used again as soon as it returns
 */
export function connectReader(port: number, localAddress: string, onRead: (bytes: Buffer) => void): Socket {
  const callback = (length: number) => {
    onRead(shared.subarray(0, length));
    return true;
  };
  const socket = connect({
    port,
    host: '127.0.0.1',
    localAddress,
    noDelay: true,
    onread: { buffer: shared, callback },
  });
  // What follows it is its close.
  return socket.on('error', () => undefined);
}
