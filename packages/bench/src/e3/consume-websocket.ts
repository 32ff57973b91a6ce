import { once } from 'node:events';
import { WebSocket } from 'ws';
import { plainRows } from './read-rows.ts';
import type { RowConnection, RowListener, RowTarget } from './row-consumer.ts';

/** Reads rows from a WebSocket: a message is a batch. */
export async function consumeWebSocket({ port, path }: RowTarget, listener: RowListener): Promise<RowConnection> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { perMessageDeflate: false });
  socket.on('message', (message: Buffer) => {
    listener.onBytes(message.length);
    listener.onRows(plainRows(message.toString()));
  });
  await once(socket, 'open');
  return { close: () => socket.terminate() };
}
