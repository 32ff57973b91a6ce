import { connect, type Socket } from 'node:net';
import { openAll } from '../load/open-all.ts';

/** Connections that have polled once and stay open. */
export interface KeptAlivePollers {
  close(): void;
}

const OPENING = 50;

/**
 * Opens so many connections, each of which asks once and then keeps quiet.
 *
 * @throws Error - one was not answered
 */
export async function openPollers(port: number, path: string, pollers: number): Promise<KeptAlivePollers> {
  const sockets: Socket[] = [];
  const close = () => {
    for (const socket of sockets) socket.destroy();
  };
  const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept-encoding: identity\r\n\r\n`;
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' });
      sockets.push(socket);
      socket.on('connect', () => socket.write(request));
      socket.on('data', () => resolve());
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('a connection ended before it was answered')));
    });
  try {
    await openAll(
      Array.from({ length: pollers }, () => ({ open })),
      OPENING,
    );
  } catch (error) {
    close();
    throw error;
  }
  return { close };
}
