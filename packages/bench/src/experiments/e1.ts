/*
 * `e1`: polling and Server-Sent Events for live open data, after Van de Vyvere, Colpaert and Verborgh. One object, new every few
 * seconds, to clients that poll it or that it is pushed to: how late they have it, what that costs, and where both cross.
 *
 *   polling   the article's client; Express and ours, straight and through caches      at { clients, front }
 *   mal       our client                                                                at { clients, front, malSeconds }
 *   sse       six servers                                                               at { clients }
 *   crossing  see crossing.ts                                                           at { front }, and { part }, { malSeconds }
 */
import type { Asked, Experiment, Lab, Measured, Missing, PlannedCell, View } from '../experiment.ts';
import type { Where } from '../figures.ts';
import { packageVersions, programVersions } from '../machine.ts';
import { ARTICLE, ARTICLE_CAPACITY, ARTICLE_DELAYS } from '../report/published.ts';
import type { CellPlan } from '../result.ts';
import { type CrossingSize, measureCrossing, pushedInTime, pushedLine } from './crossing.ts';
import { type CellSizes, measureWay, openingMs, polledUpdates, pushedUpdates, withWay } from './e1-cells.ts';
import { sharedFolder } from './push-cell.ts';

interface E1Plan extends CellSizes {
  /** Ascending. */
  readonly clients: readonly number[];
  readonly repeats: number;
  readonly malSeconds: readonly number[];
  readonly crossing: CrossingSize;
  /** Whether ways are left out that are like another, and with fewer than the most clients nearly all. */
  readonly isShort: boolean;
}

const FULL: E1Plan = {
  clients: [100, 1000, 5000, 10_000, 25_000],
  repeats: 3,
  eventBytes: 5200,
  intervalMs: 5000,
  measuredMs: 10_000,
  pauseMs: 500,
  malSeconds: [5],
  minPushMs: 1000,
  settleMs: 300,
  cpuOnlyClients: 10_000,
  cpuOnly: { intervalMs: 2000, updates: 2 },
  crossing: { clients: 5000, pauseMs: 60, roundMs: 5000 },
  isShort: false,
};

const QUICK: E1Plan = {
  ...FULL,
  clients: [50, 200],
  repeats: 1,
  intervalMs: 1000,
  measuredMs: 1000,
  minPushMs: 200,
  malSeconds: [1],
  settleMs: 50,
  cpuOnlyClients: 200,
  cpuOnly: { intervalMs: 100, updates: 2 },
  crossing: { clients: 200, pauseMs: 0, roundMs: 400 },
  isShort: true,
};

/** Names of ways by which they are chosen, with what serves their clients, and from what. */
const OURS = 'ldes-live';
const POLLED = {
  'polling-express': ['Express', 'straight'],
  'polling-express-nginx': ['Express', 'nginx'],
  'polling-live': [OURS, 'straight'],
  'polling-live-nginx': [OURS, 'nginx'],
  'polling-live-varnish': [OURS, 'Varnish'],
} as const;
const PUSHED = {
  'sse-express': 'Express',
  'sse-fastify': '@fastify/sse',
  'sse-live': OURS,
  'sse-nchan': 'Nchan',
  'sse-c': 'C loop',
  'sse-node': 'Node loop',
} as const;
/** What a short run leaves out, since it is like another; and what it has with fewer than the most clients, to grow. */
const LIKE_ANOTHER = ['polling-express-nginx', 'sse-fastify', 'sse-c', 'sse-node'];
const GROWING = ['sse-live'];
/** Ways of which only their requests a second are counted: the article's crossing is of a cache. */
const COUNTED = ['Express'];
/** What a crossing is of that takes no way: those that are pushed to. */
const PUSH = 'push';

/** The experiment `e1`. */
export const E1: Experiment<E1Plan> = {
  name: 'e1',
  title: 'Polling against Server-Sent Events',
  about: 'polling, straight and by caches, against SSE: delay, CPU, memory',
  source: ARTICLE,
  measurements: ['polling', 'mal', 'sse', 'crossing', ...Object.keys(POLLED), ...Object.keys(PUSHED)],
  options: ['clients', 'duration', 'repeat', 'mal'],
  plan: ({ quick, clients, durationSeconds, repeats, malSeconds }: Asked) => {
    const plan = quick ? QUICK : FULL;
    const sizes = [...(clients ?? plan.clients)].sort((left, right) => left - right);
    const distance = (size: number) => Math.abs(size - plan.cpuOnlyClients);
    return {
      ...plan,
      clients: sizes,
      repeats: repeats ?? plan.repeats,
      measuredMs: durationSeconds === undefined ? plan.measuredMs : durationSeconds * 1000,
      malSeconds: malSeconds ?? plan.malSeconds,
      cpuOnlyClients: [...sizes].sort((left, right) => distance(left) - distance(right))[0] ?? plan.cpuOnlyClients,
    };
  },
  cells: (plan) => [...plan.clients.flatMap((clients) => cellsFor(clients, plan)), ...crossingCells(plan)],
  measure,
  versions: () => ({
    ...packageVersions(['express', 'fastify', '@fastify/sse']),
    ...programVersions(['nginx', 'Varnish']),
  }),
  ratios: [
    ...['Express', '@fastify/sse', 'Nchan', 'C loop', 'Node loop'].flatMap((subject) => [
      { of: live('sse'), value: 'cpuMicros', over: { subject } },
      { of: live('sse'), value: 'cpuOnlyMicros', over: { subject } },
    ]),
    { of: live('sse'), value: 'connectionBytes', over: { subject: 'Express' } },
    { of: live('polling', 'straight'), value: 'servedCpuShare', over: { subject: 'Express' } },
    { of: live('polling', 'nginx'), value: 'servedCpuShare', over: { subject: 'Express' } },
    { of: live('crossing', 'straight'), value: 'requestsPerSecond', over: { subject: 'Express' } },
    { of: live('crossing', 'nginx'), value: 'requestsPerSecond', over: { at: { front: 'straight' } } },
    { of: live('crossing', 'Varnish'), value: 'requestsPerSecond', over: { at: { front: 'straight' } } },
    { of: { measurement: 'crossing' }, value: 'foundSeconds', overValue: 'crossingSeconds' },
  ],
  views: views(),
};

