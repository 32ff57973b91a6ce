// The process of a server that is measured: it follows the orders of its parent. It loads its own kind and nothing else.
import cluster from 'node:cluster';
import process from 'node:process';
import { answerOrders, planOf } from '../processes.ts';
import { publishOnSchedule } from '../timing.ts';
import type { WorkerOrder, WorkerReport } from './ldes-live.ts';
import type { NodeKind, Server, SubjectOptions, SubjectOrder, SubjectPlan } from './subject.ts';

const STARTS: { readonly [Kind in NodeKind]: (options: SubjectOptions[Kind]) => Promise<Server> } = {
  'ldes-live': async (options) => (await import('./ldes-live.ts')).startLive(options),
  posts: async (options) => (await import('./ldes-live.ts')).startPosts(options),
  express: async (options) => (await import('./node-servers.ts')).startExpress(options),
  'fastify-sse': async (options) => (await import('./node-servers.ts')).startFastifySse(options),
  'node-loop': async (options) => (await import('./node-servers.ts')).startNodeLoop(options),
};

async function serve(): Promise<void> {
  const { kind, options } = planOf<SubjectPlan>();
  const server = await STARTS[kind](options as never);
  const { head, expect: _, publish, answer: __, close, ...started } = server;
  answerOrders<SubjectOrder>(started, async (order) => {
    switch (order.order) {
      case 'usage': {
        const { user, system } = process.cpuUsage();
        return user + system;
      }
      case 'publish':
        server.expect?.(order.schedule.startMicros);
        // What is published while the server closes may find the log closed.
        await publishOnSchedule(order.schedule, publish).catch(() => undefined);
        return { head: head?.() };
      case 'close':
        return void (await close());
      default:
        return server.answer?.(order);
    }
  });
}

/** Holds push connections for the server that has the log. */
async function serveAsWorker(): Promise<void> {
  const { createWorkerServer, processChannel } = await import('@ldes-live/server');
  const report = (message: WorkerReport) => void process.send?.(message);
  process.once('message', async ({ ownerUrl }: WorkerOrder) => {
    if (ownerUrl === undefined) return;
    const channel = processChannel(process, () => process.exit());
    const server = await createWorkerServer({ channel, ownerUrl });
    // Workers that ask for any port share one.
    report({ port: await server.listen({ host: '127.0.0.1', port: 0 }) });
    await server.drained;
    process.disconnect();
  });
  // Nobody is left to serve for.
  process.on('disconnect', () => process.exit());
  report({ isReady: true });
}

if (cluster.isWorker) await serveAsWorker();
else await serve();
