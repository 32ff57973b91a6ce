import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMemoryStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReadyAnswerer } from '../src/http/answer-ready.ts';
import { createLiveServer, type LiveServer, liveStreams } from '../src/index.ts';
import { publishStreams } from '../src/publish-streams.ts';
import { EPOCH, PUBLIC_URL, upsert } from './test-server.ts';

// The short way of the server of its own must not be told from the whole way, which the plugin goes alone.
const clock = () => Date.parse('2026-01-01T00:00:10.250Z');
const description = describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles' });
const whole = Fastify();
let live: LiveServer;
let ports: { readonly live: number; readonly whole: number };

async function options() {
  const log = await createMemoryStore({ clock, random: () => 0.5 }).open(description);
  await log.append(Array.from({ length: 300 }, (_, number) => upsert(number, number)));
  const schedule = () => ({ kind: 'interval', intervalMs: 5000, nextMs: clock() + 2500 }) as const;
  return {
    publicUrl: PUBLIC_URL,
    streams: [{ description, log, schedule, sources: () => [] }],
    clock,
    random: () => 0.5,
  };
}

beforeAll(async () => {
  live = await createLiveServer(await options());
  await whole.register(liveStreams, await options());
  const port = await live.listen({ host: '127.0.0.1', port: 0 });
  await whole.listen({ host: '127.0.0.1', port: 0 });
  ports = { live: port, whole: (whole.server.address() as AddressInfo).port };
});

afterAll(async () => {
  await Promise.all([live.close(), whole.close()]);
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: object;
  readonly body: string;
}

/** Asks as it is written: no library's idea of a URL in between. */
function ask(port: number, path: string, { method = 'GET', ...headers }: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const { 'keep-alive': _, ...fields } = response.headers;
      resolve({ status: response.statusCode, headers: fields, body: Buffer.concat(chunks).toString('base64') });
    });
    asked.on('error', reject);
    asked.end();
  });
}

const PATHS = [
  '/vehicles',
  '/vehicles/',
  '/vehicles//',
  '//vehicles',
  '/Vehicles',
  '/vehicle%73',
  '/vehicles/latest',
  '/vehicles/latest/',
  '/vehicles/latest/x',
  '/vehicles/%6Catest',
  '/vehicles/latest?',
  '/vehicles/latest?x=1',
  '/vehicles/latest#x',
  '/vehicles/tiles',
  '/vehicles/tiles/0/0/0',
  '/vehicles/tiles/elsewhere',
  '/vehicles/entities/7',
  '/vehicles/entities/%37',
  '/vehicles/entities/7/',
  '/vehicles/entities/none',
  '/vehicles/shape',
  '/vehicles/pages',
  `/vehicles/pages?after=${EPOCH}-0`,
  `/vehicles/pages/${EPOCH}/0`,
  `/vehicles/pages/${EPOCH}/0/`,
  `/vehicles/pages/${EPOCH}/00`,
  `/vehicles/pages/${EPOCH}//0`,
  `/vehicles/pages/${EPOCH}/1`,
  `/vehicles/pages/${EPOCH}/2`,
  `/vehicles/pages/other/0`,
  `/vehicles/pages/${EPOCH}/range-0`,
  `/vehicles/pages/${EPOCH}/after-0`,
  `/vehicles/pages/${EPOCH}/after-7`,
  `/vehicles/pages/${EPOCH}/after-300`,
  `/vehicles/pages/${EPOCH}/after-301`,
  '/vehicles/../vehicles/latest',
  '/vehicles/./latest',
  'http://elsewhere.example/vehicles/latest',
  '/',
  '/health',
  '/ns/live',
  `/vehicles/${'x'.repeat(5000)}`,
];

const HEADERS: Record<string, string>[] = [
  {},
  { method: 'HEAD' },
  { method: 'POST' },
  { method: 'OPTIONS' },
  { accept: 'text/turtle', 'accept-encoding': 'gzip' },
  { accept: 'image/png' },
  { 'accept-encoding': 'identity;q=0' },
  { 'if-none-match': '*' },
  { 'if-modified-since': 'Thu, 01 Jan 2026 00:00:10 GMT' },
];

test.each(PATHS)('a server of its own answers as the plugin does: %s', async (path) => {
  for (const headers of HEADERS) {
    // Twice: at first it is made, and then it is ready.
    for (const time of ['first', 'then']) {
      const [ours, expected] = await Promise.all([ask(ports.live, path, headers), ask(ports.whole, path, headers)]);
      // What is no path of the plugin's is the app's around it.
      if (expected.status === 404 && !path.startsWith('/vehicles')) expect(ours.status).toBe(404);
      else expect(ours, `${time} ${JSON.stringify(headers)}`).toEqual(expected);
    }
  }
});

test('what is ready is answered by the short way, and only that', async () => {
  const app = Fastify();
  let ready: ReadyAnswerer = () => false;
  await app.register(async (plugin) => {
    ({ ready } = await publishStreams(plugin, await options()));
  });
  await app.ready();
  const taken: boolean[] = [];
  const short = createServer((incoming, response) => {
    taken.push(ready(incoming, response));
    if (!taken.at(-1)) response.end();
  });
  await new Promise<void>((resolve) => short.listen(0, '127.0.0.1', resolve));
  const { port } = short.address() as AddressInfo;
  await ask(port, '/vehicles/latest', {});
  await app.inject({ url: '/vehicles/latest', headers: { 'accept-encoding': '' } });
  await ask(port, '/vehicles/latest', {});
  await ask(port, '/vehicles/latest', { method: 'HEAD' });
  await ask(port, '/vehicles/latest', { accept: 'text/turtle' });
  await ask(port, '/vehicles/latest?x', {});
  await ask(port, '/health', {});
  expect(taken).toEqual([false, true, true, false, false, false]);
  short.close();
  await app.close();
});

test('DOC-31 a view that cannot be made is an error of its request, and of nothing else', async () => {
  const given = await options();
  const server = await createLiveServer(given);
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  await given.streams[0]?.log.close();
  // A failure that nobody awaits would end the process, and fails the run of the tests.
  for (let time = 0; time < 2; time += 1) expect((await ask(port, '/vehicles/tiles', {})).status).toBe(503);
  await server.close();
});