function live(measurement: string, front?: string): Where {
  // With fewer clients, what is measured is too little to be the same twice.
  const at = measurement === 'crossing' ? { front } : { clients: { from: 1000 }, ...(front && { front }) };
  return { measurement, subject: OURS, at: at as NonNullable<Where['at']> };
}

/** All ways with a number of clients. */
function cellsFor(clients: number, plan: E1Plan): readonly PlannedCell[] {
  const { intervalMs, malSeconds, repeats } = plan;
  const isIn = (id: string) =>
    !plan.isShort || GROWING.includes(id) || (clients === plan.clients.at(-1) && !LIKE_ANOTHER.includes(id));
  const pushed = pushedUpdates(plan, clients);
  const startMs = 600 + 0.6 * openingMs(clients) + 3 * plan.settleMs;
  // Polling clients take longer than their connections, and updates of either kind are waited for.
  const polling = { repeats, seconds: (startMs + 1.2 * clients + (polledUpdates(plan) + 0.5) * intervalMs) / 1000 };
  const again = clients === plan.cpuOnlyClients ? 0.6 * clients + plan.cpuOnly.intervalMs * 4 : 0;
  const pushing = { repeats, seconds: (startMs + again + (pushed.updates + 2) * pushed.intervalMs) / 1000 };
  const mals = isIn('mal') ? malSeconds : [];
  return [
    ...Object.entries(POLLED).flatMap(([id, [subject, front]]) =>
      isIn(id) ? [{ ...polling, measurement: 'polling', subject, at: { clients, front }, names: [id] }] : [],
    ),
    ...mals.map((mal) => {
      return { ...polling, measurement: 'mal', subject: OURS, at: { clients, front: 'straight', malSeconds: mal } };
    }),
    ...Object.entries(PUSHED).flatMap(([id, subject]) =>
      isIn(id) ? [{ ...pushing, measurement: 'sse', subject, at: { clients }, names: [id] }] : [],
    ),
  ];
}

function crossingCells({ intervalMs, crossing, repeats, isShort }: E1Plan): readonly PlannedCell[] {
  const fronts = isShort ? ['straight'] : ['straight', 'nginx', 'Varnish'];
  const ways = [['Express', 'straight'], ...fronts.map((front) => [OURS, front])] as [string, string][];
  const asked = ways.map(([subject, front]) => {
    // Rates wait for the next update, half of one on average; two or three are tried.
    const ratesMs = COUNTED.includes(subject) ? 0 : 2.5 * 1.5 * intervalMs;
    const seconds = (600 + 0.6 * openingMs(crossing.clients) + crossing.roundMs + ratesMs) / 1000;
    return { measurement: 'crossing', subject, at: { front }, repeats, seconds };
  });
  const pushed = [OURS, 'Express'].map((subject) => {
    return { measurement: 'crossing', subject, at: { front: PUSH }, repeats, seconds: 0 };
  });
  return [...asked, ...pushed];
}

async function measure(cell: CellPlan, plan: E1Plan, lab: Lab): Promise<Measured | readonly Measured[] | Missing> {
  if (cell.measurement !== 'crossing') {
    return withWay(cell, Number(cell.at.clients), plan, lab, (way) => measureWay(cell, way, plan, lab));
  }
  const pushed = pushedInTime(lab.measured, cell.subject, (clients) => pushedUpdates(plan, clients).intervalMs);
  if (cell.at.front === PUSH) return pushedLine(pushed);
  const { intervalMs, crossing } = plan;
  const isVerified = !COUNTED.includes(cell.subject);
  // Where pushing was not measured, the crossing is that of the most clients there are.
  const pushedClients = pushed.at(-1)?.clients ?? (plan.clients.at(-1) as number);
  const folder = await sharedFolder(lab);
  return withWay(cell, crossing.clients, plan, lab, (way) =>
    measureCrossing(way, { ...crossing, isVerified, intervalMs, pushedClients, folder }),
  );
}

