import { once } from 'node:events';
import { createConnection } from 'node:net';
import { createMemoryStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { readEvents } from '@ldes-live/test-support/events';
import { expect, test } from 'vitest';
import { createLiveServer } from '../src/index.ts';
import { PUBLIC_URL } from './test-server.ts';

async function liveServer() {
  const description = describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles' });
  const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(description);
  const stream = { description, log, schedule: () => ({ kind: 'unknown' }) as const, sources: () => [] };
  return createLiveServer({ publicUrl: PUBLIC_URL, streams: [stream] });
}

test('DOC-1 a server of its own publishes its streams, and answers the rest with a problem', async () => {
  const server = await liveServer();
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${port}`;
  expect((await fetch(`${base}/vehicles`)).status).toBe(200);
  expect(await (await fetch(`${base}/nonsense`)).json()).toMatchObject({ code: 'ERR_STREAM_UNKNOWN' });
  expect(await (await fetch(`${base}/%`)).json()).toMatchObject({ code: 'ERR_REQUEST', status: 400 });
  await server.close();
  await expect(fetch(`${base}/vehicles`)).rejects.toThrow();
});

test('PUSH-11 a server stops whatever its connections do', async () => {
  const server = await liveServer();
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const idle = createConnection(port, '127.0.0.1');
  await once(idle, 'connect');
  const reader = await readEvents(`http://127.0.0.1:${port}/vehicles/events`);
  const closed = once(idle, 'close');
  await server.close();
  await closed;
  reader.close();
});

test('a busy port is refused with the error of the system', async () => {
  const server = await liveServer();
  const other = await liveServer();
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  await expect(other.listen({ host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await server.close();
  await other.close();
});
