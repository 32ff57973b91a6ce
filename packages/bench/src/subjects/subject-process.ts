// The process of a server that is measured: it follows the orders of its parent. It loads its own kind and nothing else.
import cluster from 'node:cluster';
import process from 'node:process';
import { answerOrders, planOf } from '../processes.ts';
import { publishOnSchedule } from '../timing.ts';
import type { LiveOptions, PostsOptions } from './ldes-live.ts';
import type { EventOptions, Server, SubjectOrder, SubjectPlan } from './subject.ts';

const STARTS = {
  'ldes-live': async (options: LiveOptions): Promise<Server> => (await import('./ldes-live.ts')).startLive(options),
  /** ldes-live with a stream of requests and one of replies, both of which take posts. */
  posts: async (options: PostsOptions): Promise<Server> => (await import('./ldes-live.ts')).startPosts(options),
  Express: async (options: EventOptions): Promise<Server> => (await import('./node-servers.ts')).startExpress(options),
  '@fastify/sse': async (options: EventOptions): Promise<Server> =>
    (await import('./node-servers.ts')).startFastifySse(options),
  'Node loop': async (options: EventOptions): Promise<Server> =>
    (await import('./node-servers.ts')).startNodeLoop(options),
};

/** What each kind is started with that is a module of this folder. */
export type NodeKinds = { readonly [Kind in keyof typeof STARTS]: Parameters<(typeof STARTS)[Kind]>[0] };

async function serve(): Promise<void> {
  const { kind, options } = planOf<SubjectPlan>();
  const server = await STARTS[kind](options as never);
  // Of a message, functions are not a part.
  answerOrders<SubjectOrder>(server, async (order) => {
    if (order.order === 'publish') {
      server.expect?.(order.schedule.startMicros);
      // What is published while the server closes may find the log closed.
      await publishOnSchedule(order.schedule, server.publish).catch(() => undefined);
      return { head: server.head?.() };
    }
    if (order.order === 'close') return void (await server.close());
    const { user, system } = process.cpuUsage();
    return user + system;
  });
}

/** Holds push connections for the server that has the log. */
async function serveAsWorker(): Promise<void> {
  const { createWorkerServer, processChannel } = await import('@ldes-live/server');
  const channel = processChannel(process, () => process.exit());
  process.send?.('listens');
  const server = await createWorkerServer({ channel, ownerUrl: process.env.OWNER_URL as string });
  // Nobody is left to serve for.
  process.on('disconnect', () => process.exit());
  // Workers that ask for any port share one.
  await server.listen({ host: '127.0.0.1', port: 0 });
  await server.drained;
  process.disconnect();
}

if (cluster.isWorker) await serveAsWorker();
else await serve();
