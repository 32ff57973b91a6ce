import type { AddressInfo } from 'node:net';
import { type Cursor, formatCursor } from '@ldes-live/rdf-stream';
import { readEvents, readRaw } from '@ldes-live/test-support/events';
import { onTestFinished } from 'vitest';
import type { LiveStreamsOptions } from '../src/index.ts';
import { testServer } from './test-server.ts';

/** A test server on a port, with readers of its push endpoint that are closed after the test. */
export async function listening(options: Partial<LiveStreamsOptions> = {}) {
  const server = await testServer(options);
  const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.app.close());
  const read = async (query = '', headers = {}) => {
    const reader = await readEvents(`${base}/vehicles/events${query}`, headers);
    onTestFinished(() => reader.close());
    return reader;
  };
  const readBytes = async (query = '') => {
    const { port } = server.app.server.address() as AddressInfo;
    const reader = await readRaw(port, `/vehicles/events${query}`);
    onTestFinished(() => reader.close());
    return reader;
  };
  const connections = async () => (await server.get('/health')).json().streams.vehicles.pushConnections as number;
  const cursor = (sequence: number): string => formatCursor({ ...server.log.head.cursor, sequence } as Cursor);
  return { ...server, base, read, readBytes, connections, cursor };
}
