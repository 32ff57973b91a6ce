import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** What connections have received and sent, header fields and framing included. */
export interface WireBytes {
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

/** Counts what the connections that this process opens from now on receive and send; returns how to ask. */
export function watchWireBytes(): () => WireBytes {
  const open = new Set<Socket>();
  let closed: WireBytes = { receivedBytes: 0, sentBytes: 0 };
  subscribe('net.client.socket', (message) => {
    const { socket } = message as { readonly socket: Socket };
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      closed = plus(closed, socket);
    });
  });
  return () => [...open].reduce(plus, closed);
}

function plus({ receivedBytes, sentBytes }: WireBytes, { bytesRead, bytesWritten }: Socket): WireBytes {
  return { receivedBytes: receivedBytes + bytesRead, sentBytes: sentBytes + bytesWritten };
}
