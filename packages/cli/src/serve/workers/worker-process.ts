import cluster from 'node:cluster';
import { createWorkerServer } from '@ldes-live/server';
import type { CliProcess } from '../../cli-process.ts';
import { watchProcess } from '../process-watch.ts';
import { processChannel } from './process-channel.ts';
import type { MessageToOwner, MessageToWorker, WorkerOrder } from './process-messages.ts';

/** The parts of Node's `process` that a worker uses. */
export interface WorkerProcess extends Pick<CliProcess, 'stderr' | 'memoryUsage' | 'cpuUsage'> {
  readonly connected: boolean;
  send?(message: object, onSent: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: object) => void): unknown;
  on(event: 'disconnect' | 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  disconnect(): void;
}

/**
 * Runs a worker of `serve --workers`: a process that holds push connections. The process that started it says what to
 * serve and when to stop; it ends with that process.
 */
export function runWorker(process: WorkerProcess): void {
  // What is meant for the whole group, such as Ctrl-C, the owner takes, and then has the workers stop in order.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  // What cannot be sent to the owner any more is told by the end of it, which ends this process.
  cluster.worker?.on('error', () => undefined);
  const channel = processChannel<never, never>(process, () => process.disconnect());
  const tell = (message: MessageToOwner) =>
    new Promise<void>((resolve) => {
      if (process.connected && process.send) process.send(message, () => resolve());
      else resolve();
    });
  process.on('message', (received) => {
    const message = received as MessageToWorker;
    if (message.kind !== 'serve') return;
    serveUntilDrained(process, message.order, channel, () => tell({ kind: 'listening' })).then(
      () => process.connected && process.disconnect(),
      async (error: NodeJS.ErrnoException) => {
        await tell({ kind: 'refused', reason: error.code ?? String(error) });
        if (process.connected) process.disconnect();
      },
    );
  });
  void tell({ kind: 'ready' });
}

async function serveUntilDrained(
  process: WorkerProcess,
  { ownerUrl, host, port, name }: WorkerOrder,
  channel: Parameters<typeof createWorkerServer>[0]['channel'],
  onListening: () => Promise<void>,
): Promise<void> {
  const { memoryUsage, cpuUsage } = process;
  const watch = watchProcess(name, {
    memoryUsage: () => memoryUsage.call(process),
    cpuUsage: () => cpuUsage.call(process),
    clock: Date.now,
  });
  try {
    const server = await createWorkerServer({
      channel,
      ownerUrl,
      processFacts: watch.facts,
      logger: { level: 'warn', name, stream: process.stderr },
    });
    await server.listen({ host, port });
    await onListening();
    await server.drained;
  } finally {
    watch.close();
  }
}
