/*
 * `e4`: a subject for each client, after a published measurement of request and reply. Updates of single subjects, and requests
 * that providers answer to the subject of the user who asked, come at growing rates, until 99 % of them no longer come within 130 ms.
 *
 *   rates double or halve, then halve what is between -> a cell for each rate that was tried, and one for the largest kept
 *   { "measurement": "round-trips", "subject": "ldes-live", "at": { "clients": 15000, "perSecond": 2000 },
 *     "values": { "kept": 1, "p99Ms": 31.2, "cpuMicros": 402, "serverShare": 0.81, "lost": 0, "doubled": 0 } }
 *
 * A rate is judged by its own second or so: a single pause of some 140 ms is enough for it not to be kept.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { HEARTBEAT_MS } from '@ldes-live/rdf-stream';
import { columns, type Experiment, type Lab, type Measured, searchMaximum } from '../experiment.ts';
import { cellText } from '../figures.ts';
import { Histogram } from '../histogram.ts';
import { busyLoad } from '../load/effort.ts';
import { type Child, LOAD_CORE, MAX_CONNECTIONS, nextAddress, SERVER_CORE, startChild } from '../processes.ts';
import { SUBJECTS, SUBJECTS_FIGURES, SUBJECTS_NEEDS, SUBJECTS_SERVER } from '../report/published.ts';
import type { CellPlan } from '../result.ts';
import { type Subject, startSubject } from '../subjects/subject.ts';
import { LEAD_MS, monotonicMicros } from '../timing.ts';
import type { UsersOrder, UsersPlan, UsersRound } from './e4-users.ts';

const FULL = {
  clients: [1000, 5000, 15_000] as readonly number[],
  /** Clients where logs are on disk. */
  durableClients: 1000,
  repeats: 3,
  /** How long each rate is kept up. */
  seconds: 1.25,
  /** Requests or updates before anything counts: cold, each takes several times as long. */
  warmUpCount: 3000,
  /** How long to wait until memory is looked at. */
  settleMs: 500,
  providers: 16,
  /** Connections that requests are posted by, and as many that replies are. */
  postConnections: 64,
  /** The first rate to try, a second; and how often it may double, by how many steps. */
  first: { updates: 1000, 'round-trips': 250, durable: 125 },
  doublings: 6,
  stepsPerDoubling: 4,
};
type E4Plan = typeof FULL;
type Kind = keyof E4Plan['first'];
const QUICK: E4Plan = {
  ...FULL,
  clients: [200],
  durableClients: 50,
  repeats: 1,
  seconds: 0.2,
  warmUpCount: 50,
  settleMs: 50,
  doublings: 1,
  stepsPerDoubling: 1,
};

/** How often the first rate is halved while it is not kept. */
const HALVINGS = 3;

/** The rates that may be tried, ascending, each with an interval of whole microseconds; the first to try follows the halvings. */
function ratesOf({ first, doublings, stepsPerDoubling }: E4Plan, kind: Kind): readonly number[] {
  return Array.from({ length: (HALVINGS + doublings) * stepsPerDoubling + 1 }, (_, step) => {
    return 1e6 / Math.round(1e6 / (first[kind] * 2 ** (step / stepsPerDoubling - HALVINGS)));
  });
}

/** What runs are compared at, a doubling above the first: it depends on no machine, but for one that does not keep it. */
const COMPARED = { updates: FULL.first.updates * 2, 'round-trips': FULL.first['round-trips'] * 2 };

/** Messages of a round trip: the request in and out, the reply in and out. An update is one: the server publishes it itself. */
const MESSAGES = { updates: 1, 'round-trips': 4, durable: 4 } as const;
const [MOST_KEPT, EASED] = ['largest', 'to 65 % CPU'];

