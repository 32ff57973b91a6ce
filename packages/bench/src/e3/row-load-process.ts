// The consumer of rows: what it is told by its parent, it does.
import { openRowLoad, type RowLoad } from './row-load.ts';
import type { RowLoadOrder, RowLoadTold } from './row-messages.ts';

let load: RowLoad | undefined;

async function follow(order: RowLoadOrder): Promise<RowLoadTold> {
  switch (order.order) {
    case 'open':
      load = await openRowLoad(order.target, order.connections);
      return {};
    case 'usage': {
      const { user, system } = process.cpuUsage();
      return { cpuMicros: user + system };
    }
    case 'finish': {
      const counts = await load?.finish(order.rows, order.limitMs);
      return counts ? { counts } : {};
    }
    case 'close':
      load?.close();
      return {};
  }
}

process.on('message', async (order: RowLoadOrder) => void process.send?.(await follow(order)));
// Nobody is left to tell.
process.on('disconnect', () => process.exit());
