import type { Socket } from 'node:net';

/** Resolves when a connection is closed: by an end or a cut, which the system may tell as an error. */
export function whenClosed(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
