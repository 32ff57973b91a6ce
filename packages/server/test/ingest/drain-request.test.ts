import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type DrainLimits, drainRequest } from '../../src/ingest/body.ts';
import { whenClosed } from '../when-closed.ts';

const sleep = (durationMs: number, signal: AbortSignal) => setTimeout(durationMs, undefined, { signal });
const WIDE: DrainLimits = { limitBytes: 1_000_000, limitSilenceMs: 60_000, limitMs: 60_000 };

/** A connection to a server that answers at once, and drains. */
async function refused(limits: Partial<DrainLimits>, length: number) {
  const server = createServer((request, response) => {
    response.end('no');
    if (request.method === 'POST') drainRequest(request, response, sleep, { ...WIDE, ...limits });
  });
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`);
  await once(socket, 'data');
  return socket;
}

test('ING-45 reads as many bytes as it may, and the next request after them', async () => {
  const socket = await refused({ limitBytes: 100_000 }, 100_000);
  socket.write(`${'x'.repeat(100_000)}GET / HTTP/1.1\r\nhost: a\r\n\r\n`);
  const [data] = await once(socket, 'data');
  expect(String(data)).toMatch(/^HTTP\/1.1 200 /);
});

test('ING-45 cuts a connection on which more bytes come', async () => {
  const socket = await refused({ limitBytes: 100_000 }, 200_000);
  socket.write('x'.repeat(100_001));
  await whenClosed(socket);
});

test('ING-45 cuts a connection on which nothing comes for too long', async () => {
  const socket = await refused({ limitSilenceMs: 20 }, 100);
  await whenClosed(socket);
});

test('ING-45 cuts a connection on which something comes for too long', async () => {
  const socket = await refused({ limitMs: 100 }, 1_000_000);
  const sending = setInterval(() => socket.write('x'), 5);
  onTestFinished(() => clearInterval(sending));
  await whenClosed(socket);
});
