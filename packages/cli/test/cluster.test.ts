import { join } from 'node:path';
import { type Cluster, type ClusterRole, createMemoryStore, type Log, type LogStore } from '@ldes-live/log';
import type { NatsStore, NatsStoreOptions } from '@ldes-live/log/nats';
import { describeStream, formats } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, onTestFinished, test } from 'vitest';
import { type ServeOptions, serve, startText } from '../src/serve/serve.ts';
import { nodeUrl } from '../src/serve/stores.ts';
import { Recorder } from './fake-process.ts';

/** The nodes of a cluster, all over the same logs in this process. */
class FakeNats {
  readonly opened: NatsStoreOptions[] = [];
  readonly nodes = new Map<string, FakeNode>();
  shared: unknown;
  readonly listeners = new Set<(value: unknown) => void>();
  readonly #store: LogStore = createMemoryStore({ clock: Date.now, random: () => 0.5 });
  readonly #logs = new Map<string, Promise<Log>>();

  readonly load = async (name: string) => {
    if (name !== '@ldes-live/log/nats') return import('@ldes-live/query/http');
    return { openNatsStore: async (options: NatsStoreOptions) => this.#open(options) };
  };

  publish(value: unknown): void {
    this.shared = JSON.parse(JSON.stringify(value));
    for (const listener of [...this.listeners]) listener(this.shared);
  }

  #open(options: NatsStoreOptions): NatsStore {
    this.opened.push(options);
    const node = new FakeNode(options.node);
    this.nodes.set(options.node, node);
    return {
      open: async (description) => {
        const { name } = description;
        const log = this.#logs.get(name) ?? this.#store.open(description);
        this.#logs.set(name, log);
        // What a node closes stays open for the others.
        return new Proxy(await log, {
          get: (target, key) => {
            if (key === 'close') return async () => {};
            const value = Reflect.get(target, key, target);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        });
      },
      close: async () => {},
      cluster: node,
      shared: {
        publish: async (value) => this.publish(value),
        read: async () => this.shared,
        onChange: (listener) => {
          this.listeners.add(listener);
          return () => void this.listeners.delete(listener);
        },
      },
    };
  }
}

class FakeNode implements Cluster {
  readonly node: string;
  role: ClusterRole = { role: 'follower', writer: { node: 'x', url: 'http://127.0.0.1:1' } };
  readonly problems = [];
  told: unknown;
  status: () => object = () => ({});
  readonly #listeners = new Set<() => void>();

  constructor(node: string) {
    this.node = node;
  }

