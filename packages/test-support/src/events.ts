/* Readers of a push endpoint: by fetch, as programs read it, and at the level of bytes, which can stop to read. */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import {
  type Commit,
  eventText,
  formatCursor,
  MemberWriter,
  SseParser,
  type StreamDescription,
} from '@ldes-live/rdf-stream';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';

/** What a reader of a push endpoint has received so far. */
export interface EventReader {
  readonly response: Response;
  readonly events: { event: string; id: string; data: string }[];
  readonly comments: string[];
  readonly retries: number[];
  readonly state: { ended: boolean; text: string };
  /** Resolves when nothing more comes. */
  readonly ended: Promise<void>;
  /** Waits for so many events. */
  count(events: number): Promise<void>;
  close(): void;
}

/** Reads a push endpoint until it is closed, from the time on when it may. */
export async function readEvents(
  url: string,
  headers: Record<string, string> = {},
  mayRead: Promise<void> = Promise.resolve(),
): Promise<EventReader> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const reader: Omit<EventReader, 'ended' | 'count' | 'close'> = {
    response,
    events: [],
    comments: [],
    retries: [],
    state: { ended: false, text: '' },
  };
  const parser = new SseParser({
    onEvent: (event) => reader.events.push(event),
    onComment: (text) => reader.comments.push(text),
    onRetry: (retryMs) => reader.retries.push(retryMs),
  });
  const decoder = new TextDecoder();
  const read = async () => {
    await mayRead;
    for await (const chunk of response.body ?? []) {
      reader.state.text += decoder.decode(chunk, { stream: true });
      parser.push(chunk);
    }
  };
  const ended = read()
    .catch(() => {})
    .finally(() => {
      reader.state.ended = true;
    });
  return {
    ...reader,
    ended,
    count: (events) => eventually(() => expect(reader.events.length).toBeGreaterThanOrEqual(events)),
    close: () => abort.abort(),
  };
}

/** A reader of a push endpoint at the level of its bytes. */
interface RawReader {
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
  // A connection that is cut reports an error before it closes.
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
  });
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

/** The event of a whole commit, as a server pushes it. */
export function commitEvent(
  { members, cursor }: Commit,
  description: StreamDescription,
  prefixes: Readonly<Record<string, string>>,
): Uint8Array {
  const joined = new MemberWriter(description, prefixes).joined(members);
  return new TextEncoder().encode(eventText(joined, formatCursor(cursor)));
}