/** A subject for each client: updates, and round trips of request and reply. */
export const E4: Experiment<E4Plan> = {
  name: 'e4',
  title: 'Very many subjects: publish/subscribe with request and reply',
  about: 'a subject for each client: updates, round trips with p99 below 130 ms',
  source: SUBJECTS,
  measurements: ['updates', 'round-trips', 'durable'],
  options: ['clients', 'duration', 'repeat'],
  refusal: ({ clients = [] }) =>
    Math.max(...clients) > MAX_CONNECTIONS ? `e4 takes up to ${MAX_CONNECTIONS} clients, in one process.` : undefined,
  plan: ({ quick, clients, durationSeconds, repeats }) => {
    const plan = quick ? QUICK : FULL;
    return {
      ...plan,
      clients: clients?.filter((count) => count <= MAX_CONNECTIONS) ?? plan.clients,
      seconds: durationSeconds ?? plan.seconds,
      repeats: repeats ?? plan.repeats,
    };
  },
  cells: (plan) => {
    const cell = (measurement: Kind, clients: number) => {
      const seconds = expectedSeconds(plan, measurement, clients);
      return { measurement, subject: 'ldes-live', at: { clients }, repeats: plan.repeats, seconds };
    };
    return [
      ...plan.clients.flatMap((clients) => [cell('updates', clients), cell('round-trips', clients)]),
      cell('durable', plan.durableClients),
    ];
  },
  measure: measureClients,
  ratios: [
    ...Object.entries(COMPARED).map(([measurement, perSecond]) => ({
      of: { measurement, at: { clients: FULL.clients.at(-1) as number, perSecond } },
      value: 'cpuMicros',
      over: { at: { clients: FULL.clients[0] as number } },
    })),
    {
      of: { measurement: 'round-trips', at: { perSecond: COMPARED['round-trips'] } },
      value: 'cpuMicros',
      over: { measurement: 'updates', at: { perSecond: COMPARED.updates } },
    },
  ],
  views: [
    {
      kind: 'lines',
      title: '99th percentile of the delay by rate',
      of: { at: { perSecond: { from: 0 } } },
      x: { key: 'perSecond', title: 'A second', isLog: true },
      y: { value: 'p99Ms', title: 'p99, ms', isLog: true },
      series: { measurement: '', clients: 'clients' },
    },
    {
      kind: 'percentiles',
      title: 'Round trips at the largest rate that was kept',
      of: { measurement: ['round-trips', 'durable'], at: { rate: MOST_KEPT } },
      histogram: 'delay',
      y: 'Delay, ms',
      series: { measurement: '', clients: 'clients' },
      published: SUBJECTS_FIGURES,
    },
    {
      kind: 'table',
      title:
        'Delays at the largest rate that was kept, and at the largest that left as much of the core as was published',
      of: { at: { rate: [MOST_KEPT, EASED] } },
      rows: { measurement: 'What', clients: 'Clients', rate: 'Rate' },
      columns: columns({
        perSecond: 'A second',
        serverShare: 'Server',
        meanMs: 'Mean, ms',
        deviationMs: 'SD, ms',
        p95Ms: 'p95, ms',
        p99Ms: 'p99, ms',
        maxMs: 'Longest, ms',
      }),
      published: SUBJECTS_FIGURES,
    },
    {
      kind: 'table',
      title: 'Messages of a core, and memory of a client',
      of: { at: { rate: MOST_KEPT } },
      rows: { measurement: 'What', clients: 'Clients' },
      columns: [
        ...columns({ messageMicros: 'CPU of a message, µs', messagesPerCore: 'Messages/s of a core in use' }),
        { value: 'clientBytes', title: 'Memory of a client, kB', per: 1000 },
        { value: 'baseBytes', title: 'Without clients, MB', per: 1e6 },
      ],
      published: SUBJECTS_FIGURES,
    },
    {
      kind: 'table',
      title: 'What 240,000 requests a second of 1,000,016 clients would take, on paper',
      of: { at: { need: Object.values(SUBJECTS_NEEDS).flatMap(({ of }) => String(of.at?.need)) } },
      rows: { need: 'What', clients: 'By costs with clients' },
      columns: columns({ amount: 'By formula' }),
      published: SUBJECTS_NEEDS,
    },
    {
      kind: 'table',
      title: 'All rates that were tried; server and load are shares of their cores',
      of: { at: { perSecond: { from: 0 } } },
      rows: { measurement: 'What', clients: 'Clients', perSecond: 'A second' },
      columns: [
        ...columns({ tried: 'Tried', kept: 'Kept' }, true),
        ...columns({ p50Ms: 'p50, ms', p99Ms: 'p99, ms', cpuMicros: 'CPU of one, µs' }),
        ...columns({ serverShare: 'Server', loadShare: 'Load' }),
        ...columns({ lost: 'Lost', doubled: 'Twice' }, true),
      ],
    },
  ],
};

const [START_SECONDS, CONNECTS_PER_SECOND, AROUND_RATE_SECONDS] = [1.4, 3000, 0.35];

