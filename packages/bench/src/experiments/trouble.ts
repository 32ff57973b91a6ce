/*
 * What clients in trouble do to a server that pushes, and to its other clients: some stop reading, or all are cut at once.
 *
 *   slow   all read -> some stop -> the first half of them goes on while its connections live -> the second half goes on later
 *   storm  polls of the latest state meanwhile -> the cut -> all come back and resume
 *   { "measurement": "slow", "at": { "clients": 5000, "phase": "second half goes on" },
 *     "values": { "goingOn": 500, "atHead": 500, "ended": 500, "lost": 0, "duplicates": 0, "gaps": 0, "conflations": 500, "wrongStates": 0 } }
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measured, View } from '../experiment.ts';
import { sumStats } from '../load/effort.ts';
import type { SequenceStats } from '../load/event-stream.ts';
import { type PushLoad, startPushLoad } from '../load/push-load.ts';
import { SERVER_CORE } from '../processes.ts';
import { type AskingRound, startAsking } from '../subjects/c-loops.ts';
import { type Subject, startSubject } from '../subjects/subject.ts';
import { monotonicMicros } from '../timing.ts';

/** How large `slow` is. */
export interface SlowSize {
  readonly clients: number;
  readonly stopped: number;
  readonly eventBytes: number;
  readonly intervalMs: number;
  /** Updates with all reading. */
  readonly updatesBefore: number;
  /** Updates with some stopped, until the first half of them goes on. */
  readonly updatesStopped: number;
  /** Updates after that, until the second half goes on. */
  readonly updatesLonger: number;
  /** Settings of push. */
  readonly push: Readonly<Record<string, number>>;
}

/** How large `storm` is. */
export interface StormSize {
  readonly clients: number;
  readonly intervalMs: number;
  readonly updates: number;
  /** When all are cut, after the first update. */
  readonly cutMs: number;
  /** From one poll to the next. */
  readonly pollMs: number;
  readonly settleMs: number;
  /** Settings of push. */
  readonly push: Readonly<Record<string, number>>;
}

/** About how long either takes. */
export function troubleSeconds(size: SlowSize | StormSize): number {
  const updates = 'updates' in size ? size.updates : size.updatesBefore + size.updatesStopped + size.updatesLonger;
  return 4 + 0.001 * size.clients + (updates * size.intervalMs) / 1000;
}

const CATCH_UP_MS = 120_000;
const LOOK_MS = 250;

/** Readers that follow ids, and come back when they are cut. */
async function withReaders<Found>(
  { clients, eventBytes, push }: Pick<SlowSize, 'clients' | 'eventBytes' | 'push'>,
  use: (subject: Subject, load: PushLoad) => Promise<Found>,
): Promise<Found> {
  const subject = await startSubject('ldes-live', { workload: 'sized', eventBytes, push }, SERVER_CORE);
  try {
    const step = subject.commits?.entities ?? 1;
    const load = await startPushLoad(subject, { readers: clients, step, comesBack: true });
    try {
      return await use(subject, load);
    } finally {
      await load.stop();
    }
  } finally {
    await subject.close();
  }
}

/** Some clients stop reading; the first half of them goes on while its connections live, the second half later. */
export function measureSlow(size: SlowSize): Promise<readonly Measured[]> {
  return withReaders(size, async (subject, load) => {
    const { clients, stopped, intervalMs, updatesBefore, updatesStopped, updatesLonger } = size;
    const before = await load.deliver(subject, { count: updatesBefore, intervalMs });
    const residentBefore = memoryOf(subject);
    await load.order({ order: 'pause', from: 0, to: stopped });
    const most = watchMemory(subject);
    const during = await load.deliver(subject, { count: updatesStopped, intervalMs, readers: clients - stopped });
    const half = Math.ceil(stopped / 2);
    const goOn = async (phase: string, from: number, to: number, count: number): Promise<Measured> => {
      const { ended } = (await load.report()).stats;
      await load.order({ order: 'resume', from, to });
      const intervalMicros = intervalMs * 1000;
      const head = (await subject.publish({ startMicros: monotonicMicros(), intervalMicros, count })) ?? '';
      const others = clients - stopped + from;
      const caught = await untilAtHead(load, head, others + to - from);
      const atHead = caught.atHead - others;
      return { at: { phase }, values: { goingOn: to - from, atHead, ended: caught.ended - ended, ...caught.sequence } };
    };
    const first = await goOn('first half goes on', 0, half, updatesLonger);
    return [
      { ...before, at: { phase: 'all read' }, values: { ...before.values, ...residentBefore } },
      { ...during, at: { phase: 'some stopped' }, values: { ...during.values, ...most() } },
      first,
      await goOn('second half goes on', half, stopped, 2),
    ];
  });
}

