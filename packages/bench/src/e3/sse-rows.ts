import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RowServer } from './row-server.ts';

/** Server-sent events by Node.js alone: an event is an array of rows as JSON, made once for all connections. */
export async function startSseRows(): Promise<RowServer> {
  const readers = new Set<ServerResponse>();
  const server = createServer((_request, response) => {
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // The pages that read it are of another origin.
      'access-control-allow-origin': '*',
    });
    response.flushHeaders();
    readers.add(response);
    response.on('close', () => readers.delete(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    path: '/rows',
    send: (rows) => {
      const event = Buffer.from(`id: ${rows.at(-1)?.[0]}\ndata: ${JSON.stringify(rows)}\n\n`);
      for (const reader of readers) reader.write(event);
      return undefined;
    },
    queuedBytes: () => Math.max(0, ...[...readers].map(({ writableLength }) => writableLength)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
