import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { openConnections, type RowTarget } from './row-consumer.ts';
import { type RowCounts, RowTally } from './row-tally.ts';

/** Connections that read rows, and count them. */
export interface RowLoad {
  /**
   * Resolves to what came, once every connection is past so many rows, or has waited long enough.
   *
   * @param rows - that were published to each connection
   * @param limitMs - how long to wait at most, milliseconds
   */
  finish(rows: number, limitMs: number): Promise<RowCounts>;
  close(): void;
}

const LOOK_MS = 2;

/** Opens the connections of a consumer. */
export async function openRowLoad(target: RowTarget, connections: number): Promise<RowLoad> {
  const tally = new RowTally(connections, monotonicMicros);
  const open = await openConnections(target, connections, (connection) => ({
    onRows: (rows) => tally.take(connection, rows),
    onBytes: (bytes) => tally.receive(bytes),
  }));
  return {
    finish: async (rows, limitMs) => {
      const endMicros = monotonicMicros() + limitMs * 1000;
      while (!tally.isPast(rows) && monotonicMicros() < endMicros) await delay(LOOK_MS);
      return tally.counts(rows);
    },
    close: () => {
      for (const connection of open) connection.close();
    },
  };
}
