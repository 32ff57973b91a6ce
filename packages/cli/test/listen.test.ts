import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { formatAddress, freePort, listen } from '../src/serve/listen.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Listens as a server of streams would. */
async function listenPlainly({ host, port }: { host: string; port: number }): Promise<number> {
  const server = createServer();
  servers.push(server);
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('it resolves to the port, and a free port can be had', async () => {
  const port = await freePort('127.0.0.1');
  expect(await listen({ listen: listenPlainly }, '127.0.0.1', port)).toBe(port);
});

test('a busy port is named with its remedy', async () => {
  const port = await listenPlainly({ host: '127.0.0.1', port: 0 });
  await expect(listen({ listen: listenPlainly }, '127.0.0.1', port)).rejects.toMatchObject({
    code: 'ERR_PORT_BUSY',
    message: expect.stringMatching(new RegExp(`Port ${port} of 127.0.0.1 is in use.*--port`)),
  });
});

test('an address that is not of this machine is refused with the reason', async () => {
  const refused = { code: 'ERR_LISTEN', message: expect.stringContaining('192.0.2.1 (EADDRNOTAVAIL)') };
  await expect(listen({ listen: listenPlainly }, '192.0.2.1', 3000)).rejects.toMatchObject(refused);
  await expect(freePort('192.0.2.1')).rejects.toMatchObject(refused);
});

test('an address is written as URLs have it', () => {
  expect(formatAddress('127.0.0.1', 80)).toBe('127.0.0.1:80');
  expect(formatAddress('::1', 80)).toBe('[::1]:80');
});
