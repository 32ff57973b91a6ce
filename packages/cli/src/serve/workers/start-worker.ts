import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LiveServer } from '@ldes-live/server';
import { processChannel } from './process-channel.ts';
import type { MessageToOwner, MessageToWorker, WorkerOrder } from './process-messages.ts';
import type { SupervisedWorker } from './supervise.ts';

/** The program of a worker; as far from here in the sources as where they are compiled to. */
const PROGRAM = fileURLToPath(new URL('../../../bin/ldes-live-worker.js', import.meta.url));

/** What {@link startWorker} takes. */
export interface WorkerStart {
  readonly server: Pick<LiveServer, 'attachWorker'>;
  /** How many workers there are to be in all. */
  readonly count: number;
  readonly order: Omit<WorkerOrder, 'name'>;
}

/** A worker that runs. */
export interface RunningWorker extends SupervisedWorker {
  /** Ends it at once. */
  readonly kill: () => void;
}

/** Starts a process that shares a port with others of its kind, and holds push connections for a server. */
export function startWorker({ server, count, order }: WorkerStart): RunningWorker {
  cluster.setupPrimary({ exec: PROGRAM, args: [], serialization: 'advanced' });
  const worker = cluster.fork();
  const kill = () => {
    worker.process.kill('SIGKILL');
  };
  // What cannot be sent is told by its end.
  worker.on('error', () => undefined);
  const ended = once(worker, 'exit').then(([code, signal]) => (signal ? `by ${signal}` : `with exit code ${code}`));
  const listening = new Promise<void>((resolve, reject) => {
    worker.on('message', (message: MessageToOwner) => {
      if (message.kind === 'ready') {
        // In this order: from then on it listens to what the server says.
        tell(worker, { kind: 'serve', order: { ...order, name: `worker-${worker.id}` } });
        server.attachWorker(processChannel(worker.process, kill), count);
      } else if (message.kind === 'listening') resolve();
      else if (message.kind === 'refused') reject(refusal(message.reason));
    });
    void ended.then((how) => reject(refusal(`a worker ended ${how}`)));
  });
  return { listening, ended, kill };
}

function tell(worker: Worker, message: MessageToWorker): void {
  worker.send(message, () => undefined);
}

/** As the system would tell it. */
function refusal(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}
