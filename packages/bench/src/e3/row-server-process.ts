// The server of rows that is measured: what it is told by its parent, it does.
import { publishBatches } from './publish-batches.ts';
import type { RowServerOrder, RowServerTold } from './row-messages.ts';
import { type RowServer, startRowServer } from './row-server.ts';

let server: RowServer | undefined;

async function follow(order: RowServerOrder): Promise<RowServerTold> {
  switch (order.order) {
    case 'start': {
      const { transport } = order;
      server = await startRowServer(transport);
      return { target: { transport, port: server.port, path: server.path } };
    }
    case 'usage': {
      const { user, system } = process.cpuUsage();
      return { cpuMicros: user + system };
    }
    case 'publish':
      return server ? { published: await publishBatches(server, order.plan) } : {};
    case 'close':
      await server?.close();
      return {};
  }
}

process.on('message', async (order: RowServerOrder) => void process.send?.(await follow(order)));
// Nobody is left to tell.
process.on('disconnect', () => process.exit());
