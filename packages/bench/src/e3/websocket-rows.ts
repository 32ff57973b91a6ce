import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { RowServer } from './row-server.ts';

/** A WebSocket server without compression: a message is an array of rows as JSON, made once for all connections. */
export async function startWebSocketRows(): Promise<RowServer> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    path: '/rows',
    send: (rows) => {
      const message = Buffer.from(JSON.stringify(rows));
      for (const client of server.clients) client.send(message, { binary: false });
      return undefined;
    },
    queuedBytes: () => Math.max(0, ...[...server.clients].map(({ bufferedAmount }) => bufferedAmount)),
    close: async () => {
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
