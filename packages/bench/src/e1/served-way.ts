import { isInstalled } from '../installed-program.ts';
import { type Front, startFront } from '../programs/fronts.ts';
import { MOST_CONNECTIONS, SERVER_CORE } from '../setting.ts';
import { startEpollSubject } from '../subjects/epoll-subject.ts';
import { startNchanSubject } from '../subjects/nchan-subject.ts';
import { type Subject, startNodeSubject } from '../subjects/node-subject.ts';
import type { Way } from './ways.ts';

/** A server with what stands before it, started for a number of clients. */
export interface ServedWay {
  readonly subject: Subject;
  /** Where clients connect, in turns. */
  readonly ports: readonly number[];
  /** Of its event stream, or of its document where clients poll. */
  readonly path: string;
  /** CPU time of the server and of what stands before it, microseconds. */
  cpuMicros(): Promise<number>;
  /** `undefined` where the system does not tell. */
  residentBytes(): number | undefined;
  close(): Promise<void>;
}

/** What servers are started with. */
export interface ServedPlan {
  /** The event that all send, as text. */
  readonly event: string;
  readonly intervalMs: number;
  readonly clients: number;
  readonly folder: string;
}

const FRONT_PROGRAMS = { nginx: 'nginx', Varnish: 'varnishd' } as const;

/** How many processes so many clients take, at either end. */
export function processesFor(clients: number): number {
  return Math.ceil(clients / MOST_CONNECTIONS);
}

/** Starts a way on the server's core; `undefined` where it is not on this machine. */
export async function startWay(way: Way, plan: ServedPlan): Promise<ServedWay | undefined> {
  if (way.between !== 'straight' && !isInstalled(FRONT_PROGRAMS[way.between])) return undefined;
  const subject = await startServer(way, plan);
  if (subject === undefined) return undefined;
  let front: Front | undefined;
  try {
    front = way.between === 'straight' ? undefined : await startBetween(way, subject, plan.clients);
  } catch (error) {
    await subject.close();
    throw error;
  }
  return {
    subject,
    ports: front?.ports ?? subject.ports ?? [subject.port],
    path: way.kind === 'sse' ? subject.path : (subject.latestPath ?? subject.path),
    cpuMicros: async () => (await subject.cpuMicros()) + (front?.cpuMicros() ?? 0),
    residentBytes: () => {
      const [own, before] = [subject.residentBytes(), front ? front.residentBytes() : 0];
      return own === undefined || before === undefined ? undefined : own + before;
    },
    close: async () => {
      await front?.close();
      await subject.close();
    },
  };
}

function startServer({ server, between, kind }: Way, plan: ServedPlan): Promise<Subject | undefined> {
  const { event, intervalMs, clients, folder } = plan;
  // What is behind a cache has few clients.
  const processes = between === 'straight' ? processesFor(clients) : 1;
  const eventBytes = Buffer.byteLength(event);
  switch (server) {
    case 'ldes-live': {
      const live = { workload: 'sized', eventBytes, ...(kind !== 'sse' && { everyMs: intervalMs }) } as const;
      return startNodeSubject('ldes-live', { live, processes }, SERVER_CORE);
    }
    case 'Express':
      return startNodeSubject('express', { event, intervalMs, processes }, SERVER_CORE);
    case '@fastify/sse':
      return startNodeSubject('fastify-sse', { event, processes }, SERVER_CORE);
    case 'Nchan':
      return startNchanSubject(event, folder, SERVER_CORE, processes);
    case 'C loop':
      return startEpollSubject(event, folder, SERVER_CORE, processes);
  }
}

function startBetween({ between, server }: Way, subject: Subject, clients: number): Promise<Front> {
  const publisher = new URL(`http://127.0.0.1:${subject.port}/`);
  const options = { core: SERVER_CORE, processes: processesFor(clients) };
  if (between === 'Varnish') return startFront('Varnish', publisher, options);
  return startFront(server === 'Express' ? 'article-nginx' : 'nginx', publisher, options);
}
