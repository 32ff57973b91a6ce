import { once } from 'node:events';
import { createConnection } from 'node:net';
import { expect, test } from 'vitest';
import { createLiveServer } from '../src/index.ts';
import { liveServer } from './push-server.ts';
import { emptyStream, PUBLIC_URL } from './test-server.ts';

test('DOC-1 a server of its own publishes its streams, and answers the rest with a problem', async () => {
  const { server, base } = await liveServer();
  expect((await fetch(`${base}/vehicles`)).status).toBe(200);
  expect(await (await fetch(`${base}/nonsense`)).json()).toMatchObject({ code: 'ERR_STREAM_UNKNOWN' });
  expect(await (await fetch(`${base}/%`)).json()).toMatchObject({ code: 'ERR_REQUEST', status: 400 });
  await server.close();
  await expect(fetch(`${base}/vehicles`)).rejects.toThrow();
});

test('PUSH-11 a server stops whatever its connections do', async () => {
  const { server, port, read } = await liveServer();
  const idle = createConnection(port, '127.0.0.1');
  await once(idle, 'connect');
  await read();
  const closed = once(idle, 'close');
  await server.close();
  await closed;
});

test('a busy port is refused with the error of the system', async () => {
  const { port } = await liveServer();
  const other = await createLiveServer({ publicUrl: PUBLIC_URL, streams: [await emptyStream()] });
  await expect(other.listen({ host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await other.close();
});
