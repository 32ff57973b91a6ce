import { channelPair, lagging } from '@ldes-live/test-support/channels';
import { type EventReader, readEvents } from '@ldes-live/test-support/events';
import { onTestFinished } from 'vitest';
import {
  createLiveServer,
  createWorkerServer,
  type LiveServer,
  type LiveServerOptions,
  type LiveStream,
  type WorkerServer,
} from '../../src/index.ts';
import { fill, type TestServer, testServer } from '../test-server.ts';

/** A server with its log, and a worker of it, each on a port. */
export interface WorkerWorld extends TestServer {
  readonly owner: LiveServer;
  readonly ownerUrl: string;
  readonly worker: WorkerServer;
  readonly workerUrl: string;
  /** Takes the way between them away. */
  readonly cut: () => void;
  /** Keeps what the owner tells from the worker, see {@link lagging}. */
  readonly hold: () => Promise<void>;
  readonly release: () => void;
  /** Reads the events of the worker. */
  read(query?: string, headers?: Record<string, string>): Promise<EventReader>;
  /** Starts one more. */
  another(): Promise<{ readonly worker: WorkerServer; readonly workerUrl: string; readonly cut: () => void }>;
}

/** What {@link workerWorld} is besides its server. */
interface WorldOptions {
  readonly workers?: number;
  readonly before?: (server: TestServer) => Promise<void>;
  /** What its stream has besides. */
  readonly stream?: Partial<LiveStream>;
}

export async function workerWorld(
  options: Partial<LiveServerOptions> = {},
  { workers = 1, before = async (_server: TestServer) => {}, stream = {} }: WorldOptions = {},
): Promise<WorkerWorld> {
  const server = await testServer();
  await before(server);
  const owner = await createLiveServer({
    publicUrl: server.description.publicUrl,
    streams: [{ description: server.description, log: server.log, ...stream }],
    clock: () => server.time.nowMs,
    random: () => 0.5,
    ...options,
  });
  onTestFinished(() => owner.close());
  const ownerUrl = `http://127.0.0.1:${await owner.listen({ host: '127.0.0.1', port: 0 })}`;
  const another = async () => {
    const [left, right] = channelPair();
    const { hold, release, ...channel } = lagging(right);
    owner.attachWorker(left, workers);
    const worker = await createWorkerServer({
      ...{ channel, ownerUrl, clock: () => server.time.nowMs, random: () => 0.5, logger: false },
    });
    onTestFinished(() => worker.close());
    onTestFinished(release);
    const workerUrl = `http://127.0.0.1:${await worker.listen({ host: '127.0.0.1', port: 0 })}`;
    return { worker, workerUrl, hold, release, cut: () => right.cut() };
  };
  const first = await another();
  const read: WorkerWorld['read'] = async (query = '', headers = {}) => {
    const reader = await readEvents(`${first.workerUrl}/vehicles/events${query}`, headers);
    onTestFinished(() => reader.close());
    return reader;
  };
  return { ...server, owner, ownerUrl, ...first, read, another };
}

/** A worker that has not taken the last two of five commits, and a request of someone who has them that waits there. */
export async function aheadOfWorker(
  query: (cursor: string) => [string, Record<string, string>],
  limitConnections = 10,
) {
  const world = await workerWorld({ push: { limitConnections } }, { before: (server) => fill(server, 3, 1) });
  const asked = world.hold();
  await fill(world, 2, 1);
  const latest = await fetch(`${world.ownerUrl}/vehicles/latest`);
  const [search, headers] = query(latest.headers.get('ldes-cursor') as string);
  const reading = world.read(search, headers);
  await Promise.race([asked, reading]);
  return { ...world, reading };
}
