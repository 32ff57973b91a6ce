/*
 * `e1`: polling and Server-Sent Events for live open data, after Van de Vyvere, Colpaert and Verborgh. One object, new every few
 * seconds, to clients that poll it or that it is pushed to: how late they have it, what that costs, and where both cross.
 *
 *   polling   the article's client; Express and ours, straight and through caches      at { clients, front }
 *   mal       our client                                                                at { clients, front, malSeconds }
 *   sse       ours and Express; with the most clients, those of `fanout` too            at { clients }
 *   crossing  see crossing.ts                                                           at { front }, and { part }, { malSeconds }
 */
import type { Asked, Experiment, Lab, Measured, Missing, PlannedCell, View } from '../experiment.ts';
import type { Ratio } from '../figures.ts';
import { Histogram } from '../histogram.ts';
import { packageVersions, programVersions } from '../machine.ts';
import { ARTICLE, ARTICLE_CAPACITY, ARTICLE_DELAYS } from '../report/published.ts';
import type { CellPlan } from '../result.ts';
import { CROSSING, measureCrossing, pushedInTime, pushedLine } from './crossing.ts';
import { costsOf, measurePolling, openingMs, polledUpdates, SIZES, withWay } from './e1-cells.ts';
import { DELAYS, measurePushed, PUSH_COLUMNS, pushSeconds, sharedFolder } from './push-cell.ts';

const FULL = {
  ...SIZES,
  clients: [100, 1000, 5000, 10_000, 25_000] as readonly number[],
  repeats: 3,
  malSeconds: [5] as readonly number[],
  crossing: CROSSING,
};
const QUICK: typeof FULL = {
  ...FULL,
  clients: [200],
  repeats: 1,
  intervalMs: 1000,
  measuredMs: 1000,
  minPushMs: 200,
  malSeconds: [1],
  settleMs: 50,
  crossing: { clients: 200, pauseMs: 0, roundMs: 400 },
};

const OURS = 'ldes-live';
/** Names of ways by which they are chosen, with what serves their clients, and from what. */
const POLLED: Readonly<Record<string, readonly [subject: string, front: string]>> = {
  'polling-express': ['Express', 'straight'],
  'polling-express-nginx': ['Express', 'nginx'],
  'polling-live': [OURS, 'straight'],
  'polling-live-nginx': [OURS, 'nginx'],
  'polling-live-varnish': [OURS, 'Varnish'],
};
const PUSHED: Readonly<Record<string, string>> = {
  'sse-express': 'Express',
  'sse-fastify': '@fastify/sse',
  'sse-live': OURS,
  'sse-nchan': 'Nchan',
  'sse-c': 'C loop',
  'sse-node': 'Node loop',
};
/** The others push to the most clients only: beside 10,000, `fanout` has them. */
const PUSHED_TO_ALL = [OURS, 'Express'];
/** Where clients are that are pushed to, beside the fronts of those who poll. */
const PUSH = 'push';

/** The experiment `e1`. */
export const E1: Experiment<typeof FULL> = {
  name: 'e1',
  title: 'Polling against Server-Sent Events',
  about: 'polling, straight and by caches, against SSE: delay, CPU, memory',
  source: ARTICLE,
  measurements: ['polling', 'mal', 'sse', 'crossing', ...Object.keys(POLLED), ...Object.keys(PUSHED)],
  options: ['clients', 'duration', 'repeat', 'mal'],
  plan: ({ quick, clients, durationSeconds, repeats, malSeconds }: Asked) => {
    const plan = quick ? QUICK : FULL;
    const ms = durationSeconds && durationSeconds * 1000;
    return {
      ...plan,
      clients: [...(clients ?? plan.clients)].sort((left, right) => left - right),
      repeats: repeats ?? plan.repeats,
      ...(ms && { measuredMs: ms, manyMs: ms }),
      malSeconds: malSeconds ?? plan.malSeconds,
    };
  },
  cells: (plan) => [...plan.clients.flatMap((clients) => cellsFor(clients, plan)), ...crossingCells(plan)],
  measure,
  versions: () => ({
    ...packageVersions(['express', 'fastify', '@fastify/sse']),
    ...programVersions(['nginx', 'Varnish']),
  }),
  ratios: ratios(),
  views: views(),
};

/** All ways with a number of clients. */
function cellsFor(clients: number, plan: typeof FULL): readonly PlannedCell[] {
  const { intervalMs, malSeconds, repeats } = plan;
  // Servers that cannot keep up with many take longer to end.
  const pollingMs = 1200 + openingMs(clients) + polledUpdates(plan, clients) * intervalMs + 0.2 * clients;
  const polling = { repeats, seconds: pollingMs / 1000, subject: OURS };
  const pushing = { repeats, seconds: pushSeconds(pushed(plan, clients)), measurement: 'sse' };
  const isIn = (subject: string) => clients === plan.clients.at(-1) || PUSHED_TO_ALL.includes(subject);
  return [
    ...Object.entries(POLLED).map(([id, [subject, front]]) => {
      return { ...polling, measurement: 'polling', subject, at: { clients, front }, names: [id] };
    }),
    ...malSeconds.map((mal) => {
      return { ...polling, measurement: 'mal', at: { clients, front: 'straight', malSeconds: mal } };
    }),
    ...Object.entries(PUSHED).flatMap(([id, subject]) =>
      isIn(subject) ? [{ ...pushing, subject, at: { clients }, names: [id] }] : [],
    ),
  ];
}

