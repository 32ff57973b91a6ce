import type { Row } from './row.ts';
import type { Transport } from './transport.ts';

/** Where a consumer gets its rows. */
export interface RowTarget {
  readonly transport: Transport;
  readonly port: number;
  readonly path: string;
}

/** What a connection tells. */
export interface RowListener {
  /** The rows of a batch, parsed. */
  onRows(rows: readonly Row[]): void;
  /** Bytes that came. */
  onBytes(bytes: number): void;
}

/** One connection of a consumer, which is open. */
export interface RowConnection {
  close(): void;
}

/** Opens connections of a consumer, all at once. */
export async function openConnections(
  target: RowTarget,
  count: number,
  listenerOf: (connection: number) => RowListener,
): Promise<readonly RowConnection[]> {
  const open = await opener(target.transport);
  return Promise.all(Array.from({ length: count }, (_, connection) => open(target, listenerOf(connection))));
}

type Open = (target: RowTarget, listener: RowListener) => Promise<RowConnection>;

// Each process loads what it measures, and nothing else.
async function opener(transport: Transport): Promise<Open> {
  if (transport === 'websocket') return (await import('./consume-websocket.ts')).consumeWebSocket;
  if (transport === 'live-client') return (await import('./consume-live-client.ts')).consumeLiveClient;
  return (await import('./consume-events.ts')).consumeEvents;
}
