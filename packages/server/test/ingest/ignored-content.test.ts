import { connect } from 'node:net';
import { eventually } from '@ldes-live/test-support/eventually';
import { whenClosed } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import type { LiveStreamsOptions } from '../../src/options.ts';
import { createLiveServer } from '../../src/server.ts';
import { PUBLIC_URL } from '../test-server.ts';
import { postingStreams } from './posting-server.ts';

const CONTENTS = ['content-length: 3\r\n\r\nabc', 'transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'];
const IGNORED = [
  ...(['GET /water/latest', 'HEAD /water/latest', 'GET /', 'GET /health', 'GET /of/app'] as const).map((asked) => [
    asked,
    '200',
  ]),
  ...[
    ['GET /nothing', '404'],
    ['GET /water?LONG', '414'],
    ['OPTIONS /water', '204'],
  ],
  ...[
    ['DELETE /water', '405'],
    ['PUT /water/latest', '405'],
    ['POST /read-only', '405'],
  ],
] as [asked: string, status: string][];

/** What a server answers to texts on one connection. */
async function exchanged(...texts: (string | Buffer)[]) {
  const { streams, clock } = await postingStreams();
  const extend: LiveStreamsOptions['extend'] = async (app) => void app.get('/of/app', async () => 'own');
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams, clock, extend });
  onTestFinished(() => server.close());
  const socket = connect({ port: await server.listen({ host: '127.0.0.1', port: 0 }), host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  socket.on('error', () => undefined);
  for (const piece of texts) socket.write(typeof piece === 'string' ? piece.replace('LONG', 'x'.repeat(9000)) : piece);
  return { socket, answers: () => text.match(/(?<=HTTP\/1.1 )\d{3}/g) };
}

test.each(CONTENTS)(
  'ING-62 content (%j) of what is not a post is dropped, and the connection is used again',
  async (content) => {
    const requests = IGNORED.map(([asked]) => `${asked} HTTP/1.1\r\nhost: a\r\n${content}`);
    const { answers } = await exchanged(...requests, 'GET /water HTTP/1.1\r\nhost: a\r\n\r\n');
    await eventually(() => expect(answers()).toEqual([...IGNORED.map(([, status]) => status), '200']));
  },
);

test.each(['DELETE /water', 'GET /nothing', 'GET /of/app'])(
  'ING-62 content of %s without end cuts the connection',
  async (asked) => {
    const content = Buffer.alloc(64 * 1024 * 1024 + 2);
    const { socket } = await exchanged(`${asked} HTTP/1.1\r\nhost: a\r\ncontent-length: ${2 ** 40}\r\n\r\n`, content);
    await whenClosed(socket);
  },
);

test('ING-62 events come to a GET with content', async () => {
  const { socket, answers } = await exchanged(`GET /water/events HTTP/1.1\r\nhost: a\r\n${CONTENTS[0]}`);
  await eventually(() => expect(answers()).toEqual(['200']));
  expect(socket.destroyed).toBe(false);
});

test.each(IGNORED)(
  'ING-62 %s that waits to be asked for its content is answered by %s, and the last',
  async (asked, status) => {
    const { socket, answers } = await exchanged(
      `${asked} HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 3\r\n\r\n`,
    );
    await whenClosed(socket);
    expect(answers()).toEqual([status]);
  },
);

test.each([
  ['two framings', 'content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ['two lengths', 'content-length: 3\r\ncontent-length: 4\r\n\r\nabc'],
  ['chunks of chunks', 'transfer-encoding: chunked, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ['a negative length', 'content-length: -3\r\n\r\nabc'],
])('ING-64 content by %s is refused, and nothing behind it is a request', async (_what, content) => {
  for (const asked of ['GET /water/latest', 'POST /water', 'DELETE /water']) {
    const { socket, answers } = await exchanged(
      `${asked} HTTP/1.1\r\nhost: a\r\n${content}GET /water HTTP/1.1\r\nhost: a\r\n\r\n`,
    );
    await whenClosed(socket);
    expect(answers()).toEqual(['400']);
  }
});
