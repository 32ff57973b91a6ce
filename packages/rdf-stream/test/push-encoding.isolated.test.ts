import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { httpServer } from '@ldes-live/test-support/net';
import { expect, test } from 'vitest';
import { formatSseEvent, formatSseRetry, SseParser } from '../src/index.ts';
import { deflateBlock, GZIP_HEADER, httpChunk, SharedDeflate, storedBlock } from '../src/push-encoding.ts';

const IDS = ['1', '2', '3', '4', '5', '6'];
const RESTART = '4';
const haveCurl = spawnSync('curl', ['--version']).status === 0;

const utf8 = (text: string) => Buffer.from(text);

type Push = (chunk: Uint8Array) => void;

async function readByFetch(url: string, push: Push): Promise<void> {
  const { body } = await fetch(url);
  const reading = async () => {
    for await (const chunk of body as NonNullable<typeof body>) push(chunk);
  };
  await expect(reading()).rejects.toThrow();
}

async function readByCurl(url: string, push: Push): Promise<void> {
  const curl = spawn('curl', ['--silent', '--no-buffer', '--compressed', '--noproxy', '*', url]);
  curl.stdout.on('data', push);
  await once(curl, 'close');
}

/**
 * Serves one event after the other, each when the one before has been read, so that none can wait for bytes after it:
 * at first in blocks of its own, from the restart on in those of the group. Then the connection is cut.
 */
async function expectReadOneByOne(read: (url: string, push: Push) => Promise<void>): Promise<void> {
  let wasRead: () => void = () => undefined;
  const { url, close } = await httpServer(async (request, response) => {
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
      const reading = new Promise<void>((resolve) => {
        wasRead = resolve;
      });
      socket.write(httpChunk(id < RESTART ? deflateBlock(event) : block));
      await reading;
    }
    socket.destroy();
  });
  const events: string[] = [];
  const parser = new SseParser({
    onEvent: ({ id, data }) => {
      events.push(`${id} ${data}`);
      wasRead();
    },
  });
  try {
    await read(url, (chunk) => parser.push(chunk));
    expect(events).toEqual(IDS.map((id) => `${id} event ${id}`));
  } finally {
    await close();
  }
}

test('PUSH-15 fetch reads each event as it comes, from blocks of its own and of the group', async () => {
  await expectReadOneByOne(readByFetch);
});

test.skipIf(!haveCurl)(
  'curl --compressed reads each event as it comes, from blocks of its own and of the group',
  async () => {
    await expectReadOneByOne(readByCurl);
  },
);
