import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openPollers } from '../../src/capacity/kept-alive-pollers.ts';

test('each connection asks once and stays open until it is told', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end('x'.repeat(70_000));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const count = () => new Promise<number>((resolve) => server.getConnections((_, found) => resolve(found)));
  const pollers = await openPollers(port, '/', 120);
  expect([await count(), requests]).toEqual([120, 120]);
  pollers.close();
  while ((await count()) > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(requests).toBe(120);
});

test('a server that does not answer is an error', async () => {
  const server = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(openPollers(port, '/', 3)).rejects.toThrow();
});
