/*
 * `client`: whether clients keep their MALs, and what that costs. Clients with many MALs follow streams of many kinds,
 * straight and through caches, where push is advised below one MAL or another; and very many poll at once (stampede.ts).
 *
 *   { "measurement": "promise", "subject": "nginx", "at": { "breakEvenSeconds": 0.1, "stream": "late" },
 *     "values": { "delivered": 1700, "misses": 0, "unstated": 0, "requestsPerUpdate": 1.02, "p99Ms": 480 } }
 */
import type { Experiment, Lab, Measured, Missing, View } from '../experiment.ts';
import { Histogram } from '../histogram.ts';
import { busyLoad, sumStats } from '../load/effort.ts';
import { programVersions } from '../machine.ts';
import { allOrNone, askOnce, freePort, isInstalled, LOAD_CORE, SERVER_CORE, startChild } from '../processes.ts';
import { FRONT_PROGRAMS, startFront } from '../programs/fronts.ts';
import { seededRandom } from '../timing.ts';
import type { ClientRole, ClientSpec, ClientsReport, PublisherReport } from './client-process.ts';
import { judgeClients, type UpdatePattern } from './client-watch.ts';
import type { StampedeReport } from './stampede.ts';

const STREAMS: readonly UpdatePattern[] = [
  { name: 'every-1', kind: 'regular', intervalMs: 1000 },
  { name: 'every-5', kind: 'regular', intervalMs: 5000 },
  { name: 'every-20', kind: 'regular', intervalMs: 20_000 },
  { name: 'irregular', kind: 'irregular', intervalMs: 4000 },
  { name: 'late', kind: 'late', intervalMs: 5000 },
  { name: 'missing', kind: 'missing', intervalMs: 5000 },
];

const FULL = {
  repeats: 3,
  /** Of each way and break-even, in equal parts on the streams. */
  clients: 150,
  streams: STREAMS,
  /** MALs are drawn between these by their logarithm; within the duration, so that each client reads. */
  minMalSeconds: 0.2,
  maxMalSeconds: 45,
  /** The MALs below which a publisher advises push: a publisher each, both at once. */
  breakEvenSeconds: [10, 0.1],
  entities: 20,
  membersPerUpdate: 5,
  warmUpMs: 8000,
  durationMs: 50_000,
  stampede: {
    clients: 5000,
    malSeconds: 10,
    intervalMs: 5000,
    /** The MAL below which the publisher advises push: the clients' MAL is not below it. */
    breakEvenSeconds: 10,
    /** Over how long the clients begin. */
    openingMs: 1000,
    warmUpMs: 20_000,
    durationMs: 60_000,
  },
};
/** Sizes and counts. */
export type ClientPlan = typeof FULL;
const QUICK: ClientPlan = {
  ...FULL,
  repeats: 1,
  clients: 12,
  streams: STREAMS.filter(({ name }) => !['every-5', 'every-20'].includes(name)).map((stream) => {
    return { ...stream, intervalMs: stream.kind === 'irregular' ? 800 : 1000 };
  }),
  minMalSeconds: 0.5,
  maxMalSeconds: 2,
  warmUpMs: 1000,
  durationMs: 5000,
  stampede: { ...FULL.stampede, clients: 60, warmUpMs: 10_000, durationMs: 20_000 },
};

const FRONTS = ['nginx', 'Varnish'] as const;
/** All streams of a way together. */
const ALL = 'all streams';
const START_SECONDS = 3;
/** A second of the virtual clock with one client. */
const VIRTUAL_SECONDS = 0.26 / 1000;

const PROMISE = { measurement: 'promise' };
const STAMPEDE = { measurement: 'stampede' };

