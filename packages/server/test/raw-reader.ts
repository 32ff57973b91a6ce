import { once } from 'node:events';
import { createConnection } from 'node:net';
import { SseParser } from '@ldes-live/codec';
import { whenClosed } from './when-closed.ts';

/** A reader of a push endpoint at the level of its bytes: it can stop to read. */
export interface RawReader {
  /** Stops to read, or goes on. */
  pause(): void;
  resume(): void;
  /** The content received so far. */
  content(): string;
  /** The ids of the events in it. */
  ids(): string[];
  /** Resolves when the server has ended or cut the connection. */
  readonly closed: Promise<void>;
  close(): void;
}

/** Opens a push endpoint, and resolves when something of its content is there. */
export async function readRaw(port: number, path: string): Promise<RawReader> {
  const socket = createConnection(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  const closed = whenClosed(socket);
  // Version 1.0, in which the content is not divided into chunks.
  socket.write(`GET ${path} HTTP/1.0\r\nhost: localhost\r\n\r\n`);
  const content = () => {
    const text = Buffer.concat(chunks).toString();
    return text.includes('\r\n\r\n') ? text.slice(text.indexOf('\r\n\r\n') + 4) : '';
  };
  while (content() === '') await once(socket, 'data');
  return {
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    content,
    ids: () => {
      const ids: string[] = [];
      new SseParser({ onEvent: ({ id }) => ids.push(id) }).push(Buffer.from(content()));
      return ids;
    },
    closed,
    close: () => socket.destroy(),
  };
}
