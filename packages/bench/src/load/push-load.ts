/*
 * Readers of event streams in processes of their own, on the second core.
 *
 *   const load = await startPushLoad(subject, { readers: 5000 })
 *   await load.deliver(subject, { count: 20, intervalMs: 500 })   // { values, updates, histograms, refused }: goes into a cell
 *
 * Stamps travel inside the updates: a reader finds the stamp, and the delay is now - stamp, counted per reader and update.
 * Refused are the delays of a load that took more than 80 % of its core, or was away for longer than 200 ms and a fifth of the p99.
 * For very many readers those in C are cheaper; with gzip they compare bytes, and a few readers in Node.js decode theirs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Histogram } from '../histogram.ts';
import { allOrNone, type LineProgram, loadCore, nextAddress, processesFor, startChild } from '../processes.ts';
import { histogramOf, loopsProgram, startReading } from '../subjects/c-loops.ts';
import type { Subject } from '../subjects/subject.ts';
import { LEAD_MS, monotonicMicros, type PublishSchedule } from '../timing.ts';
import { busyLoad, sumStats } from './effort.ts';
import { noSequence } from './event-stream.ts';
import { type PushReport, type PushStats, sumPushReports, type UpdateReport } from './push-counts.ts';
import type { PushOrder, PushPlan } from './push-reader.ts';

/** What a load is, over all its processes; see {@link PushPlan}. */
export interface PushOptions
  extends Partial<Pick<PushPlan, 'encoding' | 'decoded' | 'comesBack' | 'isStamped' | 'step'>> {
  readonly readers: number;
  /** @defaultValue that of the subject */
  readonly path?: string;
  /** @defaultValue as many as so many connections need */
  readonly processes?: number;
  /** Of all processes; `undefined` for any. @defaultValue the core of loads */
  readonly core?: number | undefined;
  /** Where readers in C are compiled to; absent, or without a compiler: all are in Node.js. */
  readonly cFolder?: string;
}

/** A process of the load, or what stands for one. */
export interface PushProcess {
  ask<Answer>(order: PushOrder): Promise<Answer>;
  close(): Promise<void>;
}

/** Connections that may be under way at a time. */
const OPENING = 200;

/**
 * Starts the processes, and resolves when all readers have been answered. Where the subject has several ports, processes take
 * them in turns.
 *
 * @throws Error - some reader was not answered by 200
 */
export async function startPushLoad(subject: Pick<Subject, 'ports' | 'path'>, options: PushOptions): Promise<PushLoad> {
  const { readers, encoding = 'identity', decoded = 0, cFolder } = options;
  const core = loadCore(options);
  const path = options.path ?? subject.path;
  const isZipped = encoding === 'gzip';
  const share = (all: number, index: number, processes: number) => Math.ceil((all - index) / processes);
  const portOf = (index: number) => subject.ports[index % subject.ports.length] as number;

  const startInC = async (folder: string, all: number) => {
    const processes = options.processes ?? processesFor(all);
    const started = Array.from({ length: processes }, async (_, index) => {
      const mode = isZipped ? 'gzip' : 'identity';
      const own = { ports: [portOf(index)], path, clients: share(all, index, processes), core, folder, mode } as const;
      return processInC((await startReading(own)) as LineProgram);
    });
    return allOrNone(started);
  };
  const startInNode = (all: number, processes: number) => {
    let firstReader = 0;
    const started = Array.from({ length: processes }, (_, index) => {
      const plan: PushPlan = {
        readers: share(all, index, processes),
        firstReader,
        port: portOf(index),
        path,
        encoding,
        decoded,
        localAddress: nextAddress(),
        opening: OPENING,
        comesBack: options.comesBack ?? false,
        isStamped: options.isStamped ?? true,
        ...(options.step !== undefined && { step: options.step }),
      };
      firstReader += plan.readers;
      return startChild<PushStats>(new URL('./push-process.js', import.meta.url), plan, core);
    });
    return allOrNone(started);
  };

  // With gzip, those in C do not know what is in the bytes: a few others decode theirs.
  const isInC = cFolder !== undefined && loopsProgram(cFolder) !== undefined;
  const inC = isInC ? await startInC(cFolder, isZipped ? readers - decoded : readers) : [];
  const left = !isInC ? readers : isZipped ? decoded : 0;
  const inNode = await startInNode(left, !isInC ? (options.processes ?? processesFor(left)) : processesFor(left));
  const counted = isZipped && !isInC ? decoded : readers;
  const load = new PushLoad([...inC, ...inNode], readers, counted);
  const { open, refused } = await load.stats();
  if (open === readers) return load;
  await load.stop();
  throw new Error(`${open} of ${readers} connections are open, ${refused} were refused`);
}

