/*
 * Our server by its public interface, within the process that is measured, over logs in memory unless a folder is named.
 *
 *   startLive({ workload: 'sized', eventBytes: 5200 })   // { sample: 'event: update\nid: ...', commits: { entities: 17, ... } }
 *   publish(stampMicros) -> drafts of workloads.ts -> log.append -> events, documents
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { get } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { createMemoryStore, type Log, openLmdbStore } from '@ldes-live/log';
import { type Draft, describeStream, formatCursor } from '@ldes-live/rdf-stream';
import {
  createLiveServer,
  hashToken,
  type LiveServer,
  type LiveServerOptions,
  processChannel,
} from '@ldes-live/server';
import { freePort } from '../processes.ts';
import { monotonicMicros, NextUpdate, seededRandom } from '../timing.ts';
import type { Server } from './subject.ts';
import {
  type CommitSize,
  PUBLIC_URL,
  REPLIES,
  REQUESTS,
  recordDemo,
  sizeCommits,
  sizedCommit,
  stampedState,
  TOKEN,
  updateDraft,
} from './workloads.ts';

const NAME = 'vehicles';
const ENVIRONMENT = { clock: Date.now, random: Math.random };

/** What our server publishes, and how. */
export interface LiveOptions {
  /** What each publication appends: see workloads.ts. */
  readonly workload: 'sized' | 'single' | 'demo';
  /** Of `sized`: the size of the event of each commit. */
  readonly eventBytes?: number;
  /** Of `sized`: what each commit is, where that has been found out before. */
  readonly commits?: CommitSize;
  /** Of `single`: how many there are. Of `demo`: how many commits are recorded. */
  readonly entities?: number;
  /** From one update to the next, which it declares to its readers; absent: it declares nothing. */
  readonly intervalMs?: number;
  /** Settings of push. */
  readonly push?: Readonly<Record<string, number>>;
  /** Processes that hold its connections; none when absent. */
  readonly workers?: number;
}

type Workload = (stampMicros: number, index: number) => readonly Draft[];

export async function startLive(options: LiveOptions): Promise<Server> {
  const description = describeStream({ publicUrl: PUBLIC_URL, name: NAME });
  const store = createMemoryStore(ENVIRONMENT);
  const log = await store.open(description);
  const { intervalMs, workers: count, push = {} } = options;
  const next = new NextUpdate(intervalMs);
  const schedule = () => {
    const { nextMs } = next;
    if (intervalMs === undefined || nextMs === undefined) return { kind: 'unknown' } as const;
    return { kind: 'interval', intervalMs, nextMs } as const;
  };
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams: [{ description, log, schedule }], push });
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const path = `/${NAME}/events`;
  const { workload, ...sized } = await prepare(options, log, (drafts) => sampleEvent(port, path, log, drafts));
  const workers = count === undefined ? undefined : await startWorkers(server, port, count);
  return {
    port: workers?.port ?? port,
    path,
    latestPath: `/${NAME}/latest`,
    ...(workers && { pids: workers.pids }),
    ...sized,
    head: () => formatCursor(log.head.cursor),
    expect: (dueMicros) => next.expect(dueMicros),
    publish: async (stampMicros, index) => {
      await log.append(workload(stampMicros, index));
      next.published(stampMicros);
    },
    close: async () => {
      await server.close();
      await workers?.ended;
      await store.close();
    },
  };
}

async function prepare(
  { workload, eventBytes = 0, commits, entities = 1 }: LiveOptions,
  log: Log,
  eventOf: (drafts: readonly Draft[]) => Promise<string>,
): Promise<{ workload: Workload } & Pick<Server, 'sample' | 'commits'>> {
  if (workload === 'demo') {
    const recorded = await recordDemo(NAME, entities);
    return { workload: (_stamp, index) => recorded[index] as readonly Draft[] };
  }
  if (workload === 'single') {
    await log.append(Array.from({ length: entities }, (_, number) => stampedState(number, 0)));
    return { workload: (stampMicros) => [stampedState(Math.floor(Math.random() * entities), stampMicros)] };
  }
  const workloadOf = (size: CommitSize) => (stampMicros: number) => sizedCommit(size, stampMicros);
  if (commits) return { workload: workloadOf(commits), commits };
  let micros = 0;
  // Each is another state than the one before: else there would be nothing to send.
  const next = (size: CommitSize) => {
    micros += 1;
    return eventOf(sizedCommit(size, micros));
  };
  const size = await sizeCommits(eventBytes, async (tried) => Buffer.byteLength(await next(tried)));
  return { workload: workloadOf(size), sample: await next(size), commits: size };
}

