import { setTimeout as delay } from 'node:timers/promises';
import { type Deliveries, measureDeliveries } from '../load/deliveries.ts';
import { LoadGroup, type LoadGroupPlan } from '../load/load-group.ts';
import { LOAD, SERVER_CORE, type Setting } from '../setting.ts';
import { type Spread, spread } from '../spread.ts';
import { startEpollSubject } from '../subjects/epoll-subject.ts';
import { startNchanSubject } from '../subjects/nchan-subject.ts';
import { type Subject, startNodeSubject } from '../subjects/node-subject.ts';
import type { FanOutSize, PeersSize } from './fanout-plan.ts';
import { measureCpu } from './measure-cpu.ts';

/** One server with all its clients, once. */
export interface PeerRun extends Deliveries {
  /** Resident memory for each connection after the updates, bytes. */
  readonly residentBytesPerConnection?: number;
  /** As `serverCpuMicros`, with readers in C that leave the processor's cache to the server. */
  readonly leanCpuMicros?: number;
}

/** How one server did, over all repeats. */
export interface PeerResult {
  readonly name: string;
  readonly runs: readonly PeerRun[];
  /** CPU time of the server for a delivery beside readers that check all that they get, microseconds. */
  readonly serverCpuMicros: Spread;
  /** The same beside readers in C that only read. */
  readonly leanCpuMicros?: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly longestMs: Spread;
  readonly spreadMs: Spread;
  readonly residentBytesPerConnection?: Spread;
}

/** The framework's server in parts of another, the pairs of each repeat. */
interface PeerRatio {
  readonly to: string;
  readonly cpu: Spread;
  readonly p99: Spread;
}

/** What all the servers did with the same event and clients. */
export interface PeersResult {
  readonly clients: number;
  readonly eventBytes: number;
  readonly peers: readonly PeerResult[];
  readonly ratios: readonly PeerRatio[];
  /** Servers that could not be measured here. */
  readonly missing: readonly string[];
}

/** The name of the framework's server. */
export const LIVE = 'ldes-live';

type Start = () => Promise<Subject | undefined>;

/** The framework's server, the loop in C, and what else there is, with each number of clients. */
export async function measurePeers({ clients: numbers, ...size }: PeersSize, setting: Setting): Promise<PeersResult[]> {
  const results: PeersResult[] = [];
  for (const clients of numbers) {
    const onProgress: Setting['onProgress'] = (line, share = 0) =>
      setting.onProgress(`${clients} clients, ${line}`, (results.length + share) / numbers.length);
    results.push(await measureSize({ ...size, clients }, { ...setting, onProgress }));
  }
  return results;
}

async function measureSize(
  { lean, ...size }: FanOutSize & Pick<PeersSize, 'lean'>,
  setting: Setting,
): Promise<PeersResult> {
  const live = { live: { workload: 'sized', eventBytes: size.eventBytes } } as const;
  const { folder } = setting;
  let event = '';
  const starts: Readonly<Record<string, Start>> = {
    // It comes first, and the others send an event of its own.
    [LIVE]: async () => {
      const subject = await startNodeSubject(LIVE, live, SERVER_CORE);
      event = subject.sample ?? '';
      return subject;
    },
    'epoll loop in C': () => startEpollSubject(event, folder, SERVER_CORE),
    '@fastify/sse': () => startNodeSubject('fastify-sse', { event }, SERVER_CORE),
    'Express loop': () => startNodeSubject('express', { event }, SERVER_CORE),
    Nchan: () => startNchanSubject(event, folder, SERVER_CORE),
  };
  const runs = new Map<string, PeerRun[]>();
  const missing = new Set<string>();
  // In turns, so that what else the machine does falls on all.
  for (let repeat = 0; repeat < size.repeats; repeat += 1) {
    for (const [index, [name, start]] of Object.entries(starts).entries()) {
      const subject = await start();
      if (subject === undefined) {
        missing.add(name);
        continue;
      }
      const run = await measurePeer(subject, size, { ...LOAD, readers: size.clients }, lean ? folder : undefined);
      runs.set(name, [...(runs.get(name) ?? []), run]);
      setting.onProgress(
        `${name}: ${(run.leanCpuMicros ?? run.serverCpuMicros).toFixed(1)} us a delivery, p99 ${run.p99Ms.toFixed(1)} ms`,
        (repeat + (index + 1) / Object.keys(starts).length) / size.repeats,
      );
    }
  }
  const peers = [...runs].map(([name, all]) => peerResult(name, all));
  const { clients } = size;
  return { clients, eventBytes: Buffer.byteLength(event), peers, ratios: ratiosOf(peers), missing: [...missing] };
}

