/*
 * `capacity`: what a publisher has to know to size a server. Polls and deliveries that a core serves by the CPU time of each, so
 * that a slow load does not count, memory of connections, and what follows by formula 1, neither mode compressed.
 *
 *   { "measurement": "polling", "at": { "encoding": "gzip" }, "values": { "cpuMicros": 41, "perCoreSecond": 24400, ... } }
 *   { "measurement": "push", "at": {}, "values": { "cpuMicros": 13.9, "perCoreSecond": 71900, "connectionBytes": 15200, ... } }
 *   { "measurement": "formula", "at": { "mode": "push", "malSeconds": 5 }, "values": { "clients": 359000 } }
 */
import {
  type CapacityQuestion,
  capacityBreakEven,
  DEFAULT_CAPACITY_COSTS,
  DEFAULT_PAYLOAD_BYTES,
  usersServed,
} from '@ldes-live/latency';
import type { Asked, Experiment, Lab, Measured } from '../experiment.ts';
import { httpLoad } from '../load/http-load.ts';
import { SERVER_CORE } from '../processes.ts';
import { ARTICLE, ARTICLE_CAPACITY } from '../report/published.ts';
import type { Cell, CellPlan } from '../result.ts';
import { startAsking } from '../subjects/c-loops.ts';
import { type Subject, startSubject } from '../subjects/subject.ts';
import { monotonicMicros } from '../timing.ts';
import { grown, measurePush, PUSH_COLUMNS, pushSeconds, sharedFolder, updatesIn } from './push-cell.ts';

const FULL = {
  repeats: 3,
  eventBytes: 5200,
  /** Kept-alive connections that ask as fast as they are answered. */
  pollConnections: 16,
  pollMs: 3000,
  /** Connections that stay open after a poll, to weigh them; and push connections. */
  clients: 4000,
  warmUps: 4,
  updates: 10,
  intervalMs: 500,
  settleMs: 300,
};
const QUICK = { ...FULL, repeats: 1, pollMs: 400, clients: 200, warmUps: 5, updates: 5, intervalMs: 80 };
/** One process holds them, and the limit of many systems for one is not far above. */
const MAX_CLIENTS = 10_000;
const WARM_UP_MS = 200;

const OURS = 'ldes-live';

const { cpu, bytes, connection, p50, p99, lost, doubled } = PUSH_COLUMNS;
const perCore = { value: 'perCoreSecond', title: 'A second of a core' };
const BY_SERVER = { kind: 'table', rows: { subject: 'Server' } } as const;

/** The experiment `capacity`. */
export const CAPACITY: Experiment<typeof FULL> = {
  name: 'capacity',
  title: 'How many a server serves',
  about: 'what a core serves by polling and by push, and where they cross',
  source: ARTICLE,
  measurements: [],
  options: ['clients', 'duration', 'repeat'],
  plan: ({ quick, clients, durationSeconds, repeats }: Asked) => {
    const plan = quick ? QUICK : FULL;
    const ms = durationSeconds === undefined ? undefined : durationSeconds * 1000;
    return {
      ...plan,
      ...(repeats !== undefined && { repeats }),
      ...(clients && { clients: Math.min(MAX_CLIENTS, Math.max(...clients)) }),
      ...(ms !== undefined && { pollMs: ms, updates: updatesIn(ms, plan.intervalMs) }),
    };
  },
  cells: (plan) => {
    const cell = { subject: OURS, at: {}, repeats: plan.repeats };
    return [
      { ...cell, measurement: 'polling', seconds: 2 + plan.clients / 5000 + (2 * plan.pollMs) / 1000 },
      { ...cell, measurement: 'push', seconds: pushSeconds(plan) },
      { ...cell, measurement: 'formula', seconds: 0 },
    ];
  },
  measure,
  ratios: [
    { of: { at: { encoding: 'gzip' } }, value: 'cpuMicros', over: { at: { encoding: 'identity' } } },
    { of: { measurement: 'formula' }, value: 'deliveriesPerPoll' },
  ],
  views: [
    {
      kind: 'lines',
      title: 'Users that a core serves, an update every 5 s (formula 1)',
      of: { measurement: 'formula' },
      x: { key: 'malSeconds', title: 'MAL, s', isLog: true },
      y: { value: 'clients', per: 1000, title: 'Users, thousands', isLog: true },
      series: { mode: '' },
      published: ARTICLE_CAPACITY,
    },
    {
      kind: 'table',
      title: 'Polls of the latest state, and connections that stay open after one',
      of: { measurement: 'polling' },
      rows: { encoding: 'Encoding' },
      columns: [
        perCore,
        { ...cpu, title: 'CPU, µs' },
        { ...bytes, title: 'Bytes' },
        { value: 'requestsPerSecond', title: 'A second, as measured' },
        { value: 'processBytes', per: 1024, title: 'KiB without connections' },
        connection,
      ],
    },
    {
      ...BY_SERVER,
      title: 'Deliveries by push',
      of: { measurement: 'push' },
      columns: [perCore, cpu, bytes, connection, p50, p99, lost, doubled],
    },
    {
      ...BY_SERVER,
      title: 'Below which MAL push serves more users, an update every 5 s; 0: never',
      of: { measurement: 'formula' },
      columns: [
        { value: 'breakEvenSeconds', title: 'Break-even, s' },
        { value: 'gzipBreakEvenSeconds', title: 'With polls in gzip, s' },
      ],
    },
  ],
};

