import { connect } from 'node:net';
import { createMemoryStore, type Log } from '@ldes-live/log';
import { blankNode, type Draft, describeStream, isStreamError, namedNode, quad } from '@ldes-live/rdf-stream';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import type { BlankNode, NamedNode } from '@rdfjs/types';
import { expect, onTestFinished, test } from 'vitest';
import { createLiveServer, hashToken, type LiveStream, type StreamSource } from '../src/index.ts';
import { ask } from './ask.ts';
import { PUBLIC_URL, upsert } from './test-server.ts';

const clock = () => Date.parse('2026-01-01T00:00:10.250Z');

async function streamOf(name: string, more: Partial<LiveStream> = {}): Promise<LiveStream> {
  const description = describeStream({ publicUrl: PUBLIC_URL, name, title: name });
  const log = await createMemoryStore({ clock, random: () => 0.5 }).open(description);
  return { description, log, ...more };
}

/** A source that gives one member, and says whether it is read. */
function sourceOf(origin: string, number: number): StreamSource & { readonly isRead: boolean } {
  const source = {
    origin,
    isRead: false,
    async *drafts(_latest: unknown, signal: AbortSignal) {
      source.isRead = true;
      yield [{ ...upsert(number, number), origin }];
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      source.isRead = false;
    },
  };
  return source;
}

async function served(streams: readonly LiveStream[]) {
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams, clock, push: { shutdownGraceMs: 20 } });
  onTestFinished(() => server.close());
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const status = async (path: string) => (await ask(port, path, {})).status;
  const reader = async (name: string) => {
    const events = await readEvents(`http://127.0.0.1:${port}/${name}/events`);
    onTestFinished(() => events.close());
    return events;
  };
  const post = async (token: string) => {
    const headers = { method: 'POST', 'content-length': '0', authorization: `Bearer ${token}` };
    return (await ask(port, '/vehicles', headers)).status;
  };
  return { server, port, status, reader, post };
}

/** What takes posts by one token. */
const taking = (token: string) => ({ ingest: { tokenHashes: [hashToken(token)] } });

test('DOC-84 streams come and go while a server runs, and the readers of those that stay notice nothing', async () => {
  const [stays, goes, comes] = await Promise.all(['stays', 'goes', 'comes'].map((name) => streamOf(name)));
  if (!stays || !goes || !comes) throw new TypeError('three were asked for');
  const { server, port, status, reader } = await served([stays, goes]);
  const [staying, going] = [await reader('stays'), await reader('goes')];
  expect([await status('/goes/latest'), await status('/comes/latest')]).toEqual([200, 404]);
  await server.setStreams([stays, comes]);
  expect([await status('/goes/latest'), await status('/goes/events'), await status('/comes/latest')]).toEqual([
    404, 404, 200,
  ]);
  await eventually(() => expect(going.state.ended).toBe(true));
  const coming = await reader('comes');
  await comes.log.append([upsert(1, 1)]);
  await stays.log.append([upsert(1, 1)]);
  await eventually(() => expect([staying.events.length, coming.events.length]).toEqual([1, 1]));
  expect(staying.state.ended).toBe(false);
  const catalog = (await ask(port, '/', {})).body;
  expect([catalog.includes('/comes'), catalog.includes('/goes')]).toEqual([true, false]);
  expect(Object.keys(JSON.parse((await ask(port, '/health', {})).body).streams)).toEqual(['stays', 'comes']);
});

