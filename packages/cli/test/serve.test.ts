import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { describeStream } from '@ldes-live/rdf-stream';
import type { TlsCredentials } from '@ldes-live/server';
import { expect, onTestFinished, test } from 'vitest';
import { main } from '../src/index.ts';
import {
  claimPort,
  defaultPort,
  listen,
  type ServeOptions,
  serve,
  startText,
  stopText,
  withCleanup,
} from '../src/serve/serve.ts';
import { fakeProcess, Recorder } from './fake-process.ts';
import { configFile, served } from './run-command.ts';

/** Listens until the test has ended, as any other program would. */
async function occupied(onRequest = () => {}): Promise<number> {
  const server: Server = createServer(onRequest).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const POSTS = `{ post: true, tokens: ["${'0'.repeat(64)}"] }`;

/** Writes a configuration of one stream. */
async function written(publicUrl: string, rest = 'store: memory', stream = `{ source: ${POSTS} }`): Promise<string> {
  return await configFile(`publicUrl: ${publicUrl}\n${rest}\nstreams: { a: ${stream} }\n`);
}

/** Serves until the test has ended. */
async function serving(options: Partial<ServeOptions>, load?: (name: string) => Promise<unknown>) {
  const interruption = new AbortController();
  const [stdout, stderr] = [new Recorder(), new Recorder()];
  const world = { env: {}, stdout, stderr, interrupted: interruption.signal, clock: Date.now, random: () => 0.5 };
  const ended = serve({ host: '127.0.0.1', ...options }, world, load);
  onTestFinished(async () => {
    interruption.abort();
    await ended.catch(() => {});
  });
  const [, port] = await Promise.race([stdout.until(/listens on 127\.0\.0\.1:(\d+)/), ended as Promise<never>]);
  return { stdout, stderr, port: Number(port), base: `http://127.0.0.1:${port}/` };
}

test('it resolves to the port, and a free port can be had', async () => {
  const port = await claimPort('127.0.0.1', 0, true);
  expect(await claimPort('127.0.0.1', 0)).toBe(0);
  expect(await listen({ listen: async ({ port }) => port }, '127.0.0.1', port)).toBe(port);
});

test('an address that is not of this machine is refused with the reason', async () => {
  const message = expect.stringContaining('192.0.2.1 (EADDRNOTAVAIL)');
  await expect(claimPort('192.0.2.1', 0)).rejects.toMatchObject({ code: 'ERR_LISTEN', message });
});

test.each([
  ['http://localhost:4000/', 4000],
  ['http://127.0.0.1:4001/path/', 4001],
  ['http://[::1]:4002/', 4002],
  ['http://localhost/', 3000],
  ['https://localhost:4003/', 3000],
  ['http://live.example:4004/', 3000],
  ['https://localhost:4005/', 4005, { cert: '', key: '' }],
  ['http://localhost:4006/', 3000, { cert: '', key: '' }],
])('where no port is asked for, a server of %s listens on %i', (publicUrl, port, tls?: TlsCredentials) => {
  expect(defaultPort({ publicUrl, ...(tls && { tls }) })).toBe(port);
});

test('LOG-1 a start is told: `configuration read`, `store opened`, and where readers will come', async () => {
  const port = await claimPort('127.0.0.1', 0, true);
  const configFile = await written(`http://localhost:${port}/`);
  const { stderr, ...served } = await serving({ configFile });
  expect(served.port).toBe(port);
  const events = stderr.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.slice(0, 2)).toMatchObject([
    { level: 30, msg: 'configuration read', file: configFile, streams: 1 },
    { level: 30, msg: 'store opened', store: 'memory' },
  ]);
  expect(stderr.text).not.toContain('port differs');
});

test.each([
  ['http://localhost:1/', 1],
  ['http://[::1]/', 80],
])('LOG-1 `port differs` warns where readers follow links of %s to another port', async (publicUrl, linked) => {
  const { stderr, port } = await serving({ configFile: await written(publicUrl), port: 0 });
  const [, message] = await stderr.until(/"level":40,.*"message":"([^"]*)","msg":"port differs"/);
  expect(message).toMatch(new RegExp(`^Links lead to .*on port ${port}: give --port ${linked}, or a publicUrl with`));
});

test('LOG-1 a server that is reached by another name warns of no port', async () => {
  const { stderr } = await serving({ configFile: await written('http://live.example/'), port: 0 });
  await stderr.until(/"msg":"listening"/);
  expect(stderr.text).not.toContain('port differs');
});

test.each([[[]], [['--workers', '2']]])(
  'a busy port ends it before it polls or writes anything, %j',
  async (workers) => {
    let polls = 0;
    const feed = await occupied(() => void polls++);
    const port = await occupied();
    const stream = `{ source: { gtfsRt: "http://127.0.0.1:${feed}/", every: 100ms } }`;
    const file = await written('http://live.example/', 'store: ./data', stream);
    const process = fakeProcess(['serve', file, '--port', `${port}`, ...workers]);
    expect(await main(process)).toBe(1);
    expect(process.stderr.text).toMatch(new RegExp(`^ERR_PORT_BUSY: Port ${port} of 127.0.0.1 is in use.*--port`));
    expect([polls, await readdir(join(file, '..'))]).toEqual([0, ['live.yml']]);
  },
);

