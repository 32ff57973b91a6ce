import type { AddressInfo } from 'node:net';
import { type Cursor, formatCursor } from '@ldes-live/rdf-stream';
import { readEvents, readRaw } from '@ldes-live/test-support/events';
import { onTestFinished } from 'vitest';
import { createLiveServer, type LiveServerOptions, type LiveStream, type LiveStreamsOptions } from '../src/index.ts';
import { emptyStream, PUBLIC_URL, testServer } from './test-server.ts';

const readerOf =
  (base: string) =>
  async (query = '', headers: Record<string, string> = {}) => {
    const reader = await readEvents(`${base}/vehicles/events${query}`, headers);
    onTestFinished(() => reader.close());
    return reader;
  };

/** A test server on a port, with readers of its push endpoint that are closed after the test. */
export async function listening(options: Partial<LiveStreamsOptions> = {}) {
  const server = await testServer(options);
  const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.app.close());
  const readBytes = async (query = '') => {
    const { port } = server.app.server.address() as AddressInfo;
    const reader = await readRaw(port, `/vehicles/events${query}`);
    onTestFinished(() => reader.close());
    return reader;
  };
  const connections = async () => (await server.get('/health')).json().streams.vehicles.pushConnections as number;
  const cursor = (sequence: number): string => formatCursor({ ...server.log.head.cursor, sequence } as Cursor);
  return { ...server, base, read: readerOf(base), readBytes, connections, cursor };
}

/** A server of its own over an empty stream, on a port. */
export async function liveServer(options: Partial<LiveServerOptions> = {}, more: Partial<LiveStream> = {}) {
  const stream = { ...(await emptyStream()), ...more };
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams: [stream], ...options });
  onTestFinished(() => server.close());
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${port}`;
  return { ...stream, server, port, base, read: readerOf(base) };
}
