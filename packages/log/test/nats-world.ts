import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { keptFolder } from '@ldes-live/test-support/folders';
import { hasNats, type NatsServers, startNats } from '@ldes-live/test-support/nats';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Log } from '../src/log.ts';
import { type NatsStore, type NatsStoreOptions, openNatsStore } from '../src/nats/nats-store.ts';
import { plain, upsert, vehicles } from './suite-place.ts';

/** One server, for all tests of a file. */
export let servers: NatsServers;
let names = 0;

export const newName = () => {
  names += 1;
  return `cluster-${names}`;
};

beforeAll(async () => {
  if (hasNats) servers = await startNats();
});
afterAll(() => servers?.close());

/** A cluster of its own on the server, whose nodes close with the test. */
export async function cluster() {
  const folder = await keptFolder();
  const stream = newName();
  const stores = new Set<NatsStore>();
  onTestFinished(async () => {
    await Promise.all([...stores].map((store) => store.close()));
    await rm(folder, { recursive: true });
  });
  const node = async (name: string, given: Partial<NatsStoreOptions> = {}) => {
    const store = await openNatsStore({
      ...{ servers: servers.urls, replicas: 1, stream, node: name, url: `http://${name}:3000` },
      ...{ isCandidate: true, path: join(folder, name), clock: Date.now, random: Math.random },
      ...given,
    });
    stores.add(store);
    const close = async () => {
      stores.delete(store);
      await store.close();
    };
    return { store, close, log: await store.open(vehicles), cluster: store.cluster };
  };
  return { stream, node };
}

/** All of a log that readers can see. */
export async function contentOf(log: Log) {
  return {
    ...{ head: log.head, latest: [...log.latest.entries()], removals: log.removals, heldFrom: log.heldFrom },
    members: (await log.read(log.heldFrom - 1, 10_000)).map(plain),
    newest: (await log.readLatest()).map(plain),
  };
}

export const many = (length: number, state = 0, size = 0) =>
  Array.from({ length }, (_, key) => upsert(key, `${state}${'x'.repeat(size)}`));
