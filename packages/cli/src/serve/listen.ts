import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { LiveServer } from '@ldes-live/server';
import { errors } from '../errors.ts';

/**
 * Begins to listen.
 *
 * @returns the port
 * @throws {@link StreamError} `ERR_PORT_BUSY` - another program has the port
 * @throws {@link StreamError} `ERR_LISTEN` - the address cannot be had for another reason
 */
export async function listen(server: Pick<LiveServer, 'listen'>, host: string, port: number): Promise<number> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    throw refused(error, host, port);
  }
}

/**
 * A port of an interface that is free now.
 *
 * @throws {@link StreamError} `ERR_LISTEN` - there is no such interface
 */
export async function freePort(host: string): Promise<number> {
  const server = createServer();
  try {
    server.listen(0, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    throw refused(error, host, 0);
  } finally {
    server.close();
  }
}

/** An address as URLs write it. */
export function formatAddress(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function refused(error: unknown, host: string, port: number) {
  const reason = (error as NodeJS.ErrnoException).code ?? String(error);
  return reason === 'EADDRINUSE'
    ? errors.ERR_PORT_BUSY({ host, port }, error)
    : errors.ERR_LISTEN({ host, port, reason }, error);
}
