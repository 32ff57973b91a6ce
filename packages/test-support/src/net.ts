import { once } from 'node:events';
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';

/** Ports of each worker's own range; Linux gives out those above 32768 itself. */
const FIRST_PORT = 12_000;
const PORTS_OF_A_WORKER = 500;
let given = 0;

/** Listens on loopback at a port that the system chooses, and returns the port. */
export async function listen(server: Server | HttpServer, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
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
 * Each worker of the tests has a range of its own that the system gives nobody, so that no other test takes the port
 * before it is listened on.
 */
export async function reservedPort(): Promise<number> {
  const worker = (Number(process.env.VITEST_POOL_ID ?? 0) * 7 + process.pid) % 40;
  for (let attempt = 0; attempt < PORTS_OF_A_WORKER; attempt += 1) {
    const port = FIRST_PORT + worker * PORTS_OF_A_WORKER + (given % PORTS_OF_A_WORKER);
    given += 1;
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${FIRST_PORT + worker * PORTS_OF_A_WORKER} on is free.`);
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
