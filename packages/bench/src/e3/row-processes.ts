import { type Child, startChild } from '../child.ts';
import { LOAD, SERVER_CORE } from '../setting.ts';
import type { BatchPlan, PublishedBatches } from './publish-batches.ts';
import type { RowTarget } from './row-consumer.ts';
import type { RowLoadOrder, RowLoadTold, RowServerOrder, RowServerTold } from './row-messages.ts';
import type { RowCounts } from './row-tally.ts';
import type { Transport } from './transport.ts';

/** The process that sends rows, as whoever measures sees it: one server after the other. */
export interface RowServerProcess {
  start(transport: Transport): Promise<RowTarget>;
  /** CPU time so far, microseconds. */
  cpuMicros(): Promise<number>;
  publish(plan: BatchPlan): Promise<PublishedBatches>;
  close(): Promise<void>;
  end(): Promise<void>;
}

/** The process that reads rows, as whoever measures sees it: one group of connections after the other. */
export interface RowLoadProcess {
  open(target: RowTarget, connections: number): Promise<void>;
  /** CPU time so far, microseconds. */
  cpuMicros(): Promise<number>;
  finish(rows: number, limitMs: number): Promise<RowCounts>;
  close(): Promise<void>;
  end(): Promise<void>;
}

/** Starts the process that sends rows, on the core of servers. */
export function startRowServerProcess(): RowServerProcess {
  const child = startChild<RowServerTold>(new URL('./row-server-process.js', import.meta.url), [], SERVER_CORE);
  const ask = asker<RowServerOrder, RowServerTold>(child);
  return {
    start: async (transport) => given((await ask({ order: 'start', transport })).target),
    cpuMicros: async () => given((await ask({ order: 'usage' })).cpuMicros),
    publish: async (plan) => given((await ask({ order: 'publish', plan })).published),
    close: async () => void (await ask({ order: 'close' })),
    end: () => end(child),
  };
}

/** Starts the process that reads rows, on the core of loads. */
export function startRowLoadProcess(): RowLoadProcess {
  const child = startChild<RowLoadTold>(new URL('./row-load-process.js', import.meta.url), [], LOAD.core);
  const ask = asker<RowLoadOrder, RowLoadTold>(child);
  return {
    open: async (target, connections) => void (await ask({ order: 'open', target, connections })),
    cpuMicros: async () => given((await ask({ order: 'usage' })).cpuMicros),
    finish: async (rows, limitMs) => given((await ask({ order: 'finish', rows, limitMs })).counts),
    close: async () => void (await ask({ order: 'close' })),
    end: () => end(child),
  };
}

function asker<Order extends object, Told>(child: Child<Told>): (order: Order) => Promise<Told> {
  return (order) => {
    child.send(order);
    return child.next();
  };
}

async function end(child: Child<unknown>): Promise<void> {
  child.disconnect();
  await child.ended;
}

function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a process answered another order than it was given');
  return value;
}
