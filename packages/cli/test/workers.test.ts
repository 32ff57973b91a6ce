import { EventEmitter } from 'node:events';
import type { LiveServer } from '@ldes-live/server';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test } from 'vitest';
import { type ProcessEnd, processChannel } from '../src/serve/workers/process-channel.ts';
import { respawnDelayMs } from '../src/serve/workers/respawn-delay.ts';
import type { RunningWorker, WorkerStart } from '../src/serve/workers/start-worker.ts';
import { type SupervisedWorker, supervise } from '../src/serve/workers/supervise.ts';
import { workerFront } from '../src/serve/workers/worker-front.ts';

/** Workers that live and die as a test says. */
function scripted(count: number) {
  const ending = new AbortController();
  const time = { nowMs: 0 };
  const waits: number[] = [];
  const deaths: string[] = [];
  const workers: { die: (how: string) => void; listens: () => void; refuse: (error: Error) => void }[] = [];
  const start = (): SupervisedWorker => {
    let [die, listens, refuse]: [(how: string) => void, () => void, (error: Error) => void] = [
      () => {},
      () => {},
      () => {},
    ];
    const ended = new Promise<string>((resolve) => {
      die = resolve;
    });
    const listening = new Promise<void>((resolve, reject) => {
      listens = resolve;
      refuse = reject;
    });
    workers.push({ die, listens, refuse });
    return { ended, listening };
  };
  const supervision = supervise({
    count,
    start,
    onDeath: (how) => deaths.push(how),
    signal: ending.signal,
    clock: () => time.nowMs,
    sleep: async (durationMs) => {
      waits.push(durationMs);
    },
  });
  return { supervision, ending, time, waits, deaths, workers };
}

test('PUSH-52 one that dies is replaced, with a wait when it died young', async () => {
  const { supervision, ending, time, waits, deaths, workers } = scripted(2);
  expect(workers).toHaveLength(2);
  for (const worker of workers) worker.listens();
  await supervision.listening;
  time.nowMs = 10_000;
  workers[0]?.die('by SIGKILL');
  await eventually(() => expect(workers).toHaveLength(3));
  workers[2]?.die('with exit code 1');
  await eventually(() => expect(workers).toHaveLength(4));
  time.nowMs += 9999;
  workers[3]?.die('with exit code 1');
  await eventually(() => expect(workers).toHaveLength(5));
  time.nowMs += 10_000;
  workers[4]?.die('by SIGSEGV');
  await eventually(() => expect(workers).toHaveLength(6));
  expect(waits).toEqual([0, 200, 400, 0]);
  expect(deaths).toEqual(['by SIGKILL', 'with exit code 1', 'with exit code 1', 'by SIGSEGV']);
  ending.abort();
  workers[1]?.die('with exit code 0');
  workers[5]?.die('with exit code 0');
  await supervision.ended;
  expect(workers).toHaveLength(6);
  expect(deaths).toHaveLength(4);
});

test('what keeps the first from listening is told', async () => {
  const { supervision, workers } = scripted(2);
  workers[0]?.listens();
  workers[1]?.refuse(new Error('EADDRINUSE'));
  await expect(supervision.listening).rejects.toThrow('EADDRINUSE');
});

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

test('PUSH-53 it stops in order: no worker is replaced, and those that stay longer are ended', async () => {
  const { front, calls, starts } = world(2);
  await front.listen({ host: '127.0.0.1', port: 3000 });
  await front.close();
  expect(calls.slice(1)).toEqual(['close', 'kill', 'kill']);
  expect(starts).toHaveLength(2);
});

class FakeEnd extends EventEmitter implements ProcessEnd {
  connected = true;
  readonly sent: object[] = [];
  send(message: object, onSent: (error: Error | null) => void): boolean {
    this.sent.push(message);
    onSent(null);
    return true;
  }
}

test('messages of push are told from those about the processes', async () => {
  const end = new FakeEnd();
  const channel = processChannel<number, number>(end, () => undefined);
  const received: number[] = [];
  channel.onMessage((message) => received.push(message));
  end.emit('message', { kind: 'push', message: 1 });
  end.emit('message', { kind: 'listening' });
  end.emit('message', { kind: 'push', message: 2 });
  expect(received).toEqual([1, 2]);
  await channel.send(3);
  expect(end.sent).toEqual([{ kind: 'push', message: 3 }]);
});

test('PUSH-52 the wait doubles with each that dies young, up to the longest', () => {
  expect([0, 1, 2, 3, 6, 7, 8, 1000].map(respawnDelayMs)).toEqual([0, 200, 400, 800, 6400, 10_000, 10_000, 10_000]);
});