  become(role: ClusterRole, told?: object): void {
    this.role = role;
    this.told = told && JSON.parse(JSON.stringify(told));
    for (const listener of [...this.#listeners]) listener();
  }

  lag(): number {
    return 0;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  describe(status: () => object): void {
    this.status = status;
  }
}

const CONFIG = `publicUrl: http://live.example/
store: [nats://a:4222, nats://b:4222, nats://c:4222]
nats: { credentials: ./a.creds, stream: city }
node: a
push: { connections: 10 }
web: { foreign: true }
streams:
  water:
    title: Water levels
    retention: { versions: 1, history: 7d }
    updates: { every: 15m }
    breakEven: 80s
    queries: { rows: 100 }
    source: { post: true, tokens: ["${'0'.repeat(63)}1"], shape: ./water.ttl }
  vehicles:
    source: { gtfsRt: "http://127.0.0.1:1/", every: 1h }
`;

const SHAPE = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <http://example.org/> .
<#> a sh:NodeShape ; sh:property [ sh:path ex:level ; sh:or ( [ sh:datatype ex:a ] [ sh:datatype ex:b ] ) ] .`;

function environment(interrupted = new AbortController().signal) {
  const [stdout, stderr] = [new Recorder(), new Recorder()];
  return { env: {}, stdout, stderr, interrupted, clock: Date.now, random: () => 0.5, onReload: () => () => {} };
}

/** Serves until the test has ended. */
async function serving(nats: FakeNats, options: Partial<ServeOptions>) {
  const interruption = new AbortController();
  const world = environment(interruption.signal);
  const { stdout, stderr } = world;
  const ended = serve({ host: '127.0.0.1', port: 0, ...options }, world, nats.load);
  onTestFinished(async () => {
    interruption.abort();
    await ended;
  });
  const base = async () => `http://${(await Promise.race([stdout.until(/listens on ([\d.:]+)/), ended]))?.[1]}`;
  return { stdout, stderr, base, ended, interrupt: () => interruption.abort() };
}

const joining = async (node: string) => ({
  store: { servers: ['nats://a'] },
  node,
  nats: { data: await temporaryFolder() },
});

async function written(text = CONFIG): Promise<string> {
  return join(await temporaryFolder({ 'config.yml': text, 'water.ttl': SHAPE }), 'config.yml');
}

test('a store at NATS servers is opened with what the configuration says, and with the address of the node', async () => {
  const nats = new FakeNats();
  const file = await written();
  const { base, stdout } = await serving(nats, { configFile: file });
  const url = await base();
  expect(nats.opened).toMatchObject([
    {
      servers: ['nats://a:4222', 'nats://b:4222', 'nats://c:4222'],
      ...{ replicas: 3, stream: 'city', node: 'a', url, isCandidate: true },
      credentials: join(file, '../a.creds'),
      path: join(file, '../data'),
    },
  ]);
  expect(stdout.text).toMatch(
    /, as the node a of the cluster at nats:\/\/a:4222, .*, and keeps its data in .*\/data\.\n/,
  );
});

test.each([
  ['http://127.0.0.1:', {}, 1],
  ['http://a:', { host: '0.0.0.0' }, 0],
])('`store warning` tells of the address %s where NATS is on another machine', async (url, options, count) => {
  const nats = new FakeNats();
  const { base, stderr } = await serving(nats, { configFile: await written(), ...options });
  await base();
  expect(nats.opened[0]?.url).toContain(url);
  const warned = stderr.text.split('\n').filter((line) => line.includes('ERR_NODE_ADDRESS'));
  expect(warned.map((line) => JSON.parse(line))).toMatchObject(Array(count).fill({ msg: 'store warning', level: 40 }));
});

test('who is told to end while the store is being opened ends, and closes it', async () => {
  const nats = new FakeNats();
  const closed: string[] = [];
  /** Opens a store whose logs nobody begins, or none. */
  const openNatsStore = ({ node }: NatsStoreOptions) =>
    new Promise((resolve) => {
      nats.nodes.set(node, new FakeNode(node));
      const close = async () => void closed.push(node);
      if (node === 'a') resolve({ open: () => new Promise(() => {}), close });
    });
  const { load } = nats;
  Object.assign(nats, { load: async (name: string) => ({ ...(await load(name)), openNatsStore }) });
  for (const node of ['a', 'b']) {
    const configFile = await written(CONFIG.replace('node: a', `node: ${node}`));
    const { interrupt, ended, stdout } = await serving(nats, { configFile });
    await eventually(() => expect(nats.nodes.has(node)).toBe(true));
    interrupt();
    await ended;
    expect([closed, stdout.text]).toEqual([['a'], '']);
  }
});

test('without its packages a store at NATS servers is refused, with what to install', async () => {
  const missing = Object.assign(new Error("Cannot find package '@nats-io/kv' imported from index.js"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  const nats = new FakeNats();
  const { load } = nats;
  const failing = (error: unknown) => (name: string) => (name.includes('nats') ? Promise.reject(error) : load(name));
  const options = { host: '127.0.0.1', port: 0, configFile: await written() };
  const message = expect.stringContaining('npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv');
  const refusal = { code: 'ERR_NATS_MISSING', message };
  await expect(serve(options, environment(), failing(missing))).rejects.toMatchObject(refusal);
  const other = Object.assign(new Error('a defect'), { code: 'ERR_MODULE_NOT_FOUND' });
  await expect(serve(options, environment(), failing(other))).rejects.toBe(other);
});

test('a store that is not at NATS servers loads nothing of them', async () => {
  const nats = new FakeNats();
  const { load } = nats;
  Object.assign(nats, {
    load: (name: string) => (name.includes('nats') ? Promise.reject(new Error('loaded')) : load(name)),
  });
  const own = CONFIG.replace(/^store.*\nnats.*\nnode.*\n/m, 'store: memory\n');
  const { base } = await serving(nats, { configFile: await written(own) });
  expect((await fetch(`${await base()}/health`)).status).toBe(200);
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['0.0.0.0', 'http://node-1:3000'],
  ['::', 'http://node-1:3000'],
  ['::1', 'http://[::1]:3000'],
])('the address of a node that listens on %s is %s', (host, url) => {
  expect(nodeUrl({ node: 'node-1' }, host, 3000)).toBe(url);
});

/** Documents and what describes them, of all streams. */
const PATHS = [
  ...['/', '/ns/rt', '/ns/live'],
  ...['/water', '/vehicles'].flatMap((path) => [path, `${path}/latest`, `${path}/tiles`, `${path}/shape`]),
];

test('a node that joins serves what the writer serves, byte for byte, and writes nothing', async () => {
  const nats = new FakeNats();
  const a = await serving(nats, { configFile: await written() });
  const from = await a.base();
  nats.nodes.get('a')?.become({ role: 'writer' });
  const folder = await temporaryFolder();
  const servers = ['nats://a:4222', 'nats://b:4222'];
  const own = { data: folder, credentials: '/etc/b.creds', stream: 'city' };
  const b = await serving(nats, { join: { store: { servers }, node: 'b', nats: own } });
  const to = await b.base();
  expect(nats.opened[1]).toMatchObject({
    servers,
    ...{
      node: 'b',
      url: to,
      isCandidate: false,
      replicas: 1,
      path: folder,
      credentials: '/etc/b.creds',
      stream: 'city',
    },
  });
  const follower = { role: 'follower', writer: { node: 'a', url: from } } as const;
  nats.nodes.get('b')?.become(follower, nats.nodes.get('a')?.status());
  for (const path of PATHS) {
    for (const { mediaType } of Object.values(formats)) {
      const [one, other] = await Promise.all(
        [from, to].map(async (base) => {
          const answer = await fetch(`${base}${path}`, { headers: { accept: mediaType } });
          const { headers } = answer;
          return [answer.status, headers.get('etag'), headers.get('link'), await answer.text()];
        }),
      );
      expect(other, `${path} as ${mediaType}`).toEqual(one);
    }
  }
  const body = '<http://example.org/1> <http://example.org/level> "1"^^<http://example.org/a> .';
  const headers = { 'content-type': 'application/n-quads', authorization: 'Bearer none' };
  // Passed on, and refused there.
  const posted = await fetch(`${to}/water`, { method: 'POST', body, headers });
  expect([posted.status, posted.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')]);
  // It takes queries of the one, and none of the other.
  const described = async (name: string) => (await fetch(`${to}/${name}/sparql`)).status;
  expect([await described('water'), await described('vehicles')]).toEqual([200, 404]);
});

test('CLU-43 a node that joins follows what the writer publishes anew, and waits for the first of it', async () => {
  const nats = new FakeNats();
  const b = await serving(nats, { join: await joining('b') });
  await b.stderr.until(/Waiting for a node that publishes one/);
  const a = await serving(nats, { configFile: await written() });
  await a.base();
  // Who does not write publishes nothing.
  expect(nats.shared).toBeUndefined();
  nats.nodes.get('a')?.become({ role: 'writer' });
  const base = await b.base();
  const statusOf = async (name: string) => (await fetch(`${base}/${name}`)).status;
  expect([await statusOf('water'), await statusOf('vehicles')]).toEqual([200, 200]);
  const { streams, ...all } = nats.shared as { streams: object[] };
  nats.publish({ ...all, push: {}, streams: streams.slice(0, 1) });
  await b.stderr.until(/"removed":\["vehicles"\].*"configuration reloaded"/);
  expect([await statusOf('water'), await statusOf('vehicles')]).toEqual([200, 404]);
  expect(b.stderr.text).toMatch(/"file":"cluster","keys":\["push"\].*"restart needed"/);
  nats.publish({ version: 2 });
  await b.stderr.until(/"code":"ERR_SHARED_CONFIG".*"reload failed"/);
  expect(await statusOf('water')).toBe(200);
  // No secret leaves the node that has it.
  expect(JSON.stringify(all) + JSON.stringify(streams)).not.toMatch(/0{63}1|127\.0\.0\.1/);
});

test('CLU-43 a configuration of another version is refused at the start', async () => {
  const nats = new FakeNats();
  nats.shared = { version: 7 };
  const options = { host: '127.0.0.1', port: 0, join: await joining('b') };
  const refusal = { code: 'ERR_SHARED_CONFIG', message: expect.stringContaining('version 7') };
  await expect(serve(options, environment(), nats.load)).rejects.toMatchObject(refusal);
});

test('CLU-43 who waits for a configuration ends when that is interrupted', async () => {
  const nats = new FakeNats();
  const b = await serving(nats, { join: await joining('b') });
  await b.stderr.until(/Waiting/);
  b.interrupt();
  await b.ended;
  expect([b.stdout.text, nats.listeners.size]).toEqual(['', 0]);
});

test('CLU-43 `cluster problem` tells that the configuration could not be published', async () => {
  const nats = new FakeNats();
  nats.publish = () => {
    throw new Error('The store is full.');
  };
  const a = await serving(nats, { configFile: await written() });
  await a.base();
  nats.nodes.get('a')?.become({ role: 'writer' });
  await a.stderr.until(
    /"node":"a","code":"ERR_SHARED_CONFIG","message":"Error: The store is full\.","msg":"cluster problem"/,
  );
});

test('the start tells of a node where it is, and where it keeps its data', () => {
  const store = { servers: ['nats://a:4222'] };
  const plan = { publicUrl: 'http://a.example/', store, nats: { replicas: 1, path: '/data' }, node: 'b' };
  const stream = { description: describeStream({ publicUrl: plan.publicUrl, name: 'x', title: 'X' }) };
  const text = startText({ ...plan, streams: [stream] }, '127.0.0.1:3000', false);
  expect(text).toContain(
    'It listens on 127.0.0.1:3000, as the node b of the cluster at nats://a:4222, and keeps its data in /data.\n',
  );
});