/** How long nothing may come before it is taken for lost, milliseconds. */
const QUIET_MS = 5000;
const LOOK_MS = 100;

/** How one update reached the readers, from the instant that it was due; percentiles of a hundred updates at most. */
type UpdateDelays = Readonly<Record<'firstMs' | 'lastMs', number> & Partial<Record<'p50Ms' | 'p99Ms', number>>>;

/**
 * Counts and costs. `lost` and `doubled` are of each reader by itself where all get every update, else of all together. `bytes`,
 * `cpuMicros` of the server and `loadCpuMicros` are for each delivery, an update to a reader. `loadShare` is of a core.
 */
type DeliveredCounts = Readonly<
  Record<
    'expected' | 'events' | 'lost' | 'doubled' | 'bytes' | 'cpuMicros' | 'loadCpuMicros' | 'loadShare' | 'loadLagMs',
    number
  >
>;

/** What came of publishing: parts of a cell. */
export interface Delivered {
  /**
   * Delays are not there of a load that was busy with itself. `spreadMs` is from the first reader that had an update to the last,
   * the median of the updates. `disordered`, deliveries after a newer one, is there where each reader is counted by itself, `ended`
   * and `unlike` where connections ended, or compressed bytes differed.
   */
  readonly values: DeliveredCounts &
    Readonly<Partial<Record<'p50Ms' | 'p99Ms' | 'maxMs' | 'spreadMs' | 'disordered' | 'ended' | 'unlike', number>>>;
  /** Where all readers get every update. */
  readonly updates?: readonly UpdateDelays[];
  readonly histograms?: { readonly delay: string };
  /** Why there are no delays. */
  readonly refused?: string;
}

/** The readers of a measurement. */
export class PushLoad {
  /** How many there are, over all processes. */
  readonly readers: number;
  readonly #processes: readonly PushProcess[];
  readonly #counted: number;

  /** @param counted - how many readers look at what they get */
  constructor(processes: readonly PushProcess[], readers: number, counted: number) {
    this.#processes = processes;
    this.readers = readers;
    this.#counted = counted;
  }

  async stats(): Promise<PushStats> {
    return sumStats(await this.order<PushStats>({ order: 'stats' }));
  }

  /** What was found since the last report. */
  async report(): Promise<PushReport> {
    return sumPushReports(await this.order<PushReport>({ order: 'report' }));
  }