test('DOC-84 who asks for events behind another request of a connection finds a stream gone that has gone by then', async () => {
  const [stays, goes] = [await streamOf('stays', taking('token')), await streamOf('goes')];
  const { server, port } = await served([stays, goes]);
  const { append } = stays.log as Log;
  let isHere = () => {};
  let goOn = () => {};
  const here = new Promise<void>((resolve) => (isHere = resolve));
  const hold = new Promise<void>((resolve) => (goOn = resolve));
  Object.assign(stays.log, {
    append: async (drafts: readonly Draft[]) => {
      isHere();
      await hold;
      return append.call(stays.log, drafts);
    },
  });
  const socket = connect({ port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  let answered = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answered += text));
  const body = '<http://a.example/1> <http://a.example/value> "1" .\n';
  const fields = `host: x\r\nauthorization: Bearer token\r\ncontent-type: application/n-quads\r\ncontent-length: ${body.length}`;
  socket.write(`POST /stays HTTP/1.1\r\n${fields}\r\n\r\n${body}GET /goes/events HTTP/1.1\r\nhost: x\r\n\r\n`);
  await here;
  await server.setStreams([stays]);
  goOn();
  await eventually(() => expect(answered).toMatch(/ERR_STREAM_UNKNOWN/));
  expect(answered).toMatch(/^HTTP\/1.1 201 .*HTTP\/1.1 404 /s);
});

test('DOC-84 sources are exchanged under the readers of a stream', async () => {
  const [first, second] = [sourceOf('first', 1), sourceOf('second', 2)];
  const stream = await streamOf('vehicles', { sources: [first] });
  const { server, reader } = await served([stream]);
  const events = await reader('vehicles');
  await server.setStreams([{ ...stream, sources: [second] }]);
  await eventually(() => expect([first.isRead, second.isRead]).toEqual([false, true]));
  await eventually(() => expect(events.events.length).toBe(1));
  expect([stream.log.latest.size, events.state.ended]).toEqual([2, false]);
});

test('DOC-84 a stream that is described anew is ended and opened again', async () => {
  const stream = await streamOf('vehicles');
  const { server, reader } = await served([stream]);
  const events = await reader('vehicles');
  await server.setStreams([{ ...stream, description: { ...stream.description, title: 'Trams' } }]);
  await eventually(() => expect(events.state.ended).toBe(true));
  const again = await reader('vehicles');
  await stream.log.append([upsert(1, 1)]);
  await eventually(() => expect(again.events.length).toBe(1));
});

test('DOC-84 a shape that is read anew, with other labels of blank nodes, is the same', async () => {
  const shape = (...labels: string[]) => {
    const [first, second] = labels.map((label) => blankNode(label));
    const iri = 'https://a.example/shape';
    const say = (subject: BlankNode | NamedNode, name: string, object: BlankNode | NamedNode) =>
      quad(subject, namedNode(`http://www.w3.org/ns/shacl#${name}`), object);
    const quads = [first, second].flatMap((node) =>
      node ? [say(namedNode(iri), 'property', node), say(node, 'path', namedNode('https://a.example/p'))] : [],
    );
    return { shape: { iri, quads } };
  };
  const stream = await streamOf('vehicles', shape('a', 'b'));
  const { server, reader } = await served([stream]);
  const events = await reader('vehicles');
  await server.setStreams([{ ...stream, ...shape('b', 'c') }]);
  expect(events.state.ended).toBe(false);
  await server.setStreams([{ ...stream, ...shape('c', 'c') }]);
  await eventually(() => expect(events.state.ended).toBe(true));
});

test('DOC-84 who may post is exchanged under the readers of a stream', async () => {
  const stream = await streamOf('vehicles');
  const { server, reader, post } = await served([stream]);
  const events = await reader('vehicles');
  await server.setStreams([{ ...stream, ...taking('first') }]);
  expect([await post('first'), await post('second')]).toEqual([415, 401]);
  await server.setStreams([{ ...stream, ...taking('second') }]);
  expect([await post('first'), await post('second')]).toEqual([401, 415]);
  await server.setStreams([stream]);
  expect([await post('second'), events.state.ended]).toEqual([405, false]);
});

test('DOC-84 posts are taken while a new stream waits for its first poll', async () => {
  const stream = await streamOf('vehicles', taking('first'));
  const { server, post } = await served([stream]);
  let answer: (() => void) | undefined;
  const waiting: StreamSource = {
    origin: 'slow',
    async *drafts() {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      yield [];
    },
  };
  const setting = server.setStreams([
    { ...stream, ...taking('second') },
    await streamOf('comes', { sources: [waiting] }),
  ]);
  await eventually(() => expect(answer).toBeDefined());
  expect(await post('first')).toBe(415);
  answer?.();
  await setting;
});