function expectedSeconds(plan: E4Plan, kind: Kind, clients: number): number {
  // Rates on the way up, two between, and some that outlast their time.
  const tried = plan.stepsPerDoubling === 1 ? 2 : 7;
  const warmUpSeconds = plan.warmUpCount / warmUpRate(plan, kind);
  return START_SECONDS + clients / CONNECTS_PER_SECOND + warmUpSeconds + tried * (plan.seconds + AROUND_RATE_SECONDS);
}

/** All of it has to come, however late. */
function warmUpRate({ first }: E4Plan, kind: Kind): number {
  return first[kind] * 4;
}

/** Starts a server, connects all clients, and looks for the largest rate. */
async function measureClients(cell: CellPlan, plan: E4Plan, lab: Lab): Promise<readonly Measured[]> {
  const [kind, clients, seed] = [cell.measurement as Kind, cell.at.clients as number, lab.seed + lab.repeat];
  const server = { users: clients, seed, ...(kind === 'durable' && { folder: lab.folder }) };
  const subject = await startSubject('posts', server, SERVER_CORE);
  try {
    await sleep(plan.settleMs);
    const baseBytes = subject.residentBytes() ?? 0;
    const [port, localAddress] = [subject.ports[0] as number, nextAddress()];
    const own: UsersPlan = { ...plan, port, path: subject.path, users: clients, seed, localAddress };
    const users = await startChild<object>(new URL('./e4-users.js', import.meta.url), own, LOAD_CORE);
    try {
      await sleep(plan.settleMs);
      const clientBytes = ((subject.residentBytes() ?? 0) - baseBytes) / clients;
      const tried = await tryRates(subject, users, cell, plan, lab);
      // What is less than the noise of a process is not told.
      const memory = baseBytes > 0 && clientBytes > 0 ? { baseBytes, clientBytes } : {};
      const most = largestOf(kind, tried).map((one) => ({ ...one, values: { ...one.values, ...memory } }));
      const hasNeeds = kind === 'round-trips' && clients === Math.max(...plan.clients);
      // The delays of all others would make the result very long.
      const others = tried.map(({ histograms: _, ...one }) => one);
      return [...others, ...most, ...(hasNeeds ? needsOf(most[0], clients, lab) : [])];
    } finally {
      await users.close();
    }
  } finally {
    await subject.close();
  }
}

/** Time for what the rate before left to be cleared away. */
const SETTLE_MS = 100;

/** Looks for the largest rate that is kept; resolves to all that were tried, ascending. */
async function tryRates(subject: Subject, users: Child<object>, cell: CellPlan, plan: E4Plan, lab: Lab) {
  const kind = cell.measurement as Kind;
  const measure = async (perSecond: number, seconds: number) => {
    await sleep(SETTLE_MS);
    const intervalMicros = Math.round(1e6 / perSecond);
    const count = Math.max(1, Math.round((seconds * 1e6) / intervalMicros));
    const before = await subject.cpuMicros();
    const schedule = { startMicros: monotonicMicros() + LEAD_MS * 1000, intervalMicros, count };
    const order: UsersOrder = { asks: kind !== 'updates', schedule };
    const publishing = order.asks ? undefined : subject.publish(schedule);
    const [round] = await Promise.all([users.ask<UsersRound>(order), publishing]);
    return judgeRate(round, perSecond, (await subject.cpuMicros()) - before, round.endedMicros - schedule.startMicros);
  };
  const [rates, stride, tried] = [ratesOf(plan, kind), plan.stepsPerDoubling, [] as TriedRate[]];
  const warmUp = warmUpRate(plan, kind);
  await measure(warmUp, plan.warmUpCount / warmUp);
  await searchMaximum(rates.length, { at: HALVINGS * stride, stride, attempts: 1 }, async (index) => {
    const rate = await measure(rates[index] as number, plan.seconds);
    tried.push(rate);
    const { kept, p99Ms = 0 } = rate.values;
    lab.onProgress(`${cellText(cell)}, ${rate.at.perSecond} a second: kept ${kept}, p99 ${p99Ms} ms`);
    return kept === 1;
  });
  return tried.sort((left, right) => left.values.perSecond - right.values.perSecond);
}

/** The delay that no more than a hundredth may exceed: what was published. */
const MAX_P99_MS = 130;

type TriedRate = ReturnType<typeof judgeRate>;

