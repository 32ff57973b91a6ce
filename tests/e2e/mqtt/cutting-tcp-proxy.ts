import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Stands before a broker and breaks each connection after some bytes of either direction. */
export interface CuttingTcpProxy {
  readonly url: string;
  /** How many connections it broke. */
  cuts(): number;
  /** Breaks no more. */
  calm(): void;
}

/**
 * @param port - of the broker on loopback
 * @param drawBytes - after how many bytes the next connection breaks
 */
export async function cuttingTcpProxy(port: number, drawBytes: () => number): Promise<CuttingTcpProxy> {
  const sockets = new Set<Socket>();
  let cuts = 0;
  let isCalm = false;
  const server = createServer((client) => {
    const broker = connect(port, '127.0.0.1');
    let leftBytes = isCalm ? Number.POSITIVE_INFINITY : drawBytes();
    const close = () => {
      client.destroy();
      broker.destroy();
    };
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (chunk: Buffer) => {
        const passing = chunk.subarray(0, leftBytes);
        leftBytes -= passing.length;
        const isCut = passing.length < chunk.length;
        if (isCut) cuts += 1;
        // What passes has to arrive before the end does.
        to.write(passing, () => isCut && close());
      });
      from.on('error', close).on('close', close);
    };
    for (const socket of [client, broker]) sockets.add(socket.setNoDelay(true));
    pass(client, broker);
    pass(broker, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    calm: () => {
      isCalm = true;
    },
  };
}
