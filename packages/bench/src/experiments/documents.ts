/*
 * `documents`: documents that are ready, asked for in turns with a bare Fastify route that sends the same bytes (or 304), and
 * a log on disk that is appended to, each commit synced, every page read as soon as it is sealed.
 *
 *   { "measurement": "serving", "subject": "ldes-live", "at": { "document": "latest, gzip" },
 *     "values": { "requestsPerSecond": 9500, "cpuMicros": 98.1, "responseBytes": 5120 } }
 *   { "measurement": "appending", "at": { "tenth": 2 }, "values": { "membersPerSecond": 31000, "ownBytes": 91000000 } }
 */
import type { Asked, Experiment, Lab, Measured } from '../experiment.ts';
import { Histogram } from '../histogram.ts';
import { httpLoad } from '../load/http-load.ts';
import { packageVersions, watchCpu } from '../machine.ts';
import { SERVER_CORE, startChild } from '../processes.ts';
import type { CellPlan } from '../result.ts';
import type { AppendedTenth, DocumentsRole, ServedDocument, Servers } from './documents-process.ts';
import { sharedFolder } from './push-cell.ts';

const FULL = {
  vehicles: 1000,
  /** Kept-alive, each of which asks again once it has its answer. */
  connections: 50,
  repeats: 9,
  roundMs: 3000,
  members: 1_000_000,
  /** Entities that the members are versions of. */
  fleet: 1000,
};
type Plan = typeof FULL;
const QUICK: Plan = { ...FULL, repeats: 2, roundMs: 150, members: 10_000 };

const DOCUMENT_NAMES = [
  'latest',
  'latest, 304',
  'latest, gzip',
  'latest, gzip, 304',
  'sealed page',
  'sealed page, gzip',
];
const BARE = 'bare Fastify';
const TENTHS = 10;
/** Members that a slow disk takes, a second. */
const APPENDED_PER_SECOND = 9000;

/** Requests a second of documents that are ready, and members a second of a log on disk. */
export const DOCUMENTS: Experiment<Plan> = {
  name: 'documents',
  title: 'What documents cost that are ready, and a log on disk',
  about: 'ready documents compared with a bare route, and appending to a log on disk',
  measurements: ['serving', 'appending'],
  options: ['duration', 'repeat'],
  plan: ({ quick, durationSeconds, repeats }: Asked) => {
    const plan = quick ? QUICK : FULL;
    const roundMs = durationSeconds === undefined ? plan.roundMs : durationSeconds * 1000;
    return { ...plan, roundMs, repeats: repeats ?? plan.repeats };
  },
  cells: ({ repeats, roundMs, members }) => [
    ...DOCUMENT_NAMES.flatMap((document) =>
      [BARE, 'ldes-live'].map((subject) => {
        // The first round warms up.
        const seconds = (roundMs / 1000) * (1 + 1 / repeats);
        return { measurement: 'serving', subject, at: { document }, repeats, seconds };
      }),
    ),
    { measurement: 'appending', subject: 'ldes-live', at: {}, seconds: 1 + members / APPENDED_PER_SECOND },
  ],
  measure: (cell, plan, lab) => (cell.measurement === 'serving' ? serving(cell, plan, lab) : appending(plan, lab)),
  versions: () => packageVersions(['fastify']),
  ratios: [
    { of: { measurement: 'serving', subject: 'ldes-live' }, value: 'requestsPerSecond', over: { subject: BARE } },
    { of: { measurement: 'serving', subject: 'ldes-live' }, value: 'cpuMicros', over: { subject: BARE } },
    { of: { measurement: 'appending', at: { tenth: TENTHS } }, value: 'membersPerSecond', over: { at: { tenth: 2 } } },
  ],
  views: [
    {
      kind: 'lines',
      title: 'Members a second while the log grows',
      of: { measurement: 'appending', at: { tenth: { from: 1 } } },
      x: { key: 'tenth', title: 'Tenth of all members' },
      y: { value: 'membersPerSecond', title: 'Members/s' },
      series: { subject: '' },
    },
    {
      kind: 'table',
      title: 'Documents that are ready',
      of: { measurement: 'serving' },
      rows: { document: 'Document', subject: 'Server' },
      columns: [
        { value: 'responseBytes', per: 1024, title: 'KiB' },
        { value: 'requestsPerSecond', title: 'Requests/s' },
        { value: 'cpuMicros', title: 'CPU, µs a request' },
        { value: 'loadShare', per: 0.01, title: 'The load, % of a core' },
        { value: 'requestsPerSecond', over: { subject: BARE }, title: 'Requests/s ÷ bare Fastify' },
        { value: 'cpuMicros', over: { subject: BARE }, title: 'CPU ÷ bare Fastify' },
      ],
    },
    {
      kind: 'table',
      title: 'Appending to a log on disk, each commit synced, every sealed page read',
      of: { measurement: 'appending', at: { tenth: { from: 1 } } },
      rows: { tenth: 'Tenth' },
      columns: [
        { value: 'members', title: 'Members' },
        { value: 'membersPerSecond', title: 'Members/s' },
        { value: 'ownBytes', per: 1024 ** 2, title: 'Memory of its own, MiB' },
        { value: 'residentBytes', per: 1024 ** 2, title: 'With the mapped file, MiB' },
      ],
    },
    {
      kind: 'table',
      title: 'From the acknowledgement of a commit until it is read',
      of: { measurement: 'appending', at: { document: ['sealed page', 'latest state'] } },
      rows: { document: 'Document' },
      columns: [
        { value: 'p50Ms', title: 'p50, ms' },
        { value: 'p99Ms', title: 'p99, ms' },
        { value: 'maxMs', title: 'Longest, ms' },
        { value: 'reads', title: 'Reads' },
      ],
    },
  ],
};

