/*
 * What clients in trouble do to a server that pushes, and to its other clients: some stop reading, or all are cut at once.
 *
 *   slow   all read -> some stop -> the first half of them goes on while its connections live -> the second half goes on later
 *   storm  polls of the latest state meanwhile -> the cut -> all come back and resume
 *   { "measurement": "slow", "at": { "clients": 5000, "phase": "second half goes on" }, "values": { "goingOn": 500, "atHead": 500,
 *     "ended": 500, "lost": 0, "duplicates": 0, "gaps": 0, "conflations": 500, "wrongStates": 0 } }
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measured, PlannedCell, View } from '../experiment.ts';
import { busyLoad, sumStats } from '../load/effort.ts';
import { noSequence } from '../load/event-stream.ts';
import type { PushLoad } from '../load/push-load.ts';
import { SERVER_CORE } from '../processes.ts';
import { type Asking, startAsking } from '../subjects/c-loops.ts';
import { type Subject, startSubject } from '../subjects/subject.ts';
import { monotonicMicros } from '../timing.ts';
import { DELAYS, PUSH_COLUMNS, pushSeconds, watchMaximum, withLoad } from './push-cell.ts';

/** How large `slow` is in a full run. */
export const SLOW = {
  clients: 5000,
  stopped: 1000,
  eventBytes: 20_800,
  intervalMs: 250,
  /** Updates with all reading. */
  updatesBefore: 20,
  /** Updates with some stopped, until the first half of them goes on. */
  updatesStopped: 260,
  /** Updates after that, until the second half goes on. */
  updatesLonger: 240,
  /** Settings of push. */
  push: {} as Readonly<Record<string, number>>,
};

/** How large `storm` is in a full run. */
export const STORM = {
  clients: 10_000,
  intervalMs: 2000,
  updates: 30,
  /** When all are cut, after the first update. */
  cutMs: 9000,
  /** From one poll to the next. */
  pollMs: 50,
  settleMs: 5000,
  /** Settings of push. */
  push: {} as Readonly<Record<string, number>>,
};

/** The cells of both. */
export function disruptionCells(slow: typeof SLOW, storm: typeof STORM): readonly PlannedCell[] {
  const cell = (measurement: string, updates: number, size: typeof SLOW | typeof STORM) => {
    const seconds = 2 + pushSeconds({ ...size, updates, warmUps: 0, settleMs: 1000 });
    return { measurement, subject: 'ldes-live', at: { clients: size.clients }, seconds };
  };
  const slowUpdates = slow.updatesBefore + slow.updatesStopped + slow.updatesLonger;
  return [cell('slow', slowUpdates, slow), cell('storm', storm.updates, storm)];
}

const CATCH_UP_MS = 120_000;
const LOOK_MS = 250;

/** Readers that follow ids, and come back when they are cut. */
async function withReaders<Found>(
  { clients, push }: Pick<typeof SLOW, 'clients' | 'push'>,
  eventBytes: number,
  use: (subject: Subject, load: PushLoad) => Promise<Found>,
): Promise<Found> {
  const subject = await startSubject('ldes-live', { workload: 'sized', eventBytes, push }, SERVER_CORE);
  const step = subject.commits?.entities ?? 1;
  return withLoad(subject, { readers: clients, step }, (load) => use(subject, load));
}

/** Some clients stop reading; the first half of them goes on while its connections live, the second half later. */
export function measureSlow(size: typeof SLOW): Promise<readonly Measured[]> {
  return withReaders(size, size.eventBytes, async (subject, load) => {
    const { clients, stopped, intervalMs, updatesBefore, updatesStopped, updatesLonger } = size;
    const goOn = async (phase: string, from: number, to: number, count: number): Promise<Measured> => {
      const before = (await load.report()).stats;
      await load.order({ order: 'resume', from, to });
      const intervalMicros = intervalMs * 1000;
      const head = (await subject.publish({ startMicros: monotonicMicros(), intervalMicros, count })) ?? '';
      const others = clients - stopped + from;
      const { atHead, ended, sequence } = await untilAtHead(load, head, others + to - from);
      const values = { goingOn: to - from, atHead: atHead - others, ended: ended - before.ended, ...sequence };
      return { at: { phase }, values };
    };
    const before = await load.deliver(subject, { count: updatesBefore, intervalMs });
    const memoryBefore = memoryOf(subject);
    await load.order({ order: 'pause', from: 0, to: stopped });
    const most = watchMaximum(() => subject.residentBytes() ?? 0);
    const during = await load.deliver(subject, { count: updatesStopped, intervalMs, readers: clients - stopped });
    const half = Math.ceil(stopped / 2);
    const first = await goOn('first half goes on', 0, half, updatesLonger);
    return [
      { ...before, at: { phase: 'all read' }, values: { ...before.values, ...memoryBefore } },
      { ...during, at: { phase: 'some stopped' }, values: { ...during.values, residentBytes: most() } },
      first,
      await goOn('second half goes on', half, stopped, 2),
    ];
  });
}

