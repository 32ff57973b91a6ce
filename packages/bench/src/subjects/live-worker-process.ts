// A process that holds push connections for the server that has the log.
import process from 'node:process';
import { createWorkerServer, processChannel } from '@ldes-live/server';
import type { FromWorker, ToWorkerProcess } from './worker-processes.ts';

process.once('message', async ({ order }: ToWorkerProcess) => {
  if (!order) return;
  const channel = processChannel(process, () => process.exit());
  const server = await createWorkerServer({ channel, ownerUrl: order.ownerUrl });
  process.on('message', ({ isUsageAsked }: ToWorkerProcess) => {
    const { user, system } = process.cpuUsage();
    if (isUsageAsked) process.send?.({ cpuMicros: user + system } satisfies FromWorker);
  });
  // Workers that ask for any port share one.
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  process.send?.({ port } satisfies FromWorker);
  await server.drained;
  process.disconnect();
});
// Nobody is left to tell.
process.on('disconnect', () => process.exit());
process.send?.({ isReady: true } satisfies FromWorker);
