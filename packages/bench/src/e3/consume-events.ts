import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { EventBlocks } from '../load/event-blocks.ts';
import { memberRows, plainRows } from './read-rows.ts';
import type { RowConnection, RowListener, RowTarget } from './row-consumer.ts';

const DATA = Buffer.from('data: ');
const AFTER_DATA = '\n\n'.length;

/** Reads rows from server-sent events, by the HTTP client of Node.js: an event is a batch, whose data is one line. */
export async function consumeEvents(
  { transport, port, path }: RowTarget,
  listener: RowListener,
): Promise<RowConnection> {
  const read = transport === 'ldes-live' ? memberRows : plainRows;
  const headers = { accept: 'text/event-stream', 'accept-encoding': 'identity' };
  const request = get({ host: '127.0.0.1', port, path, headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${path} answers ${response.statusCode}`);
  const blocks = new EventBlocks();
  const onBlock = (bytes: Buffer, start: number, end: number) => {
    const at = bytes.indexOf(DATA, start);
    // Others only keep the connection alive.
    if (at < 0 || at >= end) return;
    listener.onRows(read(bytes.toString('utf8', at + DATA.length, end - AFTER_DATA)));
  };
  response.on('data', (chunk: Buffer) => {
    listener.onBytes(chunk.length);
    blocks.feed(chunk, onBlock);
  });
  const ignore = () => undefined;
  // Whoever ends it is told nothing by it.
  request.on('error', ignore);
  response.on('error', ignore);
  return { close: () => void request.destroy() };
}
