import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A request for a stream that went through, and its answer. */
interface CutExchange {
  /** Head of the request, as it came. */
  readonly request: string;
  /** Head of the answer; empty while there is none. */
  readonly answer: string;
}

/** Stands before a server on loopback, hands bytes on as they are, and breaks connections when it is told to. */
export interface CuttingProxy {
  /** Ends in `/`. */
  readonly url: string;
  /** The exchanges so far; requests of one connection come one after the other. */
  readonly exchanges: readonly CutExchange[];
  /** Breaks each connection that is open after so many further bytes of its answer, wherever that is. */
  cutAfter(bytes: number): void;
  close(): Promise<void>;
}

/** The two ends of a connection, and the bytes of the answer that may still pass. */
interface Passage {
  readonly sockets: readonly [Socket, Socket];
  leftBytes: number;
}

/** @param target - URL of the server behind it */
export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const exchanges: { request: string; answer: string }[] = [];
  const open = new Set<Passage>();
  const server = createServer((client) => {
    const onward = connect(Number(port), hostname);
    const passage: Passage = { sockets: [client, onward], leftBytes: Number.POSITIVE_INFINITY };
    let exchange = { request: '', answer: '' };
    open.add(passage);
    client.on('data', (chunk: Buffer) => {
      if (chunk.subarray(0, 4).equals(GET)) {
        exchange = { request: '', answer: '' };
        exchanges.push(exchange);
      }
      exchange.request = withHead(exchange.request, chunk);
      onward.write(chunk);
    });
    onward.on('data', (chunk: Buffer) => {
      exchange.answer = withHead(exchange.answer, chunk);
      const passing = chunk.subarray(0, passage.leftBytes);
      passage.leftBytes -= passing.length;
      // What passes has to arrive before the end does.
      client.write(passing, () => passage.leftBytes === 0 && close(passage));
    });
    client.on('end', () => onward.end());
    onward.on('end', () => client.end());
    for (const socket of passage.sockets) {
      socket.setNoDelay(true);
      socket.on('error', () => close(passage));
      socket.on('close', () => close(passage));
    }
  });
  const close = (passage: Passage) => {
    open.delete(passage);
    for (const socket of passage.sockets) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    exchanges,
    cutAfter: (bytes) => {
      for (const passage of open) passage.leftBytes = bytes;
    },
    close: async () => {
      for (const passage of open) close(passage);
      server.close();
      await once(server, 'close');
    },
  };
}

const GET = Buffer.from('GET ');

// Heads are text, and end at the first empty line.
function withHead(head: string, chunk: Buffer): string {
  return head.includes('\r\n\r\n') ? head : head + chunk.toString('latin1');
}