function crossingCells({ intervalMs, crossing, repeats }: typeof FULL): readonly PlannedCell[] {
  const cell = { measurement: 'crossing', repeats };
  const seconds = (1200 + 0.3 * crossing.clients + crossing.roundMs) / 1000;
  // Rates wait for the next update, half of one on average; two or three are tried.
  const verified = { ...cell, subject: OURS, seconds: seconds + (2.5 * 1.5 * intervalMs) / 1000 };
  return [
    { ...cell, subject: 'Express', at: { front: 'straight' }, seconds },
    ...['straight', 'nginx', 'Varnish'].map((front) => ({ ...verified, at: { front } })),
    ...PUSHED_TO_ALL.map((subject) => ({ ...cell, subject, at: { front: PUSH }, seconds: 0 })),
  ];
}

async function measure(cell: CellPlan, plan: typeof FULL, lab: Lab): Promise<Measured | readonly Measured[] | Missing> {
  const { measurement, subject, at } = cell;
  const clients = Number(at.clients);
  if (measurement === 'sse') return measureSse(subject, clients, plan, lab);
  if (measurement !== 'crossing') {
    const malSeconds = measurement === 'mal' ? Number(at.malSeconds) : undefined;
    const polling = { ...plan, clients, malSeconds, seed: lab.seed };
    return withWay(cell, clients, plan, lab, (way) => measurePolling(way, polling));
  }
  const inTime = pushedInTime(lab.measured, subject, (one) => pushed(plan, one).intervalMs);
  if (at.front === PUSH) return pushedLine(inTime);
  const [{ intervalMs, crossing }, folder, isVerified] = [plan, await sharedFolder(lab), subject === OURS];
  // Where pushing was not measured, the crossing is that of the most clients there are; where none was in time, there is none.
  const isPushed = lab.measured.some((one) => one.measurement === 'sse' && one.subject === subject);
  const pushedClients = inTime.at(-1)?.clients ?? (isPushed ? undefined : plan.clients.at(-1));
  const size = { ...crossing, intervalMs, pushedClients, isVerified, folder };
  return withWay(cell, crossing.clients, plan, lab, (way) => measureCrossing(way, size));
}

/** Milliseconds of the least time between two pushed updates for each client. */
const PUSH_MS_PER_CLIENT = 0.25;
const MAX_PUSHED = 3;

/** How updates are pushed to so many: as soon one after the other as lets all servers be done between. */
function pushed({ intervalMs: maxMs, minPushMs, measuredMs, settleMs }: typeof FULL, clients: number) {
  const intervalMs = Math.min(maxMs, Math.max(minPushMs, clients * PUSH_MS_PER_CLIENT));
  const updates = Math.min(MAX_PUSHED, Math.max(1, Math.floor(measuredMs / intervalMs)));
  return { clients, intervalMs, updates, warmUps: 1, settleMs };
}

async function measureSse(subject: string, clients: number, plan: typeof FULL, lab: Lab): Promise<Measured | Missing> {
  const cell = pushed(plan, clients);
  const measured = await measurePushed(subject, plan.eventBytes, cell, lab);
  if ('missing' in measured) return measured;
  const { expected = 0, events = 0, lost = 0, cpuMicros = 0 } = measured.values;
  const costs = costsOf((cpuMicros * events) / cell.updates, plan.intervalMs, lost / expected);
  const delay = new Histogram(...Object.values(measured.histograms ?? {}));
  const soon = measured.histograms && { underSecondShare: delay.countBelow(1000) / expected };
  return { ...measured, values: { ...measured.values, ...costs, ...soon } };
}

function ratios(): readonly Ratio[] {
  // Of few clients, what is measured is too little to be the same twice.
  const many = { subject: OURS, at: { clients: { from: 1000 } } };
  const [sse, polling] = [
    { ...many, measurement: 'sse' },
    { ...many, measurement: 'polling' },
  ];
  const crossing = { measurement: 'crossing', subject: OURS };
  const [express, straight] = [{ subject: 'Express' }, { at: { front: 'straight' } }];
  const others = Object.values(PUSHED).filter((subject) => subject !== OURS);
  return [
    ...others.map((subject) => ({ of: sse, value: 'cpuMicros', over: { subject } })),
    { of: sse, value: 'connectionBytes', over: express },
    { of: polling, value: 'servedCpuShare', over: express },
    { of: crossing, value: 'requestsPerSecond', over: express },
    { of: { ...crossing, at: { front: ['nginx', 'Varnish'] } }, value: 'requestsPerSecond', over: straight },
    { of: crossing, value: 'foundSeconds', overValue: 'crossingSeconds' },
  ];
}