/** All clients are cut at once, while updates go on and others poll. */
export function measureStorm(
  size: StormSize & { readonly eventBytes: number },
  folder: string,
): Promise<readonly Measured[]> {
  return withReaders(size, async (subject, load) => {
    const { clients, intervalMs, updates, cutMs, settleMs, pollMs } = size;
    const path = subject.latestPath ?? '';
    const asking = await startAsking({ ports: subject.ports, path, clients: POLLERS, folder });
    const poll = async (durationMs: number) => pollValues(await asking?.open(durationMs, POLLERS * pollMs));
    const intervalMicros = intervalMs * 1000;
    const published = subject.publish({ startMicros: monotonicMicros(), intervalMicros, count: updates });
    const cutAt = sleep(cutMs);
    const before = await poll(cutMs);
    await cutAt;
    const { sequence, stats } = await load.report();
    const memoryBefore = memoryOf(subject);
    const cutMicros = monotonicMicros();
    const polling = poll(updates * intervalMs - cutMs);
    await load.order({ order: 'cut' });
    await untilOpened(load, stats.opened + clients);
    const backMs = (monotonicMicros() - cutMicros) / 1000;
    const caught = await untilAtHead(load, (await published) ?? '', clients);
    const { refused, atHead } = caught;
    const after = { ...(await polling), backMs, goingOn: clients, atHead, refused };
    await asking?.stop();
    await sleep(settleMs);
    const counts = sumStats([sequence, caught.sequence]);
    return [
      { at: { phase: 'before the cut' }, values: { ...before, ...memoryBefore } },
      { at: { phase: 'from the cut on' }, values: { ...after, ...counts, ...memoryOf(subject) } },
    ];
  });
}

/** So many ask in turns: an answer that is late does not hold up the others. */
const POLLERS = 20;

function pollValues(round: AskingRound | undefined): Readonly<Record<string, number>> {
  if (round === undefined) return {};
  const { delay, served, failed } = round;
  const [p50Ms, p99Ms] = [delay.percentileMs(0.5), delay.percentileMs(0.99)];
  return { p50Ms, p99Ms, maxMs: delay.maxMicros / 1000, polls: served, failed };
}

/** How readers came to the head, or did not. */
interface CaughtUp {
  readonly atHead: number;
  readonly ended: number;
  readonly refused: number;
  readonly sequence: SequenceStats;
}

/** Waits until so many readers have got the last update, a while at most. */
async function untilAtHead(load: PushLoad, head: string, readers: number): Promise<CaughtUp> {
  const sequences: SequenceStats[] = [];
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const { lastIds, sequence, stats } = await load.report();
    sequences.push(sequence);
    const atHead = lastIds[head] ?? 0;
    if (atHead >= readers || waitedMs >= CATCH_UP_MS) {
      return { atHead, ended: stats.ended, refused: stats.refused, sequence: sumStats(sequences) };
    }
    await sleep(LOOK_MS);
  }
}

async function untilOpened(load: PushLoad, opened: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < CATCH_UP_MS; waitedMs += LOOK_MS / 5) {
    if ((await load.stats()).opened >= opened) return;
    await sleep(LOOK_MS / 5);
  }
}

function memoryOf(subject: Subject): { readonly residentBytes?: number } {
  const residentBytes = subject.residentBytes();
  return residentBytes === undefined ? {} : { residentBytes };
}

/** Looks at the memory of a server until it is asked for the most. */
function watchMemory(subject: Subject): () => ReturnType<typeof memoryOf> {
  let most = memoryOf(subject);
  const timer = setInterval(() => {
    const now = memoryOf(subject);
    if ((now.residentBytes ?? 0) > (most.residentBytes ?? 0)) most = now;
  }, LOOK_MS);
  return () => {
    clearInterval(timer);
    return most;
  };
}

const COUNTS = [
  { value: 'goingOn', title: 'Going on', isTotal: true },
  { value: 'atHead', title: 'With the newest', isTotal: true },
  { value: 'lost', title: 'Lost', isTotal: true },
  { value: 'duplicates', title: 'Twice', isTotal: true },
  { value: 'gaps', title: 'Gaps', isTotal: true },
  { value: 'conflations', title: 'Conflations', isTotal: true },
  { value: 'wrongStates', title: 'Wrong states', isTotal: true },
];
const ROWS = { phase: 'Phase', clients: 'Clients' };
const [P50, P99] = [
  { value: 'p50Ms', title: 'p50, ms' },
  { value: 'p99Ms', title: 'p99, ms' },
];
const MEMORY = { value: 'residentBytes', per: 1024 ** 2, title: 'Memory of the server, MiB' };

/** Pictures and tables of both. */
export const TROUBLE_VIEWS: readonly View[] = [
  {
    kind: 'density',
    title: 'Delay of those who read, while others stop',
    of: { measurement: 'slow' },
    histogram: 'delay',
    x: 'Delay, ms',
    rows: { key: 'clients', title: 'Clients' },
    series: { phase: '' },
  },
  {
    kind: 'table',
    title: 'Readers that stop, and go on',
    of: { measurement: 'slow' },
    rows: ROWS,
    columns: [P50, P99, MEMORY, { value: 'ended', title: 'Cut', isTotal: true }, ...COUNTS],
  },
  {
    kind: 'table',
    title: 'All are cut at once, and come back; polls of the latest state meanwhile',
    of: { measurement: 'storm' },
    rows: ROWS,
    columns: [
      { value: 'polls', title: 'Polls' },
      { ...P50, title: 'Polls, p50, ms' },
      { ...P99, title: 'Polls, p99, ms' },
      { value: 'maxMs', title: 'Polls, longest, ms' },
      { value: 'failed', title: 'Polls that failed', isTotal: true },
      { value: 'backMs', title: 'All back after, ms' },
      { value: 'refused', title: 'Refused', isTotal: true },
      ...COUNTS,
      MEMORY,
    ],
  },
];
