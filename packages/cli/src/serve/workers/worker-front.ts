import type { LiveServer } from '@ldes-live/server';
import type { Sleep } from '@ldes-live/sources';
import { freePort } from '../listen.ts';
import { type RunningWorker, startWorker, type WorkerStart } from './start-worker.ts';
import { type Supervision, supervise } from './supervise.ts';

/** What {@link workerFront} takes. */
export interface WorkerFrontParts {
  /** The server with the logs. */
  readonly server: LiveServer;
  /** How many workers: 1 or more. */
  readonly count: number;
  /** A worker ended unasked. */
  readonly onDeath: (how: string) => void;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly sleep: Sleep;
  /** Starts a worker. @defaultValue a process */
  readonly start?: (start: WorkerStart) => RunningWorker;
}

/** On which interface the server with the logs answers its workers: of this machine only. */
const OWNER_HOST = '127.0.0.1';

/**
 * Serves by several processes: workers, which share the port and hold the push connections, and the server with the logs,
 * which is not seen from outside and which no crowd of readers can take along.
 *
 * @see specs/push.md PUSH-46, PUSH-52, PUSH-53
 */
export function workerFront(parts: WorkerFrontParts): Pick<LiveServer, 'listen' | 'close'> {
  const { server, count, onDeath, clock, sleep, start = startWorker } = parts;
  const ending = new AbortController();
  const running = new Set<RunningWorker>();
  let supervision: Supervision | undefined;
  return {
    listen: async ({ host, port: asked }) => {
      const ownerUrl = `http://${OWNER_HOST}:${await server.listen({ host: OWNER_HOST, port: 0 })}`;
      // A worker that takes the place of another has to be told which one it was.
      const port = asked === 0 ? await freePort(host) : asked;
      const startOne = () => {
        const worker = start({ server, count, order: { ownerUrl, host, port } });
        running.add(worker);
        void worker.ended.then(() => running.delete(worker));
        return worker;
      };
      supervision = supervise({ count, start: startOne, onDeath, signal: ending.signal, clock, sleep });
      await supervision.listening;
      return port;
    },
    close: async () => {
      ending.abort();
      // Has the workers send their readers away.
      await server.close();
      for (const worker of running) worker.kill();
      await supervision?.ended;
    },
  };
}
