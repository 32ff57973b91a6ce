/* One server as several processes: workers share its port and hold the push connections, and the process that has the logs
 * is not seen from outside, so that no crowd of readers takes it along. node:cluster shares the port and carries messages.
 *   serveByWorkers({ server, count: 2, program }).listen({ host: '0.0.0.0', port: 3000 })
 *     -> the server listens at 127.0.0.1:40123
 *     -> 2 times: program http://127.0.0.1:40123 0.0.0.0 3000      which calls runWorker()
 * One that ends unasked is replaced: at once after a long life, else after a wait, so that there is no loop without one. */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { ProcessChannel } from '@ldes-live/log';
import { checkTls } from '../listener.ts';
import type { Logger } from '../logging.ts';
import type { TlsCredentials } from '../options.ts';
import type { ToWorker } from '../owner.ts';
import type { LiveServer } from '../server.ts';
import { createWorkerServer, type WorkerServerOptions } from './worker.ts';

/** A server that serves by itself, and can give what it has to workers. */
export interface ClusterServer {
  listen(address: { readonly host: string; readonly port: number; readonly isInternal?: boolean }): Promise<number>;
  attachWorker(channel: ProcessChannel, workers: number): void;
  close(): Promise<void>;
}

/** What {@link serveByWorkers} takes. */
export interface ClusterOptions {
  /** The server with the logs. */
  readonly server: ClusterServer;
  /** How many workers: 1 or more. */
  readonly count: number;
  /** Has the workers listen by HTTPS; the server with the logs, which only they reach, listens by HTTP. @defaultValue HTTP */
  readonly tls?: TlsCredentials | undefined;
  /** Path of the program of a worker, which calls {@link runWorker}. */
  readonly program: string;
  readonly logger: Pick<Logger, 'error' | 'info'>;
  /** Milliseconds. */
  readonly clock: () => number;
  /** Resolves after so many milliseconds, or rejects once the signal is aborted. */
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<unknown>;
  /** Starts a worker. @defaultValue a process */
  readonly start?: (program: string, args: readonly string[]) => StartedWorker;
}

/** A worker that runs. */
interface StartedWorker {
  readonly name: string;
  readonly channel: ProcessChannel;
  /** Resolves once it hears what comes on its channel; not at all where it ends before. */
  readonly ready: Promise<unknown>;
  /** Resolves once it listens; rejects with what kept it from it. */
  readonly listening: Promise<unknown>;
  /** Resolves when it has ended, to the words that say how. */
  readonly ended: Promise<string>;
}

/** Where the server with the logs answers its workers: on this machine only. */
const INTERNAL = { host: '127.0.0.1', port: 0, isInternal: true } as const;

/** A worker that lived this long did not die of how it was started, milliseconds. */
const LONG_LIFE_MS = 10_000;

/** The wait after the first worker that died young, and the longest one, milliseconds. */
const FIRST_WAIT_MS = 200;
const MAX_WAIT_MS = 10_000;

/**
 * Serves by several processes.
 */
export function serveByWorkers(
  options: ClusterOptions,
): Pick<ClusterServer, 'listen' | 'close'> & Pick<LiveServer, 'setTls'> {
  let { tls } = options;
  const { server, count, program, logger, clock, sleep, start = startWorker } = options;
  const ending = new AbortController();
  const running = new Set<StartedWorker>();
  let kept: readonly Promise<void>[] = [];

  const startOne = (args: readonly string[]) => {
    const worker = start(program, args);
    void worker.ready.then(() => {
      // First: by it the worker listens.
      if (tls) tellTls(worker, tls);
      server.attachWorker(worker.channel, count);
    });
    running.add(worker);
    void worker.ended.then(() => running.delete(worker));
    worker.listening.then(
      () => logger.info({ worker: worker.name }, 'worker started'),
      // It ends then, and whoever waits for the first ones is told.
      () => {},
    );
    return worker;
  };
  const keepOne = async (first: StartedWorker, args: readonly string[]) => {
    let worker = first;
    for (let youngDeaths = 0; ; ) {
      const startedMs = clock();
      const { name, ended } = worker;
      const how = await ended;
      if (ending.signal.aborted) {
        logger.info({ worker: name }, 'worker ended');
        return;
      }
      logger.error({ worker: name, how }, 'worker lost');
      youngDeaths = clock() - startedMs >= LONG_LIFE_MS ? 0 : youngDeaths + 1;
      // A wait that is broken off is told by the signal.
      await sleep(waitMs(youngDeaths), ending.signal).catch(() => undefined);
      if (ending.signal.aborted) return;
      worker = startOne(args);
    }
  };
  return {
    listen: async ({ host, port: asked }) => {
      const ownerUrl = `http://${INTERNAL.host}:${await server.listen(INTERNAL)}`;
      // One that takes the place of another has to be told which one it was.
      const port = asked === 0 ? await freePort(host) : asked;
      const args = [ownerUrl, host, String(port)];
      const first = Array.from({ length: count }, () => startOne(args));
      await Promise.all(first.map(({ listening }) => listening));
      kept = first.map((worker) => keepOne(worker, args));
      logger.info({ host, port }, 'listening');
      return port;
    },
    setTls: (changed) => {
      checkTls(changed);
      tls = changed;
      for (const worker of running) tellTls(worker, changed);
    },
    close: async () => {
      ending.abort();
      // Has the workers send their readers away.
      await server.close();
      for (const { channel } of running) channel.cut();
      await Promise.all([...kept, ...[...running].map(({ ended }) => ended)]);
    },
  };
}

