/*
 * Both ends of a measurement in C (loops.c), compiled into a folder where there is a compiler: a server that writes the same
 * bytes to every connection, readers of event streams, and clients that ask for a document in a closed or an open loop.
 *
 *   const asking = await startAsking({ ports, path: '/latest', clients: 5000, folder })
 *   await asking.closed(10_000, 60)   // { asked: 98000, served: 98000, late: 0, servedInTenths: [9800, ...], delay, effort }
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Histogram } from '../histogram.ts';
import type { Effort } from '../load/effort.ts';
import type { Placed } from '../load/readers.ts';
import { cpuMicrosOf, residentBytesOf } from '../machine.ts';
import { compileC, type LineProgram, loadCore, MAX_CONNECTIONS, nextAddress, startLineProgram } from '../processes.ts';
import { LEAD_MS, monotonicMicros } from '../timing.ts';
import { httpChunk, LOOP_HEADER } from './node-servers.ts';
import type { EventOptions, Subject } from './subject.ts';

/** The program of all roles; `undefined` where there is no compiler. */
export function loopsProgram(folder: string): string | undefined {
  return compileC('subjects/loops', folder);
}

/** The yardstick of push: a loop that writes the same bytes to every connection; `undefined` where there is no compiler. */
export async function startCServer(
  { event, folder }: EventOptions,
  core: number | undefined,
): Promise<Subject | undefined> {
  const program = folder === undefined ? undefined : loopsProgram(folder);
  if (program === undefined) return undefined;
  const running = startLineProgram([program, 'serve', LOOP_HEADER, httpChunk(event)], core);
  return {
    ports: [Number(await running.next('port'))],
    path: '/events',
    cpuMicros: async () => cpuMicrosOf([running.pid]),
    residentBytes: () => residentBytesOf([running.pid]),
    publish: async ({ startMicros, intervalMicros, count }) => {
      running.send(`publish ${startMicros} ${intervalMicros} ${count}`);
      await running.next('published');
      return undefined;
    },
    close: () => running.close(),
  };
}

/** What the program counted: values in microseconds and their counts, in turns. */
export function histogramOf(counts: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (let at = 0; at < counts.length; at += 2) histogram.note(counts[at] as number, counts[at + 1] as number);
  return histogram;
}

/** Clients in C that ask for one document. */
export interface AskingOptions extends Pick<Placed, 'core'> {
  /** Of 127.0.0.1, taken in turns. */
  readonly ports: readonly number[];
  readonly path: string;
  readonly clients: number;
  /** Of each request. @defaultValue `accept-encoding: identity` */
  readonly headers?: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** What came of asking for a while. */
export interface AskingRound {
  /** Requests that were due. */
  readonly asked: number;
  /** Answers that came in time. */
  readonly served: number;
  /** Requests that were due while the one before was under way. */
  readonly late: number;
  /** Answers of 304. */
  readonly unmodified: number;
  /** Answers other than 200 and 304. */
  readonly failed: number;
  /** Bytes of the last answer, header included. */
  readonly answerBytes: number;
  /** Answers that came in each tenth of the time. */
  readonly servedInTenths: readonly number[];
  /** From when a request was due until its answer was whole. */
  readonly delay: Histogram;
  readonly effort: Effort;
}

/** Clients that are connected. */
export type Asking = NonNullable<Awaited<ReturnType<typeof startAsking>>>;

/** Connects clients, all of one process; `undefined` where there is no compiler. */
export async function startAsking(options: AskingOptions) {
  const { ports, path, clients, folder, headers = { 'accept-encoding': 'identity' } } = options;
  const program = loopsProgram(folder);
  if (program === undefined) return undefined;
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const target = [ports.join(','), path, String(clients), nextAddress(), fields.join('')];
  const asking = startLineProgram([program, 'ask', ...target], loadCore(options));
  await asking.next('open');
  const round = async (loop: 'closed' | 'open', ...times: readonly number[]): Promise<AskingRound> => {
    asking.send([loop, ...times.map((ms) => Math.round(ms * 1000))].join(' '));
    const { counts, ...round } = JSON.parse(await asking.next('done'));
    return { ...round, delay: histogramOf(counts) };
  };
  return {
    /** Each asks again so long after it is answered. */
    closed: (durationMs: number, pauseMs: number) => round('closed', durationMs, pauseMs),
    /** Each asks once every period, whether it is answered or not. */
    open: (durationMs: number, periodMs: number) => round('open', durationMs, periodMs),
    stop: () => asking.close(),
  };
}

/** Readers of event streams in C, of one process: `bytes` do nothing but read. */
export interface ReadingOptions extends Omit<AskingOptions, 'headers' | 'folder'> {
  readonly mode: 'bytes' | 'identity' | 'gzip';
}

/** Connects readers, and resolves when all have been answered. */
export async function startReading(program: string, options: ReadingOptions): Promise<LineProgram> {
  const { ports, path, clients, mode } = options;
  const target = [ports.join(','), path, String(clients), nextAddress(), mode];
  const reading = startLineProgram([program, 'read', ...target], loadCore(options));
  const [open, refused] = (await reading.next('open')).split(' ').map(Number);
  if (open === clients) return reading;
  await reading.close();
  throw new Error(`${open} of ${clients} connections are open, ${refused} were refused`);
}

/** What CPU time is measured by; `warmUps` are updates before that do not count. */
export type CpuOnlyOptions = Pick<AskingOptions, 'clients' | 'core' | 'folder'> &
  Readonly<Record<'updates' | 'warmUps' | 'intervalMs' | 'settleMs', number>>;

const LOOK_MS = 100;
/** So many looks in a row find nothing new when all has come: a server may be kept from its core for one. */
const STILL_LOOKS = 3;

/**
 * CPU time of a server for a delivery, microseconds, beside readers that do nothing but read: those that do more share the
 * processor's cache with the server, which the readers of a real one do not. `undefined` where there is no compiler, where there
 * are more readers than a process may have, or where not all got all.
 */
export async function cpuOnlyMicros(subject: Subject, options: CpuOnlyOptions): Promise<number | undefined> {
  const { clients, updates, warmUps, intervalMs, settleMs } = options;
  const program = loopsProgram(options.folder);
  if (clients > MAX_CONNECTIONS || program === undefined) return undefined;
  const reading = await startReading(program, { ...options, ports: subject.ports, path: subject.path, mode: 'bytes' });
  try {
    await sleep(settleMs);
    const bytesRead = async () => {
      reading.send('stats');
      return (JSON.parse(await reading.next('stats')) as { readonly bytes: number }).bytes;
    };
    const publish = async (count: number) => {
      const intervalMicros = intervalMs * 1000;
      const startMicros = Math.ceil((monotonicMicros() + LEAD_MS * 1000) / intervalMicros) * intervalMicros;
      const startBytes = await bytesRead();
      await subject.publish({ startMicros, intervalMicros, count });
      let bytes = startBytes;
      for (let still = 0; still < STILL_LOOKS; ) {
        await sleep(LOOK_MS);
        const now = await bytesRead();
        still = now === bytes ? still + 1 : 0;
        bytes = now;
      }
      return bytes - startBytes;
    };
    const warmBytes = await publish(warmUps);
    const before = await subject.cpuMicros();
    const bytes = await publish(updates);
    const cpuMicros = (await subject.cpuMicros()) - before;
    // Those who did not get it cost less. An update may be shorter than another by the digits of its id.
    return bytes < 0.99 * updates * (warmBytes / warmUps) ? undefined : cpuMicros / (updates * clients);
  } finally {
    await reading.close();
  }
}