/** All clients are cut at once, while updates go on and others poll. */
export function measureStorm(size: typeof STORM, eventBytes: number, folder: string): Promise<readonly Measured[]> {
  return withReaders(size, eventBytes, async (subject, load) => {
    const { clients, intervalMs, updates, cutMs, settleMs, pollMs } = size;
    const { ports, latestPath: path = '' } = subject;
    const asking = await startAsking({ ports, path, clients: POLLERS, folder });
    const intervalMicros = intervalMs * 1000;
    const published = subject.publish({ startMicros: monotonicMicros(), intervalMicros, count: updates });
    published.catch(() => undefined);
    const [before] = await Promise.all([poll(asking, cutMs, pollMs), sleep(cutMs)]);
    const { sequence, stats } = await load.report();
    const memoryBefore = memoryOf(subject);
    const cutMicros = monotonicMicros();
    const polling = poll(asking, updates * intervalMs - cutMs, pollMs);
    polling.catch(() => undefined);
    await load.order({ order: 'cut' });
    for (let waitedMs = 0; waitedMs < CATCH_UP_MS; waitedMs += LOOK_MS / 5) {
      if ((await load.stats()).opened >= stats.opened + clients) break;
      await sleep(LOOK_MS / 5);
    }
    const backMs = (monotonicMicros() - cutMicros) / 1000;
    const { atHead, refused, sequence: later } = await untilAtHead(load, (await published) ?? '', clients);
    const { values, ...polled } = await polling;
    const back = { backMs, goingOn: clients, atHead, refused, ...sumStats([sequence, later]) };
    await asking?.stop();
    await sleep(settleMs);
    return [
      { ...before, at: { phase: 'before the cut' }, values: { ...before.values, ...memoryBefore } },
      { ...polled, at: { phase: 'from the cut on' }, values: { ...values, ...back, ...memoryOf(subject) } },
    ];
  });
}

/** So many ask in turns: an answer that is late does not hold up the others. */
const POLLERS = 20;

async function poll(asking: Asking | undefined, durationMs: number, pollMs: number): Promise<Measured> {
  if (asking === undefined) return { values: {} };
  const { delay, served, failed, effort } = await asking.open(durationMs, POLLERS * pollMs);
  const [values, p99Ms] = [{ polls: served, failed }, delay.percentileMs(0.99)];
  const refused = busyLoad(effort, p99Ms);
  if (refused !== undefined) return { values, refused };
  return { values: { ...values, p50Ms: delay.percentileMs(0.5), p99Ms, maxMs: delay.maxMicros / 1000 } };
}

/** Waits until so many readers have got the last update, a while at most: how they came there, or did not. */
async function untilAtHead(load: PushLoad, head: string, readers: number) {
  let sequence = noSequence();
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const { lastIds, sequence: more, stats } = await load.report();
    sequence = sumStats([sequence, more]);
    const atHead = lastIds[head] ?? 0;
    if (atHead >= readers || waitedMs >= CATCH_UP_MS) return { ...stats, atHead, sequence };
    await sleep(LOOK_MS);
  }
}

function memoryOf(subject: Subject): { readonly residentBytes?: number } {
  const residentBytes = subject.residentBytes();
  return residentBytes === undefined ? {} : { residentBytes };
}

const COUNTS = {
  goingOn: 'Going on',
  atHead: 'With the newest',
  ended: 'Cut',
  refused: 'Refused',
  lost: 'Lost',
  duplicates: 'Twice',
  gaps: 'Gaps',
  conflations: 'Conflations',
  wrongStates: 'Wrong states',
};
const COUNTED = Object.entries(COUNTS).map(([value, title]) => ({ value, title, isTotal: true }));
const TABLE = { kind: 'table', rows: { phase: 'Phase', clients: 'Clients' } } as const;
const { p50, p99, max, memory } = PUSH_COLUMNS;

/** Pictures and tables of both. */
export const TROUBLE_VIEWS: readonly View[] = [
  {
    ...DELAYS,
    title: 'Delay of those who read, while others stop',
    of: { measurement: 'slow' },
    series: { phase: '' },
  },
  {
    ...TABLE,
    title: 'Readers that stop, and go on',
    of: { measurement: 'slow' },
    columns: [p50, p99, memory, ...COUNTED],
  },
  {
    ...TABLE,
    title: 'All are cut at once, and come back; delays of polls of the latest state meanwhile',
    of: { measurement: 'storm' },
    columns: [
      { value: 'polls', title: 'Polls' },
      ...[p50, p99, max],
      { value: 'failed', title: 'Polls that failed', isTotal: true },
      { value: 'backMs', title: 'All back after, ms' },
      memory,
      ...COUNTED,
    ],
  },
];
