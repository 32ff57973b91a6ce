/* The store over NATS JetStream, against real servers: as one store, and as several nodes. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { keptFolder } from '@ldes-live/test-support/folders';
import { hasNats, type NatsServers, startNats } from '@ldes-live/test-support/nats';
import { afterAll, beforeAll, describe } from 'vitest';
import { openNatsStore } from '../src/nats/nats-store.ts';
import { describeLogStore } from './suite.ts';

let servers: NatsServers;
let places = 0;

describe.skipIf(!hasNats)('one server', () => {
  beforeAll(async () => {
    servers = await startNats();
  });
  afterAll(() => servers.close());

  describeLogStore({
    name: 'NATS JetStream',
    persists: true,
    newPlace: async () => {
      const folder = await keptFolder();
      places += 1;
      const stream = `place-${places}`;
      return {
        open: (given) =>
          openNatsStore({
            ...given,
            ...{ servers: servers.urls, replicas: 1, stream, node: 'a', url: 'http://127.0.0.1:1' },
            ...{ isCandidate: true, path: join(folder, 'store'), limitClockMs: Number.POSITIVE_INFINITY },
          }),
        remove: () => rm(folder, { recursive: true }),
      };
    },
  });
});