/** Whether clients keep their MALs, and what that costs. */
export const CLIENT: Experiment<ClientPlan> = {
  name: 'client',
  title: 'Whether clients keep their MALs, and what that costs',
  about: 'whether clients keep their MALs, and how evenly they ask',
  measurements: ['promise', 'stampede'],
  options: [],
  plan: ({ quick }) => (quick ? QUICK : FULL),
  cells: ({ repeats, warmUpMs, durationMs, stampede }) => [
    ...['straight', ...FRONTS].map((subject) => {
      const seconds = START_SECONDS + (warmUpMs + durationMs) / 1000;
      return { ...PROMISE, subject, at: {}, repeats, seconds };
    }),
    {
      ...STAMPEDE,
      subject: 'ldes-live',
      at: { clients: stampede.clients },
      repeats,
      seconds: 1 + (stampede.clients * (stampede.warmUpMs + stampede.durationMs) * VIRTUAL_SECONDS) / 1000,
    },
  ],
  measure: ({ measurement, subject }, plan, lab) =>
    measurement === 'promise' ? measurePromise(subject, plan, lab) : measureStampede(plan, lab),
  versions: () => programVersions(FRONTS),
  ratios: [{ of: STAMPEDE, value: 'peakToMean', overValue: 'chancePeakToMean' }],
  views: [
    ...FULL.breakEvenSeconds.map(
      (breakEvenSeconds): View => ({
        kind: 'density',
        title: `From publication to delivery where push is advised below ${breakEvenSeconds} s`,
        of: { ...PROMISE, at: { breakEvenSeconds } },
        histogram: 'delay',
        x: 'Delay, ms',
        rows: { key: 'stream', title: 'Stream' },
        series: { subject: '' },
      }),
    ),
    {
      kind: 'table',
      title: 'Whether MALs are kept',
      of: PROMISE,
      rows: { breakEvenSeconds: 'Break-even, s', subject: 'Way', stream: 'Stream' },
      columns: [
        { value: 'clients', title: 'Clients' },
        { value: 'delivered', title: 'Members' },
        { value: 'misses', title: 'Later than the MAL', isTotal: true },
        { value: 'unstated', title: 'Not stated by clients', isTotal: true },
        { value: 'lost', title: 'Never', isTotal: true },
        { value: 'doubled', title: 'Twice', isTotal: true },
        { value: 'gaps', title: 'Gaps', isTotal: true },
        { value: 'p50Ms', title: 'p50, ms' },
        { value: 'p99Ms', title: 'p99, ms' },
        { value: 'polling', title: 'Clients that poll' },
        { value: 'requestsPerUpdate', title: 'Their requests/update' },
      ],
    },
    {
      kind: 'table',
      title: 'Very many polling clients that begin at once: requests in the fullest tenth of a second, virtual time',
      of: STAMPEDE,
      rows: { clients: 'Clients' },
      columns: [
        { value: 'requests', title: 'Requests' },
        { value: 'peakRequests', title: 'Fullest tenth' },
        { value: 'peakToMean', title: '÷ mean' },
        { value: 'chancePeakToMean', title: '÷ mean, by chance' },
        { value: 'requestsPerUpdate', title: 'Requests/update' },
        { value: 'misses', title: 'Later than the MAL', isTotal: true },
        { value: 'pushes', title: 'Attempts to push', isTotal: true },
      ],
    },
  ],
};

const MODULE = new URL('./client-process.js', import.meta.url);

type Front = (typeof FRONTS)[number];

async function measurePromise(
  subject: string,
  plan: ClientPlan,
  { seed }: Lab,
): Promise<readonly Measured[] | Missing> {
  const front = FRONTS.find((one) => one === subject);
  if (front !== undefined && !isInstalled(FRONT_PROGRAMS[front])) return { missing: front };
  const sites = await allOrNone(plan.breakEvenSeconds.map((one) => startSite(front, one, plan, seed)));
  try {
    const clients = sites.flatMap((site) => drawClients(plan, site, seed));
    const role: ClientRole = { role: 'clients', plan, seed, clients };
    const report = await askOnce<ClientsReport>(MODULE, role, LOAD_CORE);
    const judged = sites.map(async (site) =>
      judge(site.breakEvenSeconds, plan.streams, report, await site.published()),
    );
    return (await Promise.all(judged)).flat();
  } finally {
    for (const site of sites) await site.close();
  }
}

