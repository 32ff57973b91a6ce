import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type LiveServer, processChannel } from '@ldes-live/server';

/** What a worker is told, each message one of these. */
export interface ToWorkerProcess {
  readonly order?: { readonly ownerUrl: string };
  readonly isUsageAsked?: boolean;
}

/** What a worker tells, each message one of these. */
export interface FromWorker {
  readonly isReady?: boolean;
  readonly port?: number;
  readonly cpuMicros?: number;
}

/** Processes that share a port. */
export interface WorkerProcesses {
  readonly port: number;
  readonly pids: readonly number[];
  /** CPU time of all of them, microseconds. */
  cpuMicros(): Promise<number>;
  /** Resolves when all have ended; the server that has the log tells them to. */
  readonly ended: Promise<unknown>;
}

/**
 * Starts processes that hold the push connections of a server.
 *
 * @param ownerPort - where that server listens
 */
export async function startWorkerProcesses(
  server: LiveServer,
  ownerPort: number,
  count: number,
): Promise<WorkerProcesses> {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('./live-worker-process.js', import.meta.url)),
    args: [],
    serialization: 'advanced',
  });
  let port = 0;
  const workers: Worker[] = [];
  for (let started = 0; started < count; started += 1) {
    const worker = cluster.fork();
    await told(worker, 'isReady');
    const listening = told(worker, 'port');
    tell(worker, { order: { ownerUrl: `http://127.0.0.1:${ownerPort}` } });
    const cut = () => void worker.process.kill('SIGKILL');
    server.attachWorker(processChannel(worker.process, cut), count);
    port = (await listening).port ?? 0;
    workers.push(worker);
  }
  return {
    port,
    pids: workers.map((worker) => worker.process.pid ?? 0),
    cpuMicros: async () => {
      const answers = workers.map((worker) => told(worker, 'cpuMicros'));
      for (const worker of workers) tell(worker, { isUsageAsked: true });
      return (await Promise.all(answers)).reduce((sum, { cpuMicros = 0 }) => sum + cpuMicros, 0);
    },
    ended: Promise.all(workers.map((worker) => once(worker, 'exit'))),
  };
}

function tell(worker: Worker, message: ToWorkerProcess): void {
  worker.send(message);
}

/** The next message that says something of a kind. */
function told(worker: Worker, kind: keyof FromWorker): Promise<FromWorker> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`a worker ended before it told ${kind}`));
    const listen = (message: FromWorker) => {
      if (!(kind in message)) return;
      worker.off('message', listen).off('exit', fail);
      resolve(message);
    };
    worker.on('message', listen).on('exit', fail);
  });
}