function views(): readonly View[] {
  const clients = DELAYS.rows;
  const sse = { measurement: 'sse' };
  const polled = { measurement: ['polling', 'mal'] };
  const straight = { ...polled, at: { front: 'straight' } };
  const cached = { ...polled, at: { front: ['nginx', 'Varnish'] } };
  const [bySubject, byFront] = [{ subject: '' }, { subject: '', front: '' }];
  const byWay = { ...byFront, malSeconds: 's MAL' };
  const published = ARTICLE_DELAYS;
  const delay = { ...DELAYS, x: 'Delay on the client, ms', published };
  const byClients = { kind: 'lines', x: { ...clients, isLog: true } } as const;
  const share = { value: 'cpuShare', per: 0.01, title: '% of a core, of an update each interval', isLog: true };
  const { cpu, p50, p99, max, memory, connection, lost, doubled } = PUSH_COLUMNS;
  const resident = { ...memory, isLog: true };
  const delays = [p50, p99, max, { value: 'underSecondShare', per: 0.01, title: 'Under 1 s, %' }, lost];
  const late = [
    { ...doubled, title: 'Older than what it had' },
    { value: 'skipped', title: 'Skipped', isTotal: true },
    { value: 'malMissedShare', per: 0.01, title: 'Later than the MAL, %' },
  ];
  const costs = [
    cpu,
    { value: 'cpuShare', per: 0.01, title: 'CPU, % of a core' },
    { value: 'servedCpuShare', over: { subject: 'Express' }, title: 'CPU ÷ Express' },
    memory,
    connection,
    { value: 'loadShare', per: 0.01, title: 'The load, % of a core' },
    { value: 'loadLagMs', title: 'Its longest lag, ms' },
  ];
  const requests = [
    { value: 'requestsPerSecond', title: 'Requests/s' },
    { value: 'requestsPerUpdate', title: 'Requests an update and client' },
    { value: 'failed', title: 'Failed requests', isTotal: true },
  ];
  const ways = { subject: 'Server', front: 'Through', malSeconds: 'MAL, s', clients: 'Clients' };
  const polledTable = { kind: 'table', of: polled, rows: ways } as const;
  const pushedTable = { kind: 'table', of: sse, rows: { subject: 'Server', clients: 'Clients' } } as const;
  const crossing = { measurement: 'crossing' };
  return [
    { ...delay, title: 'Polling straight (figure 2)', of: straight, series: { subject: '', malSeconds: 's MAL' } },
    { ...delay, title: 'Polling through a cache (figure 3.1)', of: cached, series: byFront },
    { ...delay, title: 'Server-Sent Events (figure 3.2)', of: sse, series: bySubject },
    { ...byClients, title: 'CPU of polling (figure 4.1)', of: polled, y: share, series: byWay },
    { ...byClients, title: 'CPU of Server-Sent Events (figure 4.1)', of: sse, y: share, series: bySubject },
    { ...byClients, title: 'Memory of polling (figure 4.2)', of: polled, y: resident, series: byWay },
    { ...byClients, title: 'Memory of Server-Sent Events (figure 4.2)', of: sse, y: resident, series: bySubject },
    {
      kind: 'lines',
      title: 'Clients that one core serves (formula 1); pushed: at least',
      of: crossing,
      x: { key: 'malSeconds', title: 'MAL, s', isLog: true },
      y: { value: 'clients', per: 1000, title: 'Clients, thousands', isLog: true },
      series: byFront,
      published: ARTICLE_CAPACITY,
    },
    { ...polledTable, title: 'Delay of polling', columns: [...delays, ...late], published },
    { ...pushedTable, title: 'Delay of Server-Sent Events', columns: [...delays, doubled], published },
    { ...polledTable, title: 'Cost of polling', columns: [...costs, ...requests] },
    { ...pushedTable, title: 'Cost of Server-Sent Events', columns: costs },
    {
      kind: 'table',
      title: 'Requests a second of one core, and where pulling and pushing cross',
      of: { ...crossing, at: { front: ['straight', 'nginx', 'Varnish'] } },
      rows: { subject: 'Server', front: 'Through' },
      columns: [
        { value: 'requestsPerSecond', title: 'Requests/s' },
        { value: 'pushedClients', title: 'Clients pushed to, at least' },
        { value: 'crossingSeconds', title: 'Crossing by formula 1, s' },
        { value: 'foundSeconds', title: 'Found, s' },
        { value: 'foundSeconds', overValue: 'crossingSeconds', title: 'Found ÷ formula' },
      ],
      published: ARTICLE_CAPACITY,
    },
    {
      kind: 'table',
      title: 'Asked near the crossing, by the clock',
      of: { ...crossing, at: { part: { from: 0 } } },
      rows: { subject: 'Server', front: 'Through', part: 'Period ÷ crossing' },
      columns: [
        { value: 'askedPerSecond', title: 'Asked/s' },
        { value: 'servedPerSecond', title: 'Served/s' },
        { ...p99, title: 'p99 of the answers, ms' },
        { value: 'kept', title: 'Rounds that kept up', isTotal: true },
      ],
    },
  ];
}
