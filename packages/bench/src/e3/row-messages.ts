import type { BatchPlan, PublishedBatches } from './publish-batches.ts';
import type { RowTarget } from './row-consumer.ts';
import type { RowCounts } from './row-tally.ts';
import type { Transport } from './transport.ts';

/** What the process of the server is told to do: each order is answered before the next one. */
export type RowServerOrder =
  | { readonly order: 'start'; readonly transport: Transport }
  | { readonly order: 'usage' }
  | { readonly order: 'publish'; readonly plan: BatchPlan }
  | { readonly order: 'close' };

/** What it answers: to `start`, `usage` and `publish`. */
export interface RowServerTold {
  readonly target?: RowTarget;
  /** CPU time of the process so far, microseconds. */
  readonly cpuMicros?: number;
  readonly published?: PublishedBatches;
}

/** What the process of the consumer is told to do: each order is answered before the next one. */
export type RowLoadOrder =
  | { readonly order: 'open'; readonly target: RowTarget; readonly connections: number }
  | { readonly order: 'usage' }
  | { readonly order: 'finish'; readonly rows: number; readonly limitMs: number }
  | { readonly order: 'close' };

/** What it answers: to `usage` and `finish`. */
export interface RowLoadTold {
  /** CPU time of the process so far, microseconds. */
  readonly cpuMicros?: number;
  readonly counts?: RowCounts;
}