type Site = Pick<ClientSpec, 'url' | 'breakEvenSeconds'>;

/** A publisher, and what clients reach it by. */
async function startSite(kind: Front | undefined, breakEvenSeconds: number, plan: ClientPlan, seed: number) {
  const port = await freePort();
  const frontPort = kind === undefined ? port : await freePort();
  const url = `http://127.0.0.1:${frontPort}/`;
  const role: ClientRole = { role: 'publisher', plan, seed, publicUrl: url, port, breakEvenSeconds };
  const publisher = await startChild<object>(MODULE, role, SERVER_CORE);
  const ended = (error: unknown) => publisher.close().then(() => Promise.reject(error));
  const front =
    kind &&
    (await startFront(kind, new URL(`http://127.0.0.1:${port}/`), { port: frontPort, core: SERVER_CORE }).catch(ended));
  return {
    url,
    breakEvenSeconds,
    published: () => publisher.ask<PublisherReport>({}),
    close: async () => {
      await front?.close();
      await publisher.close();
    },
  };
}

/**
 * Clients for streams in equal parts, each part with MALs over the whole range: as many in each stretch of the same ratio,
 * and where in it by chance.
 */
function drawClients(plan: ClientPlan, { url, breakEvenSeconds }: Site, seed: number): readonly ClientSpec[] {
  const { streams, minMalSeconds, maxMalSeconds } = plan;
  const random = seededRandom(seed);
  const count = plan.clients / streams.length;
  return streams.flatMap(({ name }) =>
    Array.from({ length: count }, (_, stretch) => ({
      breakEvenSeconds,
      stream: name,
      url: `${url}${name}`,
      malSeconds: minMalSeconds * (maxMalSeconds / minMalSeconds) ** ((stretch + random()) / count),
    })),
  );
}

function judge(
  breakEvenSeconds: number,
  streams: readonly UpdatePattern[],
  { clients, effort, ...times }: ClientsReport,
  published: PublisherReport,
): readonly Measured[] {
  const groups = streams.map(({ name: stream, intervalMs }) => {
    const own = clients.filter((one) => one.breakEvenSeconds === breakEvenSeconds && one.stream === stream);
    const judged = judgeClients(own, { commits: published[stream] ?? [], intervalMs, ...times });
    return { stream, ...judged, delay: new Histogram(...own.map(({ delay }) => delay)) };
  });
  const [all, at] = [new Histogram(...groups.map(({ delay }) => delay.encode())), { breakEvenSeconds, stream: ALL }];
  const refused = busyLoad(effort, all.percentileMs(0.99));
  const { misses, overdue, unstated, ...counts } = sumStats(groups.map((group) => group.counts));
  // What came is known all the same; when it came is the load's own.
  if (refused !== undefined) return [{ at, values: counts, refused }];
  const missShare = misses / Math.max(1, counts.delivered + overdue);
  return [
    ...groups.map(({ stream, counts: own, requestsPerUpdate, delay }) => {
      const { values, histograms } = delay.cell(own.overdue);
      const requests = requestsPerUpdate === undefined ? {} : { requestsPerUpdate };
      return { at: { breakEvenSeconds, stream }, values: { ...own, ...requests, ...values }, histograms };
    }),
    { at, values: { ...counts, misses, missShare, unstated, ...all.cell(overdue).values } },
  ];
}

async function measureStampede({ stampede }: ClientPlan, { repeat, seed }: Lab): Promise<Measured> {
  const module = new URL('./stampede.js', import.meta.url);
  const values = await askOnce<StampedeReport>(module, { ...stampede, seed: 1000 * (seed + repeat) }, LOAD_CORE);
  return { values };
}