function start<Started>(role: DocumentsRole) {
  return startChild<Started>(new URL('./documents-process.js', import.meta.url), role, SERVER_CORE);
}

async function serving({ subject, at }: CellPlan, plan: Plan, lab: Lab): Promise<Measured> {
  const { vehicles, connections, roundMs: durationMs } = plan;
  const folder = await sharedFolder(lab);
  const servers = await lab.shared('serving', () => start<Servers>({ role: 'serving', vehicles }));
  const { livePort, barePort, documents } = servers.started;
  const { path, barePath, headers } = documents.find(({ name }) => name === at.document) as ServedDocument;
  const target = subject === BARE ? { port: barePort, path: barePath } : { port: livePort, path };
  const status = headers['if-none-match'] === undefined ? 200 : 304;
  const load = () => httpLoad({ ...target, headers, status, connections, durationMs, folder });
  // The first round warms up.
  if (lab.repeat === 0) await load();
  const cpuTaken = watchCpu(servers.pid);
  const { requests, values, ...refused } = await load();
  const cpuMicros = cpuTaken().cpuMicros / requests;
  return { ...refused, values: { ...values, cpuMicros } };
}

async function appending({ members, fleet }: Plan, { folder, onProgress }: Lab): Promise<readonly Measured[]> {
  const child = await start<object>({ role: 'appending', members, fleet, folder });
  const [sealedMs, latestMs]: [number[], number[]] = [[], []];
  const tenths: Measured[] = [];
  try {
    for (let tenth = 1; tenth <= TENTHS; tenth += 1) {
      const { sealedMs: sealed, latestMs: latest, ...values } = await child.ask<AppendedTenth>({});
      sealedMs.push(...sealed);
      latestMs.push(...latest);
      tenths.push({ at: { tenth }, values });
      onProgress(`${values.members} members: ${Math.round(values.membersPerSecond)} a second`, tenth / TENTHS);
    }
  } finally {
    await child.close();
  }
  return [...tenths, visible('sealed page', sealedMs), visible('latest state', latestMs)];
}

function visible(document: string, allMs: readonly number[]): Measured {
  const delays = Histogram.ofMs(allMs);
  return { at: { document }, values: { ...delays.cell().values, maxMs: delays.maxMicros / 1000, reads: delays.total } };
}
