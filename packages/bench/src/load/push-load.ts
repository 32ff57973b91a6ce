/*
 * Readers of event streams in processes of their own, on the second core.
 *
 *   const load = await startPushLoad(subject, { readers: 5000 })
 *   await load.deliver(subject, { count: 20, intervalMs: 500 })   // { values, histograms, refused }: goes into a cell
 *
 * Stamps travel inside the updates: a reader finds the stamp, and the delay is now - stamp, counted per reader and update.
 * Refused are the delays of a load that took more than 80 % of its core, or was away for longer than 200 ms and a fifth of the p99.
 * For very many readers those in C are cheaper; with gzip they compare bytes, and a few readers in Node.js decode theirs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measured } from '../experiment.ts';
import { Histogram } from '../histogram.ts';
import { allOrNone, type Child, type LineProgram } from '../processes.ts';
import { histogramOf, loopsProgram, startReading } from '../subjects/c-loops.ts';
import type { Subject } from '../subjects/subject.ts';
import { LEAD_MS, monotonicMicros, type PublishSchedule } from '../timing.ts';
import { busyLoad, sumStats } from './effort.ts';
import { noSequence } from './event-stream.ts';
import { type PushReport, type PushStats, singleDeliveries, sumPushReports } from './push-counts.ts';
import type { PushOrder, PushPlan } from './push-reader.ts';
import { type Placed, shares, startReaders } from './readers.ts';

/** What a load is, over all its processes; see {@link PushPlan}. */
export interface PushOptions extends Partial<Pick<PushPlan, 'encoding' | 'decoded' | 'step'>>, Placed {
  readonly readers: number;
  /** @defaultValue that of the subject */
  readonly path?: string;
  /** Where readers in C are compiled to; absent, or without a compiler: all are in Node.js. */
  readonly cFolder?: string;
}

/** A process of the load, or what stands for one. */
type PushProcess = Pick<Child<unknown>, 'ask' | 'close'>;

/**
 * Starts the processes, and resolves when all readers have been answered.
 *
 * @throws Error - some reader was not answered by 200
 */
export async function startPushLoad(
  { ports, path: ownPath }: Pick<Subject, 'ports' | 'path'>,
  { readers, path = ownPath, encoding = 'identity', decoded = 0, step, cFolder, ...placed }: PushOptions,
) {
  const isZipped = encoding === 'gzip';
  const program = cFolder === undefined ? undefined : loopsProgram(cFolder);
  const startInC = async (all: number) => {
    if (program === undefined) return [];
    const target = { ...placed, ports, path, mode: encoding };
    const started = shares(all, placed.processes).map((clients) => startReading(program, { ...target, clients }));
    return (await allOrNone(started)).map(processInC);
  };
  // With gzip, those in C do not know what is in the bytes: a few others decode theirs.
  const inC = program === undefined ? 0 : readers - (isZipped ? decoded : 0);
  const plan = { readers: readers - inC, ports, path, encoding, decoded, ...(step !== undefined && { step }) };
  const inNode = { ...placed, processes: inC > 0 ? undefined : placed.processes };
  const started = await startInC(inC);
  const others = startReaders<PushPlan>(plan, inNode).catch(async (error) => {
    await Promise.all(started.map((process) => process.close()));
    throw error;
  });
  const processes = [...started, ...(await others)];
  const load = pushLoad(processes, readers, isZipped && program === undefined ? decoded : readers);
  const { open, refused } = await load.stats();
  if (open === readers) return load;
  await load.stop();
  throw new Error(`${open} of ${readers} connections are open, ${refused} were refused`);
}

/** What came of publishing: parts of a cell. */
type Delivered = Measured & { readonly values: { readonly cpuMicros: number } };

/** How long nothing may come before it is taken for lost, milliseconds. */
const QUIET_MS = 5000;
const LOOK_MS = 100;

/** The readers of a measurement. */
export type PushLoad = ReturnType<typeof pushLoad>;

