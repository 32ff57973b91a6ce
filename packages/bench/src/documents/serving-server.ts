import { createMemoryStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import Fastify from 'fastify';
import { vehicleCommit } from './workload.ts';

/** Two servers of one process to compare. */
export interface ServingServers {
  /** Port of the framework's server. */
  readonly livePort: number;
  /** Port of a bare Fastify with two routes: `/fixed`, which sends one Buffer, and `/unmodified`, which sends 304. */
  readonly barePort: number;
  /** Path of a sealed page of the stream. */
  readonly sealedPage: string;
  /** Sets what `/fixed` sends. */
  setFixed(bytes: Buffer): void;
  close(): Promise<void>;
}

const PUBLIC_URL = 'http://bench.invalid/';

/** The latest state of so many vehicles, each with a second version, published in memory, and a bare Fastify beside. */
export async function startServingServers(vehicles: number): Promise<ServingServers> {
  const description = describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles' });
  const store = createMemoryStore({ clock: Date.now, random: Math.random });
  const log = await store.open(description);
  await log.append(vehicleCommit(PUBLIC_URL, 0, vehicles, vehicles));
  await log.append(vehicleCommit(PUBLIC_URL, vehicles, Math.ceil(vehicles / 4), vehicles));
  const streams = [{ description, log, schedule: () => ({ kind: 'unknown' }) as const }];
  const live = await createLiveServer({ publicUrl: PUBLIC_URL, streams });
  const livePort = await live.listen({ host: '127.0.0.1', port: 0 });

  let fixed = Buffer.alloc(0);
  const bare = Fastify();
  bare.get('/fixed', (_request, reply) => reply.send(fixed));
  bare.get('/unmodified', (_request, reply) => reply.code(304).send());
  await bare.listen({ host: '127.0.0.1', port: 0 });

  return {
    livePort,
    barePort: (bare.server.address() as { port: number }).port,
    sealedPage: `/vehicles/pages/${log.head.cursor.epoch}/0`,
    setFixed: (bytes) => {
      fixed = Buffer.from(bytes);
    },
    close: async () => {
      await Promise.all([live.close(), bare.close()]);
      await store.close();
    },
  };
}