/** Opens all clients, publishes, and closes all; then once more with readers that do nothing else. */
export async function measurePeer(
  subject: Subject,
  size: FanOutSize,
  loadPlan: Omit<LoadGroupPlan, 'port' | 'path'>,
  folder?: string,
): Promise<PeerRun> {
  try {
    const run = await measureLoad(subject, size, loadPlan);
    if (folder === undefined) return run;
    const leanCpuMicros = await measureCpu(subject, size, { folder, core: loadPlan.core });
    return leanCpuMicros === undefined ? run : { ...run, leanCpuMicros };
  } finally {
    await subject.close();
  }
}

async function measureLoad(
  subject: Subject,
  { clients, updates, warmUps, intervalMs, settleMs }: FanOutSize,
  loadPlan: Omit<LoadGroupPlan, 'port' | 'path'>,
): Promise<PeerRun> {
  await delay(settleMs);
  const before = subject.residentBytes();
  const load = await LoadGroup.start({ ...loadPlan, port: subject.port, path: subject.path });
  try {
    await delay(settleMs);
    await measureDeliveries(subject, load, { count: warmUps, intervalMs, readers: clients });
    const deliveries = await measureDeliveries(subject, load, { count: updates, intervalMs, readers: clients });
    await delay(settleMs);
    const after = subject.residentBytes();
    if (before === undefined || after === undefined) return deliveries;
    return { ...deliveries, residentBytesPerConnection: (after - before) / clients };
  } finally {
    await load.stop();
  }
}

/** The spread of what the runs of one server gave. */
export function peerResult(name: string, runs: readonly PeerRun[]): PeerResult {
  const lean = runs.flatMap(({ leanCpuMicros }) => leanCpuMicros ?? []);
  const resident = runs.flatMap(({ residentBytesPerConnection }) => residentBytesPerConnection ?? []);
  return {
    name,
    runs,
    serverCpuMicros: spread(runs.map(({ serverCpuMicros }) => serverCpuMicros)),
    p50Ms: spread(runs.map(({ p50Ms }) => p50Ms)),
    p99Ms: spread(runs.map(({ p99Ms }) => p99Ms)),
    longestMs: spread(runs.map(({ longestMs }) => longestMs)),
    spreadMs: spread(runs.map(({ spreadMs }) => spreadMs)),
    ...(lean.length > 0 && { leanCpuMicros: spread(lean) }),
    ...(resident.length > 0 && { residentBytesPerConnection: spread(resident) }),
  };
}

function ratiosOf(peers: readonly PeerResult[]): PeerRatio[] {
  const live = peers.find(({ name }) => name === LIVE);
  if (!live) return [];
  const of = (other: PeerResult, figure: (run: PeerRun) => number) =>
    spread(live.runs.map((run, repeat) => figure(run) / figure(other.runs[repeat] as PeerRun)));
  return peers
    .filter((peer) => peer !== live)
    .map((peer) => ({
      to: peer.name,
      cpu: of(peer, (run) => run.leanCpuMicros ?? run.serverCpuMicros),
      p99: of(peer, (run) => run.p99Ms),
    }));
}
