/*
 * Both ends of a measurement in C (loops.c), compiled into a folder where there is a compiler: a server that writes the same
 * bytes to every connection, readers of event streams, and clients that ask for a document in a closed or an open loop.
 *
 *   const asking = await startAsking({ ports, path: '/latest', clients: 5000, folder })
 *   await asking.closed(10_000, 60)   // { asked: 98000, served: 98000, late: 0, servedInTenths: [9800, ...], delay, effort }
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Histogram } from '../histogram.ts';
import { type Effort, sumEfforts, sumStats } from '../load/effort.ts';
import { residentBytesOf } from '../machine.ts';
import {
  compileC,
  type LineProgram,
  loadCore,
  MAX_CONNECTIONS,
  nextAddress,
  processesFor,
  startLineProgram,
} from '../processes.ts';
import { LEAD_MS, monotonicMicros } from '../timing.ts';
import { httpChunk, LOOP_HEADER } from './node-servers.ts';
import type { LoopOptions, Subject } from './subject.ts';

/** The program of all roles; `undefined` where there is no compiler. */
export function loopsProgram(folder: string): string | undefined {
  return compileC('subjects/loops', folder);
}

/** The yardstick of push: a loop that writes the same bytes to every connection; `undefined` where there is no compiler. */
export async function startCServer(
  { event, folder }: LoopOptions,
  core: number | undefined,
): Promise<Subject | undefined> {
  const program = loopsProgram(folder);
  if (program === undefined) return undefined;
  const files = [join(folder, 'header'), join(folder, 'event')] as const;
  await writeFile(files[0], LOOP_HEADER);
  await writeFile(files[1], httpChunk(event));
  const running = startLineProgram([program, 'serve', ...files], core);
  return {
    ports: [Number(await running.next('port'))],
    path: '/events',
    cpuMicros: async () => {
      running.send('usage');
      return Number(await running.next('usage'));
    },
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
export interface AskingOptions {
  /** Of 127.0.0.1, taken in turns. */
  readonly ports: readonly number[];
  readonly path: string;
  readonly clients: number;
  /** Of each request. @defaultValue `accept-encoding: identity` */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of all its processes; `undefined` for any. @defaultValue the core of loads */
  readonly core?: number | undefined;
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
export interface Asking {
  /** Each asks again so long after it is answered. */
  closed(durationMs: number, pauseMs: number): Promise<AskingRound>;
  /** Each asks once every period, whether it is answered or not. */
  open(durationMs: number, periodMs: number): Promise<AskingRound>;
  stop(): Promise<void>;
}

/** Connects clients; `undefined` where there is no compiler. */
export async function startAsking(options: AskingOptions): Promise<Asking | undefined> {
  const { ports, path, clients, folder, headers = { 'accept-encoding': 'identity' } } = options;
  const program = loopsProgram(folder);
  if (program === undefined) return undefined;
  const processes = processesFor(clients);
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const running = Array.from({ length: processes }, (_, index) => {
    const own = Math.ceil((clients - index) / processes);
    const target = [ports.join(','), path, String(own), nextAddress(), fields.join('')];
    return startLineProgram([program, 'ask', ...target], loadCore(options));
  });
  await Promise.all(running.map((one) => one.next('open')));
  const order = async (line: string) => {
    for (const one of running) one.send(line);
    return sumRounds(await Promise.all(running.map(async (one) => readRound(await one.next('done')))));
  };
  return {
    closed: (durationMs, pauseMs) => order(`closed ${Math.round(durationMs * 1000)} ${Math.round(pauseMs * 1000)}`),
    open: (durationMs, periodMs) => order(`open ${Math.round(durationMs * 1000)} ${Math.round(periodMs * 1000)}`),
    stop: async () => void (await Promise.all(running.map((one) => one.close()))),
  };
}

function readRound(line: string): AskingRound {
  const { counts, ...round } = JSON.parse(line);
  return { ...round, delay: histogramOf(counts) };
}

/** What several processes met, as if they were one. */
function sumRounds(rounds: readonly AskingRound[]): AskingRound {
  const stats = rounds.map(({ effort: _, delay: __, servedInTenths: ___, ...counted }) => counted);
  return {
    ...sumStats(stats),
    answerBytes: Math.max(...stats.map(({ answerBytes }) => answerBytes)),
    servedInTenths: Array.from({ length: 10 }, (_, tenth) =>
      rounds.reduce((sum, { servedInTenths }) => sum + (servedInTenths[tenth] ?? 0), 0),
    ),
    delay: new Histogram(...rounds.map(({ delay }) => delay.encode())),
    effort: sumEfforts(rounds.map(({ effort }) => effort)),
  };
}

/** Readers of event streams in C, of one process: `bytes` do nothing but read. */
export interface ReadingOptions extends Omit<AskingOptions, 'headers'> {
  readonly mode: 'bytes' | 'identity' | 'gzip';
}

/** Connects readers, and resolves when all have been answered; `undefined` where there is no compiler. */
export async function startReading(options: ReadingOptions): Promise<LineProgram | undefined> {
  const { ports, path, clients, folder, mode } = options;
  const program = loopsProgram(folder);
  if (program === undefined) return undefined;
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
 * processor's cache with the server, which the readers of a real one do not. `undefined` where there is no compiler, or where
 * there are more readers than a process may have.
 */
export async function cpuOnlyMicros(subject: Subject, options: CpuOnlyOptions): Promise<number | undefined> {
  const { clients, updates, warmUps, intervalMs, settleMs } = options;
  if (clients > MAX_CONNECTIONS) return undefined;
  const reading = await startReading({ ...options, ports: subject.ports, path: subject.path, mode: 'bytes' });
  if (reading === undefined) return undefined;
  try {
    await sleep(settleMs);
    const publish = async (count: number) => {
      const intervalMicros = intervalMs * 1000;
      const startMicros = Math.ceil((monotonicMicros() + LEAD_MS * 1000) / intervalMicros) * intervalMicros;
      await subject.publish({ startMicros, intervalMicros, count });
      for (let before = '', still = 0; still < STILL_LOOKS; ) {
        await sleep(LOOK_MS);
        reading.send('stats');
        const now = await reading.next('stats');
        still = now === before ? still + 1 : 0;
        before = now;
      }
    };
    await publish(warmUps);
    const before = await subject.cpuMicros();
    await publish(updates);
    return ((await subject.cpuMicros()) - before) / (updates * clients);
  } finally {
    await reading.close();
  }
}
