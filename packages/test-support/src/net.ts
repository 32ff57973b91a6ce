import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

/** Linux gives out those from 32768 on itself. */
const FIRST_PORT = 12_000;
const LAST_PORT = 32_000;

/** Listens on loopback at a port that the system chooses, and returns the port. */
export async function listen(server: Server | HttpServer, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Resolves when a connection is closed: by an end or a cut, which the system may tell as an error. */
export function whenClosed(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** A server on loopback that answers as a function says, until it is closed. */
export async function httpServer(answer: RequestListener): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(answer);
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * A port on loopback that is free, for what has to know its port before it listens.
 *
 * It is one of many that the system gives nobody, so that no other test takes it before it is listened on.
 */
export async function reservedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createTcpServer();
  probe.listen(port, '127.0.0.1');
  const isListening = await once(probe, 'listening').then(
    () => true,
    () => false,
  );
  if (isListening) await new Promise((resolve) => probe.close(resolve));
  return isListening;
}
