import type { LiveServer } from '@ldes-live/server';
import { expect, test } from 'vitest';
import type { RunningWorker, WorkerStart } from '../../src/serve/workers/start-worker.ts';
import { workerFront } from '../../src/serve/workers/worker-front.ts';

function world(count: number) {
  const calls: string[] = [];
  const starts: WorkerStart[] = [];
  const server = {
    listen: async ({ host, port }: { host: string; port: number }) => {
      calls.push(`listen ${host} ${port}`);
      return 40_123;
    },
    close: async () => {
      calls.push('close');
    },
  } as LiveServer;
  const start = (what: WorkerStart): RunningWorker => {
    starts.push(what);
    let end: (how: string) => void = () => {};
    const ended = new Promise<string>((resolve) => {
      end = resolve;
    });
    const kill = () => {
      calls.push('kill');
      end('by SIGKILL');
    };
    return { listening: Promise.resolve(), ended, kill };
  };
  const onDeath = (how: string) => calls.push(how);
  const front = workerFront({ server, count, onDeath, clock: () => 0, sleep: async () => {}, start });
  return { front, calls, starts };
}

test('PUSH-46 the workers get the port, and the server with the logs one of this machine only', async () => {
  const { front, calls, starts } = world(3);
  expect(await front.listen({ host: '0.0.0.0', port: 3000 })).toBe(3000);
  expect(calls).toEqual(['listen 127.0.0.1 0']);
  expect(starts.map(({ count, order }) => ({ count, ...order }))).toEqual(
    Array.from({ length: 3 }, () => ({ count: 3, ownerUrl: 'http://127.0.0.1:40123', host: '0.0.0.0', port: 3000 })),
  );
  await front.close();
});

test('any free port is one that all workers know', async () => {
  const { front, starts } = world(2);
  const port = await front.listen({ host: '127.0.0.1', port: 0 });
  expect(port).toBeGreaterThan(0);
  expect(starts.map(({ order }) => order.port)).toEqual([port, port]);
  await front.close();
});

test('PUSH-53 it stops in order: no worker is replaced, and those that stay longer are ended', async () => {
  const { front, calls, starts } = world(2);
  await front.listen({ host: '127.0.0.1', port: 3000 });
  await front.close();
  expect(calls.slice(1)).toEqual(['close', 'kill', 'kill']);
  expect(starts).toHaveLength(2);
});
