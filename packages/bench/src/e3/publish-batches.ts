import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { type PublishSchedule, publishOnSchedule } from '../load/publish-on-schedule.ts';
import { makeBatch } from './row.ts';
import type { RowServer } from './row-server.ts';

/** What is published, and when it is given up. */
export interface BatchPlan {
  readonly schedule: PublishSchedule;
  /** Number of the first batch, by which rows are numbered. @defaultValue 0 */
  readonly firstBatch?: number;
  /** Rows of each batch. */
  readonly batch: number;
  readonly seed: number;
  /** How late a batch may be at its server, microseconds: past it the rest is not published. */
  readonly limitLagMicros: number;
  /** How many bytes may wait for a consumer: past it the rest is not published. */
  readonly limitQueueBytes: number;
}

/** What was published. */
export interface PublishedBatches {
  readonly batches: number;
  /** Whether the rest was given up. */
  readonly isGivenUp: boolean;
}

class GivenUp extends Error {}

/** Publishes batches on their schedule, until all are sent or the server or its consumers are too far behind. */
export async function publishBatches(server: RowServer, plan: BatchPlan): Promise<PublishedBatches> {
  const { schedule, firstBatch = 0, batch, seed, limitLagMicros, limitQueueBytes } = plan;
  let batches = 0;
  try {
    await publishOnSchedule(schedule, async (stampMicros, index) => {
      const isBehind = monotonicMicros() - stampMicros > limitLagMicros || server.queuedBytes() > limitQueueBytes;
      if (isBehind) throw new GivenUp();
      await server.send(makeBatch((firstBatch + index) * batch, batch, stampMicros, seed));
      batches += 1;
      // A server that is late would never get to its sockets.
      await nextTurn();
    });
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
  }
  return { batches, isGivenUp: batches < schedule.count };
}
