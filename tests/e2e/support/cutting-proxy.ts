import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listen } from '@ldes-live/test-support/net';

/** Stands before a server on loopback, hands bytes on as they are, and breaks connections. */
export interface CuttingProxy {
  readonly port: number;
  /** As that of a server of HTTP, ending in `/`. */
  readonly url: string;
  /** Heads of exchanges so far, of which an answer may be empty; requests of one connection come one after the other. */
  readonly exchanges: readonly { readonly request: string; readonly answer: string }[];
  /** How many connections it broke. */
  cuts(): number;
  /** Breaks each connection that is open after so many further bytes of either direction, wherever that is. */
  cutAfter(bytes: number): void;
  close(): Promise<void>;
}

/** The two ends of a connection, and the bytes that may still pass. */
interface Passage {
  readonly sockets: readonly [Socket, Socket];
  leftBytes: number;
}

/**
 * @param target - port or URL of the server behind it
 * @param drawBytes - after how many bytes of either direction the next connection breaks
 */
export async function cuttingProxy(
  target: number | string,
  drawBytes = () => Number.POSITIVE_INFINITY,
): Promise<CuttingProxy> {
  const behind = typeof target === 'number' ? target : Number(new URL(target).port);
  const exchanges: { request: string; answer: string }[] = [];
  const open = new Set<Passage>();
  let cuts = 0;
  const server = createServer((client) => {
    const onward = connect(behind, '127.0.0.1');
    const passage: Passage = { sockets: [client, onward], leftBytes: drawBytes() };
    let exchange = { request: '', answer: '' };
    open.add(passage);
    const pass = (chunk: Buffer, to: Socket) => {
      if (passage.leftBytes <= 0) return;
      const passing = chunk.subarray(0, passage.leftBytes);
      passage.leftBytes -= passing.length;
      const isCut = passage.leftBytes === 0;
      if (isCut) cuts += 1;
      // What passes has to arrive before the end does.
      to.write(passing, () => isCut && close(passage));
    };
    client.on('data', (chunk: Buffer) => {
      if (chunk.subarray(0, 4).equals(GET)) {
        exchange = { request: '', answer: '' };
        exchanges.push(exchange);
      }
      if (exchanges.length > 0) exchange.request = withHead(exchange.request, chunk);
      pass(chunk, onward);
    });
    onward.on('data', (chunk: Buffer) => {
      if (exchanges.length > 0) exchange.answer = withHead(exchange.answer, chunk);
      pass(chunk, client);
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
  const port = await listen(server);
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    exchanges,
    cuts: () => cuts,
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