/** What a reader gets when something is appended: one event, as text. */
async function sampleEvent(port: number, path: string, log: Log, drafts: readonly Draft[]): Promise<string> {
  const headers = { accept: 'text/event-stream', 'accept-encoding': 'identity' };
  const [response] = await once(get({ port, host: '127.0.0.1', path, headers, agent: false }), 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    // It is subscribed as soon as something has come.
    if (text === '') await log.append(drafts);
    text += chunk;
    const event = /^event: update\n(?:.+\n)+\n/m.exec(text)?.[0];
    if (event !== undefined) return event;
  }
  throw new Error(`${path} has sent no event`);
}

/** Starts processes that hold the push connections of a server; all share one port. See subject-process.ts. */
async function startWorkers(server: LiveServer, ownerPort: number, count: number) {
  cluster.setupPrimary({ args: [], serialization: 'advanced' });
  const ended = async (worker: Worker): Promise<never> => {
    await once(worker, 'exit');
    throw new Error('a worker ended before it served');
  };
  let port = 0;
  const workers: Worker[] = [];
  for (let started = 0; started < count; started += 1) {
    const worker = cluster.fork({ OWNER_URL: `http://127.0.0.1:${ownerPort}` });
    // What is sent to it before it listens to messages is lost.
    await Promise.race([once(worker, 'message'), ended(worker)]);
    server.attachWorker(
      processChannel(worker.process, () => void worker.process.kill('SIGKILL')),
      count,
    );
    [{ port }] = await Promise.race([once(worker, 'listening'), ended(worker)]);
    workers.push(worker);
  }
  return {
    port,
    pids: workers.map((worker) => worker.process.pid ?? 0),
    // The server that has the log tells them to end.
    ended: Promise.all(workers.map((worker) => once(worker, 'exit'))),
  };
}

/** What the server of requests and replies is started with. */
export interface PostsOptions {
  readonly users: number;
  /** What its random numbers come from. */
  readonly seed: number;
  /** Folder of its logs on disk; in memory when absent. */
  readonly folder?: string;
}

/** How late an update is when others are to have their turn between it and the next. */
const BEHIND_MICROS = 2000;

/**
 * Our server with a stream of requests and one of replies, both of which take posts. What is published is an update for one
 * user at random, on the stream of replies.
 */
export async function startPosts({ users, seed, folder }: PostsOptions): Promise<Server> {
  const store =
    folder === undefined ? createMemoryStore(ENVIRONMENT) : await openLmdbStore({ path: folder, ...ENVIRONMENT });
  const open = async (name: string) => {
    const description = describeStream({ publicUrl: PUBLIC_URL, name });
    const ingest = { tokenHashes: [hashToken(TOKEN)] };
    return { description, log: await store.open(description), schedule: () => ({ kind: 'unknown' }) as const, ingest };
  };
  const replies = await open(REPLIES);
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams: [await open(REQUESTS), replies] });
  const random = seededRandom(seed);
  return {
    port: await server.listen({ host: '127.0.0.1', port: 0 }),
    path: `/${REPLIES}/events`,
    publish: async (stampMicros) => {
      await replies.log.append([updateDraft(Math.floor(random() * users), stampMicros)]);
      // The schedule does not pause any more: nothing would be sent before all is published.
      if (monotonicMicros() - stampMicros > BEHIND_MICROS) await setImmediate();
    },
    close: async () => {
      await server.close();
      await store.close();
    },
  };
}

/**
 * Our server with one stream in memory, at the address by which its documents name it: clients follow that.
 *
 * @param options - further settings of the server
 */
export async function serveStream(name: string, options: Partial<LiveServerOptions> = {}) {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}/`;
  const description = describeStream({ publicUrl, name });
  const store = createMemoryStore(ENVIRONMENT);
  const log = await store.open(description);
  const schedule = () => ({ kind: 'unknown' }) as const;
  const server = await createLiveServer({ publicUrl, streams: [{ description, log, schedule }], ...options });
  await server.listen({ host: '127.0.0.1', port });
  const close = async () => {
    await server.close();
    await store.close();
  };
  return { publicUrl, port, log, url: description.url, close };
}