async function measure({ measurement }: CellPlan, plan: typeof FULL, lab: Lab): Promise<readonly Measured[]> {
  if (measurement === 'formula') return formula(lab.measured);
  const folder = await sharedFolder(lab);
  // In processes of their own, so that neither leaves memory to the other.
  const subject = await startSubject('ldes-live', { workload: 'sized', eventBytes: plan.eventBytes }, SERVER_CORE);
  try {
    await subject.publish({ startMicros: monotonicMicros(), intervalMicros: 10_000, count: 10 });
    if (measurement === 'polling') return await measurePolls(subject, plan, folder);
    const { clients, warmUps, updates, intervalMs, settleMs } = plan;
    const pushed = await measurePush(subject, { clients, warmUps, updates, intervalMs, settleMs }, folder);
    return [{ ...pushed, values: { ...pushed.values, perCoreSecond: 1e6 / (pushed.values.cpuMicros as number) } }];
  } finally {
    await subject.close();
  }
}

async function measurePolls(subject: Subject, plan: typeof FULL, folder: string): Promise<readonly Measured[]> {
  const [port, path] = [subject.ports[0] as number, subject.latestPath ?? ''];
  const poll = async (encoding: string, durationMs = plan.pollMs): Promise<Measured> => {
    const headers = { 'accept-encoding': encoding };
    const before = await subject.cpuMicros();
    const asked = { port, path, headers, status: 200, connections: plan.pollConnections } as const;
    const { requests, values, ...refused } = await httpLoad({ ...asked, durationMs, folder });
    const cpuMicros = ((await subject.cpuMicros()) - before) / requests;
    const own = { cpuMicros, perCoreSecond: 1e6 / cpuMicros, bytes: values.responseBytes };
    return { ...refused, at: { encoding }, values: { ...values, ...own } };
  };
  await poll('identity', WARM_UP_MS);
  const processBytes = subject.residentBytes();
  // Each asks once, and keeps its connection.
  const pollers = await startAsking({ ports: [port], path, clients: plan.clients, folder });
  const memory = pollers ? grown(processBytes, subject.residentBytes(), plan.clients) : {};
  await pollers?.stop();
  const plain = await poll('identity');
  const values = { ...plain.values, ...memory, ...(processBytes !== undefined && { processBytes }) };
  return [{ ...plain, values }, await poll('gzip')];
}

/** From one update to the next in the published experiment. */
const INTERVAL_SECONDS = 5;
const MALS_SECONDS = [0.1, 0.2, 0.5, 1, 2, 4, 5, 10, 20, 50, 100];

/** What follows from the rates of a round. */
function formula(measured: readonly Cell[]): readonly Measured[] {
  const rateOf = (measurement: string, encoding?: string) =>
    measured.find((cell) => cell.measurement === measurement && cell.at.encoding === encoding)?.values.perCoreSecond;
  const [requestsPerSecond, zipped] = [rateOf('polling', 'identity'), rateOf('polling', 'gzip')];
  const deliveriesPerSecond = rateOf('push');
  if (!requestsPerSecond || !zipped || !deliveriesPerSecond) return [];
  const question: CapacityQuestion = {
    users: 1,
    malSeconds: 1,
    intervalSeconds: INTERVAL_SECONDS,
    payloadBytes: DEFAULT_PAYLOAD_BYTES,
    costs: { ...DEFAULT_CAPACITY_COSTS, requestsPerSecond, deliveriesPerSecond, utilisation: 1 },
  };
  const inGzip = { ...question, costs: { ...question.costs, requestsPerSecond: zipped } };
  const [breakEvenSeconds = 0, gzipBreakEvenSeconds = 0] = [capacityBreakEven(question), capacityBreakEven(inGzip)];
  const deliveriesPerPoll = deliveriesPerSecond / requestsPerSecond;
  return [
    { values: { deliveriesPerPoll, breakEvenSeconds, gzipBreakEvenSeconds } },
    ...MALS_SECONDS.flatMap((malSeconds) =>
      (['pull', 'push'] as const).map((mode) => {
        return { at: { mode, malSeconds }, values: { clients: usersServed(mode, { ...question, malSeconds }) } };
      }),
    ),
  ];
}
