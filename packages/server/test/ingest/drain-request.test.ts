import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { whenClosed } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { drainRequest } from '../../src/ingest/body.ts';

const MOST = Buffer.alloc(64 * 1024 * 1024);

/** A connection to a server that answers at once, and drains; `ends` are of its sleeps, by their milliseconds. */
async function refused(length: number) {
  const ends = new Map<number, () => void>();
  const sleep = (afterMs: number) => new Promise<void>((resolve) => ends.set(afterMs, resolve));
  const server = createServer((request, response) => {
    response.end('no');
    if (request.method === 'POST') drainRequest(request, response, sleep);
  });
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`);
  await once(socket, 'data');
  return { socket, ends };
}

test('ING-45 reads 64 MiB, and the next request after them', async () => {
  const { socket } = await refused(MOST.length);
  socket.write(MOST);
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  const [data] = await once(socket, 'data');
  expect(String(data)).toMatch(/^HTTP\/1.1 200 /);
});

test('ING-45 cuts a connection on which a byte more comes', async () => {
  const { socket } = await refused(MOST.length + 2);
  socket.write(MOST);
  socket.write('x');
  await whenClosed(socket);
});

test.each([5000, 30_000])('ING-45 cuts a connection after %i ms: without a byte, or in all', async (afterMs) => {
  const { socket, ends } = await refused(100);
  expect([...ends.keys()].sort()).toEqual([30_000, 5000]);
  ends.get(afterMs)?.();
  await whenClosed(socket);
});