function tellTls({ channel }: StartedWorker, tls: TlsCredentials): void {
  void channel.send({ kind: 'worker-tls', tls } satisfies ToWorker);
}

/** How long to wait before a worker that died is replaced: not at all after a long life, else twice as long each time. */
function waitMs(youngDeaths: number): number {
  if (youngDeaths === 0) return 0;
  // Past this exponent it is the longest anyway.
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(youngDeaths - 1, 16), MAX_WAIT_MS);
}

async function freePort(host: string): Promise<number> {
  const probe = createServer();
  try {
    await once(probe.listen(0, host), 'listening');
    return (probe.address() as AddressInfo).port;
  } finally {
    probe.close();
  }
}

/** What a worker says of its process, beside what it says of what it serves. */
type ProcessMessage =
  // What came before would be lost.
  | { readonly kind: 'worker-ready' }
  // It cannot listen: as the system has it.
  | { readonly kind: 'worker-refused'; readonly code: string };

function startWorker(program: string, args: readonly string[]): StartedWorker {
  cluster.setupPrimary({ exec: program, args: [...args], serialization: 'advanced' });
  const worker = cluster.fork();
  // What cannot be sent is told by its end.
  worker.on('error', () => undefined);
  const ended = once(worker, 'exit').then(([code, signal]) => (signal ? `by ${signal}` : `with exit code ${code}`));
  const says = <Kind extends ProcessMessage['kind']>(kind: Kind) =>
    new Promise<ProcessMessage & { kind: Kind }>((resolve) => {
      worker.on('message', (message) => {
        if (message.kind === kind) resolve(message);
      });
    });
  const refused = Promise.race([says('worker-refused'), ended.then((how) => ({ code: `a worker ended ${how}` }))]);
  const refusal = refused.then(({ code }) => Promise.reject(Object.assign(new Error(code), { code })));
  const listening = Promise.race([once(worker, 'listening'), refusal]);
  const channel = processChannel(worker.process as ProcessEnd, () => void worker.process.kill('SIGKILL'));
  return { name: `worker-${worker.id}`, channel, ready: says('worker-ready'), listening, ended };
}

/** One end of the way between two processes, as Node.js has it. */
export interface ProcessEnd {
  readonly connected?: boolean;
  send?(message: object, onSent: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: object) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/**
 * The way to another process that Node.js has made with `serialization: 'advanced'`.
 *
 * @param cut - ends that process
 */
export function processChannel(end: ProcessEnd, cut: () => void): ProcessChannel {
  return {
    send: (message) =>
      new Promise((resolve) => {
        // What cannot be sent is told by the end of the channel.
        if (end.connected && end.send) end.send(message, () => resolve());
        else resolve();
      }),
    onMessage: (listener) => void end.on('message', listener),
    onClose: (listener) => void end.on('disconnect', listener),
    cut,
  };
}

/** The parts of Node's `process` that {@link runWorker} uses. */
export type WorkerProcess = ProcessEnd & {
  readonly argv: readonly string[];
  on(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown;
  disconnect(): void;
};

/**
 * Runs a worker, in the program of {@link ClusterOptions}: the process that started it says what to serve and when to
 * stop, and it ends with that process.
 *
 * @param options - what a worker has of its own, by its name
 */
export async function runWorker(
  process: WorkerProcess,
  options: (name: string) => Omit<WorkerServerOptions, 'name' | 'channel' | 'ownerUrl'>,
): Promise<void> {
  // What is meant for the whole group, such as Ctrl-C, the owner takes, and then has the workers stop in order.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  // What cannot be sent to the owner any more is told by the end of it, which ends this process.
  cluster.worker?.on('error', () => undefined);
  const [ownerUrl = '', host = '', port] = process.argv.slice(2);
  const channel = processChannel(process, () => process.disconnect());
  try {
    const name = `worker-${cluster.worker?.id}`;
    const making = createWorkerServer({ ...options(name), name, channel, ownerUrl });
    void channel.send({ kind: 'worker-ready' } satisfies ProcessMessage);
    const server = await making;
    await server.listen({ host, port: Number(port) });
    await server.drained;
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    await channel.send({ kind: 'worker-refused', code } satisfies ProcessMessage);
  }
  if (process.connected) process.disconnect();
}