/** Loads every package but that of queries. */
const withoutQueries = (name: string) => {
  const message = `Cannot find package '@ldes-live/query' imported from /cli/dist/serve/serve.js`;
  const missing = Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' });
  return name.startsWith('@ldes-live/query') ? Promise.reject(missing) : import(name);
};

test('LOG-1 `queries off` says how to install what answers them; streams that take none are served without', async () => {
  const { stderr, base } = await serving(
    { configFile: await written('http://live.example/'), port: 0 },
    withoutQueries,
  );
  await stderr.until(/"level":30,.*npm install @ldes-live\/query where this command is installed.*"msg":"queries off"/);
  expect((await fetch(`${base}a`)).status).toBe(200);
  const refused = await fetch(`${base}a/sparql?query=ASK{}`);
  expect([refused.status, await refused.json()]).toMatchObject([404, { code: 'ERR_QUERIES_OFF' }]);
});

test('the demonstration takes no queries where they are not installed', async () => {
  const { stdout } = await serving({ port: 0 }, withoutQueries);
  expect(stdout.text).toContain('/vehicles --mal 10\n');
  expect(stdout.text).not.toMatch(/sparql/i);
});

test.each(['true', '{ rows: 10 }'])(
  'a stream with `queries: %s` needs them installed, before the store is opened',
  async (said) => {
    const stream = `{ source: ${POSTS}, queries: ${said} }`;
    const configFile = await written('http://live.example/', 'store: ./data', stream);
    const refusal = {
      code: 'ERR_QUERY_MISSING',
      message: expect.stringContaining('npm install @ldes-live/query'),
    };
    await expect(serving({ configFile, port: 0 }, withoutQueries)).rejects.toMatchObject(refusal);
    expect(await readdir(join(configFile, '..'))).toEqual(['live.yml']);
    const defect = Object.assign(new Error("Cannot find package 'comunica'"), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(serving({ configFile, port: 0 }, () => Promise.reject(defect))).rejects.toBe(defect);
  },
);

test.each<[failing: string[]]>([[[]], [['sources']], [['server', 'store']], [['sources', 'server', 'store']]])(
  'what was opened last is closed first; where %j fail all are closed, and the first is told',
  async (failing) => {
    const called: string[] = [];
    const closing = withCleanup(async (defer) => {
      for (const name of ['store', 'server', 'sources']) {
        // One that throws at once keeps no other from closing either.
        defer(() => {
          called.push(name);
          if (failing.includes(name)) throw new Error(name);
        });
      }
    });
    expect(await closing.catch(({ message }) => message)).toBe(failing[0]);
    expect(called).toEqual(['sources', 'server', 'store']);
  },
);

const publicUrl = 'http://a.example/';
const stream = (name: string, queries?: object) => ({
  description: describeStream({ publicUrl, name, title: name }),
  ...(queries && { queries }),
});
const textOf = (...streams: ReturnType<typeof stream>[]) =>
  startText({ publicUrl, store: 'memory', streams }, '127.0.0.1:3000', false);

test('QUERY-70 what is said at the start names where queries go, of the first stream that takes them', () => {
  const said = textOf(stream('vehicles'), stream('trips', {}), stream('alerts', {}));
  expect(said).toContain('at http://a.example/trips/sparql,');
  expect(said).toContain("  npx ldes-live query http://a.example/trips --mal 10 'SELECT ");
  expect(said).toContain('  npx ldes-live follow http://a.example/vehicles --mal 10\n');
  expect(textOf(stream('vehicles'))).not.toMatch(/sparql|query/i);
});

test('a stop that takes a while is told, and how to shorten it', () => {
  expect(stopText(101)).toMatch(/^Stopping: closing 101 connections one after the other. Interrupt again/);
  expect(stopText(100)).toBe('');
});

/** Serves a stream until a signal, and asks it as many readers do. */
async function pushing(push: string) {
  const { process, ended, base } = await served(await written('http://live.example/', `store: memory\npush: ${push}`));
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  onTestFinished(() => agent.destroy());
  const read = async (path: string) => {
    const [response] = (await once(get(new URL(path, base), { agent }), 'response')) as [IncomingMessage];
    return response.resume();
  };
  return { process, ended, read };
}

test('PUSH-32, PUSH-34 serve sends its readers away in order when it is told to stop, and says so where they are many', async () => {
  const { process, ended, read } = await pushing('{ connections: 101, grace: 2s }');
  const readers = await Promise.all(Array.from({ length: 101 }, () => read('/a/events')));
  expect((await read('/a/events')).statusCode).toBe(503);
  const left = readers.map((response) => once(response, 'end'));
  expect((await read('/health')).statusCode).toBe(200);

  process.signal('SIGTERM');
  await process.stderr.until(/^Stopping: closing 101 connections one after the other\./m);
  expect((await read('/health')).statusCode).toBe(503);
  expect((await read('/a/latest')).statusCode).toBe(200);
  await Promise.all(left);
  expect(readers.map(({ complete }) => complete)).toEqual(readers.map(() => true));
  expect(await ended).toBe(0);
  // A second signal meets no listener, so that it ends a process at once.
  expect(process.signal('SIGTERM')).toBe(false);
}, 20_000);

test('serve stops without a word where nobody reads', async () => {
  const { process, ended } = await pushing('{ grace: 1h }');
  process.signal('SIGINT');
  expect(await ended).toBe(0);
  expect(process.stderr.text).not.toContain('Stopping');
}, 20_000);