test('DOC-84 what was known of a stream goes with it: its metrics, and the break-even that it stated', async () => {
  const stream = await streamOf('vehicles', { breakEvenSeconds: 80 });
  const { server, port, reader } = await served([stream]);
  const body = async (path: string) => (await ask(port, path, {})).body;
  const stated = async () => [
    ((await ask(port, '/vehicles/latest', {})).headers as Record<string, string>).link,
    (await reader('vehicles')).response.headers.get('link'),
  ];
  for (const link of await stated()) expect(link).toContain('break-even="80"');
  expect(await body('/vehicles')).not.toContain('Trams');
  await server.setStreams([]);
  expect(await body('/metrics')).not.toContain('stream="vehicles"');
  const description = { ...stream.description, title: 'Trams' };
  await server.setStreams([{ description, log: stream.log }]);
  expect(await body('/vehicles')).toContain('Trams');
  for (const link of await stated()) expect(link).toContain('break-even="10"');
  expect(await body('/metrics')).toContain('ldes_live_push_accepted_total{stream="vehicles"} 1');
});

test('DOC-84 where one of the streams cannot be opened, nothing changes', async () => {
  const stream = await streamOf('vehicles');
  const { server, status, reader } = await served([stream]);
  const events = await reader('vehicles');
  const wrong = await streamOf('wrong', { ingest: { tokenHashes: ['none'] } });
  const refused = await server.setStreams([wrong]).catch((error: unknown) => error);
  expect(isStreamError(refused, 'ERR_TOKEN_HASH')).toBe(true);
  await expect(server.setStreams([stream, stream])).rejects.toMatchObject({ code: 'ERR_STREAM_REPEATED' });
  expect([await status('/vehicles/latest'), await status('/wrong/latest')]).toEqual([200, 404]);
  await stream.log.append([upsert(1, 1)]);
  await eventually(() => expect(events.events.length).toBe(1));
});

test('DOC-84 a refused exchange leaves posts and sources as they were', async () => {
  const [first, second] = [sourceOf('first', 1), sourceOf('second', 2)];
  const stream = await streamOf('vehicles', { sources: [first], ...taking('first') });
  const closed = await streamOf('closed');
  const { server, post } = await served([stream, closed]);
  await closed.log.close();
  const other = { ...stream, sources: [second], ...taking('second') };
  await expect(server.setStreams([other, { ...closed, sources: [second] }])).rejects.toMatchObject({
    code: 'ERR_LOG_CLOSED',
  });
  expect(await post('first')).toBe(415);
  // That of the former is asked again.
  await eventually(() => expect([first.isRead, second.isRead]).toEqual([true, false]));
});

test('DOC-84 a server that is being closed takes no streams', async () => {
  const source = sourceOf('late', 1);
  const { server } = await served([await streamOf('vehicles')]);
  const late = await streamOf('late', { sources: [source] });
  const closing = server.close();
  await expect(server.setStreams([late])).rejects.toMatchObject({ code: 'ERR_SERVER_CLOSED' });
  await closing;
  await expect(server.setStreams([late])).rejects.toMatchObject({ code: 'ERR_SERVER_CLOSED' });
  expect(source.isRead).toBe(false);
});

test('DOC-90 a stream becomes private while readers of a change before are still sent away', async () => {
  const stream = await streamOf('vehicles');
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams: [stream], clock });
  onTestFinished(() => server.close());
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  // One is ended each 10 ms.
  for (let count = 0; count < 60; count += 1) {
    const events = await readEvents(`http://127.0.0.1:${port}/vehicles/events`);
    onTestFinished(() => events.close());
  }
  const titled = { ...stream, description: { ...stream.description, title: 'Trams' } };
  let isFirstDone = false;
  const first = server.setStreams([titled]).then(() => {
    isFirstDone = true;
  });
  const second = server.setStreams([{ ...titled, readers: { tokenHashes: [hashToken('token')] } }]);
  await eventually(async () => expect((await ask(port, '/vehicles/latest', {})).status).toBe(401));
  expect(isFirstDone).toBe(false);
  await Promise.all([first, second]);
});
