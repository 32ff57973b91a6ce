import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { formatSseEvent, formatSseRetry, SseParser } from '../src/index.ts';
import { deflateBlock, GZIP_HEADER, httpChunk, SharedDeflate, storedBlock } from '../src/push-encoding.ts';

const IDS = ['1', '2', '3', '4', '5', '6'];
const RESTART = '4';
const haveCurl = spawnSync('curl', ['--version']).status === 0;

const utf8 = (text: string) => Buffer.from(text);
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/**
 * Serves one event after the other, each when the one before has been read, so that none can wait for bytes after it:
 * at first in blocks of its own, from the restart on in those of the group. Then the connection is cut.
 */
async function serveEvents(): Promise<{ readonly url: string; readonly read: () => void }> {
  let read: () => void = () => undefined;
  const server = createServer(async (request, response) => {
    expect(request.headers['accept-encoding']).toContain('gzip');
    const { socket } = request;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
    response.write(GZIP_HEADER);
    // As the bytes go out that everybody shares: past the response, framed already.
    socket.write(httpChunk(storedBlock(utf8(formatSseRetry(1000)))));
    const group = new SharedDeflate();
    for (const id of IDS) {
      const event = utf8(formatSseEvent({ id, data: `event ${id}` }));
      const block = await group.write(event, id === RESTART);
      const wasRead = new Promise<void>((resolve) => {
        read = resolve;
      });
      socket.write(httpChunk(id < RESTART ? deflateBlock(event) : block));
      await wasRead;
    }
    socket.destroy();
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, read: () => read() };
}

function readIds(onRead: () => void): { readonly ids: string[]; readonly parser: SseParser } {
  const ids: string[] = [];
  const parser = new SseParser({
    onEvent: ({ id, data }) => {
      expect(data).toBe(`event ${id}`);
      ids.push(id);
      onRead();
    },
  });
  return { ids, parser };
}

test('PUSH-15 fetch reads each event as it comes, from blocks of its own and of the group', async () => {
  const { url, read } = await serveEvents();
  const { ids, parser } = readIds(read);
  const { body } = await fetch(url);
  await expect(
    (async () => {
      for await (const chunk of body as NonNullable<typeof body>) parser.push(chunk);
    })(),
  ).rejects.toThrow();
  expect(ids).toEqual(IDS);
});

test.skipIf(!haveCurl)(
  'curl --compressed reads each event as it comes, from blocks of its own and of the group',
  async () => {
    const { url, read } = await serveEvents();
    const { ids, parser } = readIds(read);
    const curl = spawn('curl', ['--silent', '--no-buffer', '--compressed', '--noproxy', '*', url]);
    curl.stdout.on('data', (chunk: Buffer) => parser.push(chunk));
    await once(curl, 'close');
    expect(ids).toEqual(IDS);
  },
);
