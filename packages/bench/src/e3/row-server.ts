import type { Row } from './row.ts';
import type { Transport } from './transport.ts';

/** A server that sends each batch of rows to all its connections. */
export interface RowServer {
  readonly port: number;
  /** Path that consumers ask for. */
  readonly path: string;
  /** Sends a batch. */
  send(rows: readonly Row[]): Promise<unknown> | undefined;
  /** Bytes that wait in this process for the slowest of its consumers. */
  queuedBytes(): number;
  close(): Promise<void>;
}

/** Starts the server of a transport on any port of loopback. */
export async function startRowServer(transport: Transport): Promise<RowServer> {
  // Each process loads what it measures, and nothing else.
  if (transport === 'websocket') return (await import('./websocket-rows.ts')).startWebSocketRows();
  if (transport === 'sse') return (await import('./sse-rows.ts')).startSseRows();
  const { startLiveRows } = await import('./live-rows.ts');
  return startLiveRows(transport === 'live-client' ? 'stream' : 'events');
}
