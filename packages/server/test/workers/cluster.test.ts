import { scriptedChannel } from '@ldes-live/test-support/channels';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test } from 'vitest';
import { serveByWorkers } from '../../src/index.ts';

/** A server, and workers that listen and end as a test says. */
function scripted(count: number) {
  const time = { nowMs: 0 };
  const waits: number[] = [];
  const calls: string[] = [];
  const lines: unknown[] = [];
  const workers: { args: readonly string[]; listens(): void; refuse(error: Error): void; end(how: string): void }[] =
    [];
  const start = (program: string, args: readonly string[]) => {
    const name = `worker-${workers.length + 1}`;
    let [listens, refuse, end] = [() => {}, (_error: Error) => {}, (_how: string) => {}];
    const listening = new Promise<void>((resolve, reject) => {
      [listens, refuse] = [resolve, reject];
    });
    const ended = new Promise<string>((resolve) => {
      end = resolve;
    });
    workers.push({ args: [program, ...args], listens, refuse, end });
    const { channel } = scriptedChannel();
    const cut = () => {
      calls.push(`cut ${name}`);
      end('by SIGKILL');
    };
    return { name, channel: { ...channel, cut }, ready: Promise.resolve(), listening, ended };
  };
  const note = (level: string) => (fields: object, event: string) => void lines.push([level, event, fields]);
  const cluster = serveByWorkers({
    server: {
      listen: async ({ host, port }) => {
        calls.push(`listen ${host} ${port}`);
        return 40_123;
      },
      attachWorker: (_, workers) => void calls.push(`attach, of ${workers}`),
      close: async () => {
        calls.push('close');
        await new Promise((resolve) => setImmediate(resolve));
      },
    },
    count,
    program: 'worker.js',
    logger: { error: note('error'), info: note('info') },
    clock: () => time.nowMs,
    sleep: async (durationMs) => void waits.push(durationMs),
    start,
  });
  return { cluster, time, waits, calls, lines, workers };
}

/** One whose workers all listen. */
async function started(count: number) {
  const world = scripted(count);
  const listening = world.cluster.listen({ host: '0.0.0.0', port: 3000 });
  await eventually(() => expect(world.workers).toHaveLength(count));
  for (const worker of world.workers) worker.listens();
  return { ...world, port: await listening };
}

test('the workers get the port, and the server with the logs one of this machine only', async () => {
  const { port, calls, lines, workers } = await started(3);
  expect(port).toBe(3000);
  expect(lines.at(-1)).toEqual(['info', 'listening', { host: '0.0.0.0', port: 3000 }]);
  expect(calls).toEqual(['listen 127.0.0.1 0', ...Array(3).fill('attach, of 3')]);
  const args = ['worker.js', 'http://127.0.0.1:40123', '0.0.0.0', '3000'];
  expect(workers.map((worker) => worker.args)).toEqual([args, args, args]);
});

test('`worker lost`: one that ends unasked is replaced, with a wait that doubles with each that dies young', async () => {
  const { time, waits, lines, workers } = await started(2);
  const lives = [10_000, 0, 9999, ...Array(20).fill(5), 10_000];
  for (const [index, lifeMs] of lives.entries()) {
    time.nowMs += lifeMs;
    workers.at(index === 0 ? 0 : -1)!.end('by SIGKILL');
    await eventually(() => expect(workers).toHaveLength(3 + index));
  }
  expect(waits.slice(0, 9)).toEqual([0, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  expect(waits.slice(9)).toEqual([...Array(14).fill(10_000), 0]);
  expect(lines.slice(3, 5)).toEqual([
    ['error', 'worker lost', { worker: 'worker-1', how: 'by SIGKILL' }],
    ['error', 'worker lost', { worker: 'worker-3', how: 'by SIGKILL' }],
  ]);
});

test('`worker started` `worker ended`: it stops in order, no worker is replaced, and those that stay are ended', async () => {
  const { cluster, calls, lines, workers } = await started(2);
  const closing = cluster.close();
  workers[0]!.end('with exit code 0');
  await closing;
  expect(calls.slice(-2)).toEqual(['close', 'cut worker-2']);
  expect(workers).toHaveLength(2);
  const ofWorkers = (event: string) => [1, 2].map((id) => ['info', event, { worker: `worker-${id}` }]);
  expect(lines.slice(0, 2)).toEqual(ofWorkers('worker started'));
  expect(lines.slice(3)).toEqual(ofWorkers('worker ended'));
});

test('what keeps the first from listening is passed on, and the others are ended with it', async () => {
  const { cluster, calls, lines, workers } = scripted(2);
  const listening = cluster.listen({ host: '127.0.0.1', port: 3000 });
  await eventually(() => expect(workers).toHaveLength(2));
  workers[0]!.listens();
  workers[1]!.refuse(new Error('EADDRINUSE'));
  await expect(listening).rejects.toThrow('EADDRINUSE');
  await cluster.close();
  expect(calls.slice(-2)).toEqual(['cut worker-1', 'cut worker-2']);
  expect(lines.map((line) => (line as string[])[0])).not.toContain('error');
});