  /** Orders the same of all processes. */
  order<Answer>(order: PushOrder): Promise<Answer[]> {
    return Promise.all(this.#processes.map((one) => one.ask<Answer>(order)));
  }

  /**
   * Publishes a series of updates, and waits until all have come or nothing comes any more.
   *
   * @param readers - that get each update. @defaultValue all that look at what they get
   */
  async deliver(
    subject: Pick<Subject, 'publish' | 'cpuMicros'>,
    { count, intervalMs, readers = this.#counted }: { count: number; intervalMs: number; readers?: number },
  ): Promise<Delivered> {
    const intervalMicros = intervalMs * 1000;
    // On multiples of the interval: those who are measured side by side publish at the same instants.
    const startMicros = Math.ceil((monotonicMicros() + LEAD_MS * 1000) / intervalMicros) * intervalMicros;
    const schedule: PublishSchedule = { startMicros, intervalMicros, count };
    // Where some readers get an update and others do not, only all together can be counted.
    const isEach = readers === this.#counted && count > 0;
    if (isEach) await this.order({ order: 'watch', schedule });
    const { stats: before } = await this.report();
    const cpuBefore = await subject.cpuMicros();
    await subject.publish(schedule);
    await this.untilEvents(before.events - before.doubled + count * readers);
    const cpuMicros = (await subject.cpuMicros()) - cpuBefore;
    const report = await this.report();
    const { effort, stats, lost = 0, unlike = 0 } = report;
    const [expected, events, ended] = [count * readers, stats.events - before.events, stats.ended - before.ended];
    const deliveries = this.#counted === this.readers ? events : count * this.readers;
    const values = {
      expected,
      events,
      lost: isEach ? lost : Math.max(0, expected - events),
      doubled: isEach ? stats.doubled : Math.max(0, events - expected),
      ...(isEach && { disordered: stats.disordered }),
      bytes: (stats.bytes - before.bytes) / deliveries,
      cpuMicros: cpuMicros / deliveries,
      loadCpuMicros: effort.cpuMicros / deliveries,
      loadShare: effort.cpuMicros / effort.wallMicros,
      loadLagMs: effort.maxLagMicros / 1000,
      ...(ended > 0 && { ended }),
      ...(unlike > 0 && { unlike }),
    };
    return withDelays(values, report, isEach);
  }

  /** Waits until so many events have come in all, or nothing has for a while. */
  async untilEvents(events: number): Promise<void> {
    let seen = -1;
    for (let quietMs = 0; quietMs < QUIET_MS; quietMs += LOOK_MS) {
      const stats = await this.stats();
      // What came twice does not stand for what has not come.
      if (stats.events - stats.doubled >= events) return;
      if (stats.events > seen) quietMs = 0;
      seen = stats.events;
      await sleep(LOOK_MS);
    }
  }

  async stop(): Promise<void> {
    await this.order({ order: 'stop' });
    await Promise.all(this.#processes.map((one) => one.close()));
  }
}

function withDelays(values: DeliveredCounts, { effort, ...report }: PushReport, isEach: boolean): Delivered {
  const delay = new Histogram(report.delay, ...report.updates.flatMap((update) => update.delay ?? []));
  const refused = busyLoad(effort, delay.percentileMs(0.99));
  if (refused !== undefined) return { values, refused };
  if (delay.total === 0) return { values };
  const updates = report.updates.map(delaysOf);
  const spreads = updates.map(({ firstMs, lastMs }) => lastMs - firstMs).sort((left, right) => left - right);
  const spreadMs = spreads[Math.floor(spreads.length / 2)] ?? 0;
  return {
    values: { ...values, ...duePercentiles(delay, values.lost), maxMs: delay.maxMicros / 1000, spreadMs },
    ...(isEach && { updates }),
    histograms: { delay: delay.encode() },
  };
}

/** Percentiles of all that was due: what never came is later than all that did, so that one of these is not known. */
export function duePercentiles(delay: Histogram, missing: number): Partial<Record<'p50Ms' | 'p99Ms', number>> {
  const [p50Ms, p99Ms] = [delay.percentileMs(0.5, missing), delay.percentileMs(0.99, missing)];
  return { ...(p50Ms !== undefined && { p50Ms }), ...(p99Ms !== undefined && { p99Ms }) };
}

function delaysOf({ stampMicros, firstMicros, lastMicros, delay }: UpdateReport): UpdateDelays {
  const [firstMs, lastMs] = [(firstMicros - stampMicros) / 1000, (lastMicros - stampMicros) / 1000];
  if (delay === undefined) return { firstMs, lastMs };
  const histogram = new Histogram(delay);
  return { firstMs, lastMs, p50Ms: histogram.percentileMs(0.5), p99Ms: histogram.percentileMs(0.99) };
}

/** The most updates that readers in C follow at a time: a bit each. */
const MAX_UPDATES_IN_C = 64;

/** Readers in C: they can neither pause nor come back. */
function processInC(reading: LineProgram): PushProcess {
  const ask = async (word: string) => {
    reading.send(word);
    return JSON.parse(await reading.next(word));
  };
  const report = async (): Promise<PushReport> => {
    const { updates, ...found } = await ask('report');
    const updatesOf = ({ counts, ...update }: UpdateReport & { readonly counts: readonly number[] }) => {
      return { ...update, delay: histogramOf(counts).encode() };
    };
    const nothing = { sequence: noSequence(), lastIds: {}, delay: new Histogram().encode() };
    return { ...nothing, ...found, updates: updates.map(updatesOf), stats: await ask('stats') };
  };
  const follow = async (order: PushOrder): Promise<unknown> => {
    if (order.order === 'report') return report();
    if (order.order === 'stats') return ask('stats');
    if (order.order === 'stop') return undefined;
    if (order.order !== 'watch') throw new Error(`readers in C do not follow: ${order.order}`);
    const { startMicros, intervalMicros, count } = order.schedule;
    if (count > MAX_UPDATES_IN_C) throw new Error(`${count} updates are more than readers in C follow`);
    reading.send(`watch ${startMicros} ${intervalMicros} ${count}`);
    return undefined;
  };
  return { ask: follow as PushProcess['ask'], close: () => reading.close() };
}