/** What came of one rate: kept when all came once and 99 % of it in time; refused where the load was busy with itself. */
export function judgeRate(round: UsersRound, perSecond: number, serverCpuMicros: number, busyMicros: number) {
  const { arrived, lost, doubled, strays, failedPosts, effort } = round;
  const refused = busyLoad(effort);
  const delay = new Histogram(round.delay);
  // What never came is later than all that did.
  const [p50Ms, p95Ms, p99Ms] = [0.5, 0.95, 0.99].map((share) => delay.percentileMs(share, lost));
  const isWhole = refused === undefined && lost + doubled + strays + failedPosts === 0;
  const isKept = isWhole && p99Ms !== undefined && p99Ms <= MAX_P99_MS;
  return {
    at: { perSecond: Math.round(perSecond) },
    values: {
      perSecond,
      tried: 1,
      kept: isKept ? 1 : 0,
      serverShare: serverCpuMicros / busyMicros,
      loadShare: effort.cpuMicros / effort.wallMicros,
      lost,
      doubled,
      ...(arrived > 0 && { cpuMicros: serverCpuMicros / arrived, readBytes: round.readBytes / arrived }),
      ...(refused === undefined && {
        meanMs: delay.meanMs,
        deviationMs: delay.deviationMs,
        ...(p50Ms !== undefined && { p50Ms }),
        ...(p95Ms !== undefined && { p95Ms }),
        ...(p99Ms !== undefined && { p99Ms }),
        maxMs: delay.maxMicros / 1000,
      }),
    },
    histograms: { delay: round.delay },
    ...(refused !== undefined && { refused }),
  };
}

/** Of ascending rates the largest that was kept, and that of those which left the server as much of its core as was published. */
function largestOf(kind: Kind, tried: readonly TriedRate[]) {
  const kept = tried.filter(({ values }) => values.kept === 1);
  const eased = kept.findLast(({ values }) => values.serverShare <= SUBJECTS_SERVER.cpuShare);
  return Object.entries({ [MOST_KEPT]: kept.at(-1), [EASED]: eased }).flatMap(([rate, found]) => {
    if (found === undefined) return [];
    const messageMicros = (found.values.cpuMicros ?? 0) / MESSAGES[kind];
    const costs = { messageMicros, messagesPerCore: 1e6 / messageMicros };
    return [{ at: { rate }, values: { ...found.values, ...costs }, histograms: found.histograms }];
  });
}

/**
 * What the published load would take of servers like ours, by what one core took with the most clients. It supposes that
 *
 * - a message costs the same however many clients and processes there are, and processes share nothing: users and the streams
 *   that they write to are divided among them;
 * - requests come from users at random, so that a client's silences are distributed exponentially;
 * - a comment that keeps a silent connection alive costs no more than an update;
 * - there is a process for each core that is needed, and half of a machine's memory is for processes and their clients;
 * - memory is that of the processes without clients, and grows with the clients alone.
 */
function needsOf(trip: Measured | undefined, clients: number, { measured }: Lab): Measured[] {
  const update = measured.find(({ measurement, at }) => {
    return measurement === 'updates' && at.clients === clients && at.rate === MOST_KEPT;
  });
  const { cpuMicros = 0, clientBytes = 0, baseBytes = 0, readBytes = 0 } = trip?.values ?? {};
  if (update?.values.cpuMicros === undefined || clientBytes === 0) return [];
  const { clients: all, requestsPerSecond, cores, memoryBytes, cpuShare } = SUBJECTS_SERVER;
  // One comment for each whole heartbeat interval that fits into a silence.
  const commentsPerSecond = requestsPerSecond / Math.expm1(((requestsPerSecond / all) * HEARTBEAT_MS) / 1000);
  const busyCores = (requestsPerSecond * cpuMicros + commentsPerSecond * update.values.cpuMicros) / 1e6;
  const neededCores = Math.ceil(busyCores / cpuShare);
  const neededBytes = neededCores * baseBytes + all * clientBytes;
  const amounts = {
    'messages a second': requestsPerSecond * MESSAGES['round-trips'],
    'cores in use at 65 %': neededCores,
    'memory, GB': neededBytes / 1e9,
    'sent, Gbit/s': (requestsPerSecond * readBytes * 8) / 1e9,
    'machines of 16 cores and 64 GB': Math.ceil(Math.max(neededCores / cores, neededBytes / (memoryBytes / 2))),
  };
  return Object.entries(amounts).map(([need, amount]) => ({ at: { need }, values: { amount } }));
}
