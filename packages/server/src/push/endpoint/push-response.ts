import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { type Cursor, EVENT_STREAM_MEDIA_TYPE, formatCursor, formatSseRetry, httpFields } from '@ldes-live/rdf-stream';
import { CORS_HEADERS } from '../../http/caching.ts';
import type { PushEncoding } from '../wire/wire.ts';

/** A request and its response as Node.js has them, of HTTP/1 or HTTP/2. */
export interface PushRaw {
  readonly request: IncomingMessage | Http2ServerRequest;
  readonly response: ServerResponse | Http2ServerResponse;
}

/** What the header of a push stream says. */
export interface PushHead {
  /** After which it goes on. */
  readonly cursor: Cursor;
  readonly link: string;
  readonly encoding: PushEncoding;
}

/** A response whose body is written past Node.js: it would keep the header as long as the stream, and frame each write. */
export interface PushLine {
  readonly line: Writable;
  readonly isChunked: boolean;
  /** What is still to be written before the body; empty where the header has gone already. */
  readonly header: Buffer;
}

/**
 * Takes the line of a response over for a push stream.
 *
 * @param raw - of HTTP/1 only once the response has its socket
 * @see specs/push.md PUSH-1
 */
export function takeLine({ request, response }: PushRaw, head: PushHead): PushLine {
  const fields = fieldsOf(head);
  if ('stream' in response) {
    response.writeHead(200, fields);
    return { line: response.stream, isChunked: false, header: Buffer.alloc(0) };
  }
  const isChunked = request.httpVersion !== '1.0';
  // It ends with the connection.
  const all = { ...fields, ...(isChunked && { 'transfer-encoding': 'chunked' }), connection: 'close' };
  const lines = Object.entries({ ...all, date: new Date().toUTCString() }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const socket = response.socket as Socket;
  // What comes after the request has no answer any more: it is not to be kept, nor complained of amid the events.
  const parsing = socket.listeners('data') as (() => void)[];
  // First the one, then the others: without any in between it would take more memory from then on.
  socket.on('data', drop);
  for (const listener of parsing) socket.removeListener('data', listener);
  return {
    line: socket,
    isChunked,
    header: Buffer.from(`HTTP/1.1 200 OK\r\n${lines.join('')}\r\n`, 'latin1'),
  };
}

/** Answers a HEAD request. */
export function headOnly({ response }: PushRaw, head: PushHead): void {
  (response as ServerResponse).writeHead(200, fieldsOf(head)).end();
}

/** Answers with a stream that ends at once, and says when to come back: a browser takes any error for final. */
export function turnAway({ response }: PushRaw, head: PushHead, retryMs: number): void {
  (response as ServerResponse).writeHead(200, fieldsOf(head)).end(formatSseRetry(retryMs));
}

function drop(): void {}

/** Whether the line of a connection of HTTP/1 has been taken by {@link takeLine}. */
export function isTaken(socket: Socket): boolean {
  return socket.listeners('data').includes(drop);
}

function fieldsOf({ cursor, link, encoding }: PushHead): Record<string, string> {
  return {
    'content-type': EVENT_STREAM_MEDIA_TYPE,
    // An intermediary that stored or recoded a stream would hold its events back.
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    // The same for all intermediaries (RFC 10036).
    incremental: '?1',
    [httpFields.cursor]: formatCursor(cursor),
    ...CORS_HEADERS,
    link,
    ...(encoding !== 'identity' && { 'content-encoding': encoding }),
  };
}