function views(): readonly View[] {
  const clients = { key: 'clients', title: 'Clients' };
  const delay = { kind: 'density', histogram: 'delay', x: 'Delay on the client, ms', rows: clients } as const;
  const [polled, pushed] = [{ measurement: ['polling', 'mal'] }, { measurement: 'sse' }];
  const byClients = { kind: 'lines', x: { ...clients, isLog: true } } as const;
  const share = { value: 'cpuShare', per: 0.01, title: '% of a core, an update every 5 s', isLog: true };
  const memory = { value: 'residentBytes', per: 1024 ** 2, title: 'Resident memory, MiB', isLog: true };
  const ways = { subject: '', front: '', malSeconds: 's MAL' };
  const polledRows = { measurement: 'Way', subject: 'Server', front: 'Through', clients: 'Clients' };
  const pushedRows = { subject: 'Server', clients: 'Clients' };
  const delays = [
    { value: 'p50Ms', title: 'p50, ms' },
    { value: 'p99Ms', title: 'p99, ms' },
    { value: 'maxMs', title: 'Longest that came, ms' },
    { value: 'underSecondShare', per: 0.01, title: 'Under 1 s, %' },
    { value: 'skipped', title: 'Skipped', isTotal: true },
    { value: 'lost', title: 'Lost', isTotal: true },
    { value: 'doubled', title: 'Twice', isTotal: true },
    { value: 'p99Ms', over: { subject: 'Express' }, title: 'p99 ÷ Express' },
  ];
  const costs = [
    { value: 'cpuMicros', title: 'CPU, µs a delivery' },
    { value: 'cpuShare', per: 0.01, title: 'CPU, % of a core' },
    { value: 'servedCpuShare', over: { subject: 'Express' }, title: 'CPU ÷ Express' },
    { value: 'residentBytes', per: 1024 ** 2, title: 'Memory, MiB' },
    { value: 'connectionBytes', per: 1024, title: 'A client, KiB' },
    { value: 'loadShare', per: 0.01, title: 'The load, % of a core' },
    { value: 'loadLagMs', title: 'Its longest lag, ms' },
  ];
  const requests = [
    { value: 'requestsPerSecond', title: 'Requests/s' },
    { value: 'requestsPerUpdate', title: 'Requests for an update and client' },
    { value: 'failed', title: 'Failed requests', isTotal: true },
  ];
  const straight = { measurement: 'polling', at: { front: 'straight' } };
  const cached = { measurement: 'polling', at: { front: ['nginx', 'Varnish'] } };
  const published = ARTICLE_DELAYS;
  const crossing = { measurement: 'crossing' };
  return [
    { ...delay, title: 'Polling straight (figure 2)', of: straight, series: { subject: '' }, published },
    {
      ...delay,
      title: 'Polling through a cache (figure 3.1)',
      of: cached,
      series: { subject: '', front: '' },
      published,
    },
    { ...delay, title: 'Server-Sent Events (figure 3.2)', of: pushed, series: { subject: '' }, published },
    { ...delay, title: 'Our client, by its MAL', of: { measurement: 'mal' }, series: { malSeconds: 's MAL' } },
    { ...byClients, title: 'CPU of polling (figure 4.1)', of: polled, y: share, series: ways },
    { ...byClients, title: 'CPU of Server-Sent Events (figure 4.1)', of: pushed, y: share, series: { subject: '' } },
    { ...byClients, title: 'Memory of polling (figure 4.2)', of: polled, y: memory, series: ways },
    {
      ...byClients,
      title: 'Memory of Server-Sent Events (figure 4.2)',
      of: pushed,
      y: memory,
      series: { subject: '' },
    },
    {
      kind: 'lines',
      title: 'Clients that one core serves (formula 1); pushed: at least',
      of: crossing,
      x: { key: 'malSeconds', title: 'MAL, s', isLog: true },
      y: { value: 'clients', title: 'Clients', isLog: true },
      series: { subject: '', front: '' },
      published: ARTICLE_CAPACITY,
    },
    {
      kind: 'table',
      title: 'Delay of polling',
      of: polled,
      rows: { ...polledRows, malSeconds: 'MAL, s' },
      columns: [...delays, { value: 'malMissedShare', per: 0.01, title: 'Later than the MAL, %' }],
      published,
    },
    { kind: 'table', title: 'Delay of Server-Sent Events', of: pushed, rows: pushedRows, columns: delays, published },
    { kind: 'table', title: 'Cost of polling', of: polled, rows: polledRows, columns: [...costs, ...requests] },
    {
      kind: 'table',
      title: 'Cost of Server-Sent Events',
      of: pushed,
      rows: pushedRows,
      columns: [{ value: 'cpuOnlyMicros', title: 'CPU beside readers that only read, µs a delivery' }, ...costs],
    },
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
        { value: 'keptAbove', title: 'Rounds that kept up above it', isTotal: true },
        { value: 'tooMuchBelow', title: 'Rounds that did not below it', isTotal: true },
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
        { value: 'p99Ms', title: 'p99 of the answers, ms' },
        { value: 'kept', title: 'Rounds that kept up', isTotal: true },
      ],
    },
  ];
}
