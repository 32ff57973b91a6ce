import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Clients that ask at the same instant, each on a connection that is open already. */
export interface Herd {
  /** Asks for a path, by all of them; the header sections of the answers, and how long the last one took. */
  ask(path: string): Promise<{ readonly heads: readonly string[]; readonly lastMs: number }>;
  close(): void;
}

/** Opens the connections. They write prepared bytes, so that the instant is one although one process holds them. */
export async function openHerd(base: string, size: number): Promise<Herd> {
  const { hostname, port, host } = new URL(base);
  const open = async () => {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    await once(socket, 'connect');
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: size }, open));
  return {
    ask: async (path) => {
      const answers = sockets.map(answerHead);
      const startedMs = Date.now();
      const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      for (const socket of sockets) socket.write(request);
      const heads = await Promise.all(answers);
      return { heads, lastMs: Date.now() - startedMs };
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

// Resolves when the whole answer has come: all documents state their length.
function answerHead(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const done = (settle: () => void) => {
      socket.off('data', onData).off('close', onClose);
      settle();
    };
    const onClose = () => done(() => reject(new Error('the connection was closed')));
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = received.toString('latin1', 0, end);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
      if (received.length >= end + 4 + length) done(() => resolve(head));
    };
    socket.on('data', onData).on('close', onClose);
  });
}
