import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import type { Front } from '../fronts/front-process.ts';
import { seededRandom } from '../seeded-random.ts';
import type { Setting } from '../setting.ts';
import { ClientLoad } from './client-load.ts';
import type { ClientLoadReport } from './client-messages.ts';
import type { PromiseSize } from './client-plan.ts';
import { CLIENT_CORE, SERVER_CORE } from './cores.ts';
import { drawClients } from './draw-clients.ts';
import { type GroupResult, judgeClients } from './judge-clients.ts';
import { type Publisher, startPublisherProcess } from './publisher.ts';
import { WAYS, type Way } from './ways.ts';

/** How clients kept their MALs where push is advised below one break-even. */
export interface PromiseRound {
  readonly breakEvenSeconds: number;
  /** What the clients took of their core. */
  readonly clientShare: number;
  /** One for each way and stream. */
  readonly groups: readonly (GroupResult & { readonly way: string; readonly stream: string })[];
}

/** What became of the promise. */
export interface PromiseResult {
  readonly rounds: readonly PromiseRound[];
  /** Ways that were not open on this machine. */
  readonly missing: readonly string[];
}

interface OpenWay {
  readonly way: Way;
  readonly publicUrl: string;
  readonly publisher: Publisher;
  readonly front: Front | undefined;
}

const READY_MS = 60_000;

/** Clients with many MALs follow streams of many kinds, straight and through caches. */
export async function measurePromise(size: PromiseSize, { onProgress }: Setting): Promise<PromiseResult> {
  const rounds: PromiseRound[] = [];
  for (const breakEvenSeconds of size.breakEvenSeconds) {
    const round = await measureRound(size, breakEvenSeconds);
    rounds.push(round);
    const [misses, untold] = [round.groups.map((one) => one.misses), round.groups.map((one) => one.untold)].map(total);
    onProgress(
      `promise, break-even ${breakEvenSeconds} s: ${misses} misses, ${untold} of them untold`,
      rounds.length / size.breakEvenSeconds.length,
    );
  }
  return { rounds, missing: WAYS.filter((way) => !way.isOpen()).map(({ name }) => name) };
}

function total(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0);
}

async function measureRound(size: PromiseSize, breakEvenSeconds: number): Promise<PromiseRound> {
  const open: OpenWay[] = [];
  try {
    for (const way of WAYS.filter((one) => one.isOpen())) open.push(await openWay(way, size, breakEvenSeconds));
    const urls = open.flatMap(({ way, publicUrl }) =>
      size.streams.map(({ name }) => ({ group: groupOf(way, name), url: `${publicUrl}${name}` })),
    );
    const { seed, malSeconds } = size;
    const clients = drawClients(urls, size.clients, malSeconds, seededRandom(seed));
    await Promise.all(open.map(({ publisher }) => publisher.publish()));
    const load = await ClientLoad.start({ clients, openingMs: size.warmUpMs / 5, seed }, CLIENT_CORE);
    try {
      await load.ready(READY_MS);
      await delay(size.warmUpMs);
      await Promise.all(open.map(({ publisher }) => publisher.begin()));
      await load.begin();
      await delay(size.durationMs);
      const report = await load.report();
      const clientShare = report.cpuMicros / (1000 * (report.endedMs - report.beganMs));
      return { breakEvenSeconds, clientShare, groups: await judge(open, size, report) };
    } finally {
      await load.stop();
    }
  } finally {
    for (const { publisher, front } of open) {
      await front?.close();
      await publisher.close();
    }
  }
}

async function judge(open: readonly OpenWay[], size: PromiseSize, { clients, beganMs, endedMs }: ClientLoadReport) {
  const groups: PromiseRound['groups'][number][] = [];
  for (const { way, publisher } of open) {
    const { commits } = await publisher.report();
    for (const { name, intervalMs } of size.streams) {
      const group = groupOf(way, name);
      const own = clients.filter((client) => client.group === group);
      const published = { commits: commits[name] ?? [], intervalMs, beganMs, endedMs };
      groups.push({ ...judgeClients(group, own, published), way: way.name, stream: name });
    }
  }
  return groups;
}

function groupOf(way: Way, stream: string): string {
  return `${way.name}/${stream}`;
}

async function openWay(way: Way, size: PromiseSize, breakEvenSeconds: number): Promise<OpenWay> {
  const { streams, entities, membersPerUpdate, seed } = size;
  const port = await freePort();
  const frontPort = way.open ? await freePort() : port;
  const publicUrl = `http://127.0.0.1:${frontPort}/`;
  const plan = { publicUrl, port, streams, entities, membersPerUpdate, seed, breakEvenSeconds };
  const publisher = await startPublisherProcess(plan, SERVER_CORE);
  try {
    const front = await way.open?.(new URL(`http://127.0.0.1:${port}/`), frontPort);
    return { way, publicUrl, publisher, front };
  } catch (error) {
    await publisher.close();
    throw error;
  }
}