/** @param counted - how many readers look at what they get */
function pushLoad(processes: readonly PushProcess[], readers: number, counted: number) {
  /** Orders the same of all processes. */
  const order = <Answer>(one: PushOrder) => Promise.all(processes.map((process) => process.ask<Answer>(one)));
  const stats = async () => sumStats(await order<PushStats>({ order: 'stats' }));
  /** What was found since the last report. */
  const report = async () => sumPushReports(await order<PushReport>({ order: 'report' }));
  const stop = async () => {
    // One that has died answers nothing, and keeps none of the others open.
    await order({ order: 'stop' }).catch(() => undefined);
    await Promise.all(processes.map((process) => process.close()));
  };

  /** Waits until so many events have come in all, or nothing has for a while. */
  const untilEvents = async (events: number): Promise<void> => {
    let seen = -1;
    for (let quietMs = 0; quietMs < QUIET_MS; quietMs += LOOK_MS) {
      const { events: came, doubled } = await stats();
      // What came twice does not stand for what has not come.
      if (came - doubled >= events) return;
      if (came > seen) quietMs = 0;
      seen = came;
      await sleep(LOOK_MS);
    }
  };

  /**
   * Publishes a series of updates, and waits until all have come or nothing comes any more: parts of a cell. Delays are not
   * there of a load that was busy with itself.
   *
   * @param readers - that get each update. @defaultValue all that look at what they get
   */
  const deliver = async (
    subject: Pick<Subject, 'publish' | 'cpuMicros'>,
    { count, intervalMs, readers: due = counted }: { count: number; intervalMs: number; readers?: number },
  ): Promise<Delivered> => {
    const intervalMicros = intervalMs * 1000;
    // On multiples of the interval: those who are measured side by side publish at the same instants.
    const startMicros = Math.ceil((monotonicMicros() + LEAD_MS * 1000) / intervalMicros) * intervalMicros;
    const schedule: PublishSchedule = { startMicros, intervalMicros, count };
    // Where some readers get an update and others do not, only all together can be counted.
    const isEach = due === counted && count > 0;
    if (isEach) await order({ order: 'watch', schedule });
    const before = (await report()).stats;
    const cpuBefore = await subject.cpuMicros();
    await subject.publish(schedule);
    await untilEvents(before.events + count * due);
    const cpuMicros = (await subject.cpuMicros()) - cpuBefore;
    const { stats: after, effort, ...found } = await report();
    const [expected, events] = [count * due, after.events - before.events];
    // An update to a reader is a delivery, which costs and bytes are of.
    const deliveries = counted === readers ? events : count * readers;
    const values = {
      expected,
      events,
      // Of each reader by itself, of each update where it is for one reader, else of all together.
      ...(isEach
        ? { lost: found.lost, doubled: after.doubled }
        : due === 1
          ? singleLosses(found.updates, schedule)
          : { lost: Math.max(0, expected - events), doubled: Math.max(0, events - expected) }),
      ...(isEach && { disordered: after.disordered }),
      bytes: (after.bytes - before.bytes) / deliveries,
      cpuMicros: cpuMicros / deliveries,
      loadCpuMicros: effort.cpuMicros / deliveries,
      loadShare: effort.cpuMicros / effort.wallMicros,
      loadLagMs: effort.maxLagMicros / 1000,
    };
    const delay = new Histogram(found.delay);
    const refused = busyLoad(effort, delay.percentileMs(0.99));
    if (refused !== undefined) return { values, refused };
    if (delay.total === 0) return { values };
    // From the first reader that had an update to the last, the median of the updates.
    const spreads = found.updates.map(({ firstMicros, lastMicros }) => lastMicros - firstMicros);
    const spreadMs = (spreads.sort((left, right) => left - right)[Math.floor(spreads.length / 2)] ?? 0) / 1000;
    return {
      values: { ...values, ...duePercentiles(delay, values.lost), maxMs: delay.maxMicros / 1000, spreadMs },
      histograms: { delay: delay.encode() },
    };
  };

  return { order, stats, report, untilEvents, deliver, stop };
}

/** Percentiles of all that was due: what never came is later than all that did, so that one of these is not known. */
export function duePercentiles(delay: Histogram, missing: number): Partial<Record<'p50Ms' | 'p99Ms', number>> {
  const [p50Ms, p99Ms] = [delay.percentileMs(0.5, missing), delay.percentileMs(0.99, missing)];
  return { ...(p50Ms !== undefined && { p50Ms }), ...(p99Ms !== undefined && { p99Ms }) };
}

function singleLosses(updates: PushReport['updates'], schedule: PublishSchedule) {
  const { lost, doubled } = singleDeliveries(updates, schedule);
  return { lost, doubled };
}

/** The most updates that readers in C follow at a time: a bit each. */
export const MAX_UPDATES = 64;

/** Readers in C: they can neither pause nor come back. */
function processInC(reading: LineProgram): PushProcess {
  const ask = async (word: string) => {
    reading.send(word);
    return JSON.parse(await reading.next(word));
  };
  const follow = async (order: PushOrder): Promise<unknown> => {
    switch (order.order) {
      case 'stats':
        return ask('stats');
      case 'report': {
        const { counts, ...report } = await ask('report');
        const nothing = { sequence: noSequence(), lastIds: {} };
        return { ...nothing, ...report, delay: histogramOf(counts).encode() } satisfies PushReport;
      }
      case 'watch': {
        const { startMicros, intervalMicros, count } = order.schedule;
        if (count > MAX_UPDATES) throw new Error(`${count} updates are more than readers in C follow`);
        return reading.send(`watch ${startMicros} ${intervalMicros} ${count}`);
      }
      case 'stop':
        return undefined;
      default:
        throw new Error(`readers in C do not follow: ${order.order}`);
    }
  };
  return { ask: follow as PushProcess['ask'], close: () => reading.close() };
}
