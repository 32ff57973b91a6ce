/* Nodes of a cluster as they are deployed: the command as processes of their own, behind Varnish with the configuration of
 * `deploy/`. One serves what the others do, until the one that writes is killed, and another one is cut off. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { programPath, VARNISH_CONFIGURATION, varnishParameters } from '@ldes-live/bench/programs';
import { createLiveClient } from '@ldes-live/client';
import { parseCursor } from '@ldes-live/rdf-stream';
import type { HealthReport } from '@ldes-live/server';
import { eventually } from '@ldes-live/test-support/eventually';
import { keptFolder, temporaryFolder } from '@ldes-live/test-support/folders';
import { type NatsServers, startNats } from '@ldes-live/test-support/nats';
import { reservedPort } from '@ldes-live/test-support/net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FeedServer, feedServer, vehicleFeed } from '../support/feed-server.ts';
import { ask } from './caches/world.ts';
import { answers, COMMAND, ROOT, type RunningProcess, startCommand, startProcess } from './support/commands.ts';
import { type CuttingProxy, cuttingProxy } from './support/cutting-proxy.ts';
import { isThere, need } from './support/programs.ts';

const TOKEN = 'a-token-of-tests';
const TOKEN_HASH = createHash('sha256').update(TOKEN).digest('hex');
const NAMES = ['node-1', 'node-2', 'node-3'];
const VEHICLES = 5;

interface Node {
  readonly name: string;
  readonly url: string;
  readonly process: RunningProcess;
  /** Between it and NATS. */
  readonly way: CuttingProxy;
  health(): Promise<HealthReport>;
}

describe('nodes behind Varnish', () => {
  need('nats-server', 'varnishd');
  let [folder, publicUrl] = ['', ''];
  let nats: NatsServers;
  let feed: FeedServer;
  let nodes: Node[] = [];
  let varnish: RunningProcess;
  let moves = 0;

  /** Each vehicle is elsewhere. */
  const move = () => {
    moves += 1;
    const vehicle = { position: { latitude: 51, longitude: 4, bearing: moves % 360 } };
    feed.serve(vehicleFeed(1_700_000_000 + moves, Array(VEHICLES).fill(vehicle)));
  };
  const headOf = async ({ health }: Node) => parseCursor((await health()).streams.vehicles?.cursor as string);

  async function startNode(name: string, port: number): Promise<Node> {
    const way = await cuttingProxy(nats.ports[0] as number);
    await mkdir(join(folder, name));
    const config = `publicUrl: ${publicUrl}
store: nats://127.0.0.1:${way.port}
node: ${name}
streams:
  vehicles: { source: { gtfsRt: "${feed.url}", every: 200ms }, queries: true }
  posted: { source: { post: true, tokens: ["${TOKEN_HASH}"] } }
`;
    await writeFile(join(folder, name, 'config.yml'), config);
    const node = startCommand(['serve', 'config.yml', '--port', String(port)], join(folder, name));
    const url = `http://127.0.0.1:${port}/`;
    await answers(`${url}health`, node);
    return {
      name,
      url,
      process: node,
      way,
      health: async () => (await fetch(`${url}health`)).json() as Promise<HealthReport>,
    };
  }

  async function startVarnish(port: number, ports: readonly number[]): Promise<RunningProcess> {
    const deployed = join(VARNISH_CONFIGURATION, '..');
    let text = await readFile(join(deployed, 'varnish-cluster.vcl'), 'utf8');
    for (const [index, name] of NAMES.entries()) {
      const address = `.host = "${name}";\n    .port = "3000";`;
      expect(text).toContain(address);
      text = text.replace(address, `.host = "127.0.0.1";\n    .port = "${ports[index]}";`);
    }
    const file = join(folder, 'cluster.vcl');
    await writeFile(file, text);
    const parameters = [...varnishParameters(await readFile(VARNISH_CONFIGURATION, 'utf8')), `vcl_path=${deployed}`];
    const place = ['-F', '-j', 'none', '-n', join(folder, 'varnish'), '-s', 'malloc,64m', '-T', 'none', '-S', 'none'];
    const listen = ['-f', file, '-a', `127.0.0.1:${port}`, ...parameters.flatMap((parameter) => ['-p', parameter])];
    const started = startProcess(programPath('varnishd'), [...place, ...listen]);
    await answers(`http://127.0.0.1:${port}/health`, started);
    return started;
  }

  beforeAll(async () => {
    if (!isThere('nats-server') || !isThere('varnishd')) return;
    folder = await keptFolder();
    nats = await startNats();
    feed = await feedServer();
    move();
    const port = await reservedPort();
    publicUrl = `http://127.0.0.1:${port}/`;
    const ports = await Promise.all(NAMES.map(reservedPort));
    nodes = await Promise.all(NAMES.map((name, index) => startNode(name, ports[index] as number)));
    varnish = await startVarnish(port, ports);
  });
  afterAll(async () => {
    if (!folder) return;
    await varnish?.stop();
    for (const node of nodes) node.process.child.kill('SIGKILL');
    await Promise.all(nodes.map(({ process: { ended } }) => ended));
    await Promise.all(nodes.map(({ way }) => way.close()));
    await Promise.all([nats?.close(), feed?.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  test('nats-server accepts its configuration', async () => {
    const env = { ...process.env, HOSTNAME: 'nats-1' };
    const check = startProcess(programPath('nats-server'), ['-t', '-c', `${ROOT}deploy/nats.conf`], { env });
    expect(await check.ended, check.errorOutput()).toBe(0);
  });

  test('CLU-1, CLU-26 every node says who writes, and serves the same bytes and tags, and answers the same queries', async () => {
    for (let turn = 2; turn <= 3; turn += 1) {
      await eventually(async () => {
        for (const node of nodes) expect((await headOf(node)).sequence).toBe(moves * VEHICLES);
      });
      move();
    }
    await eventually(async () => {
      for (const node of nodes) expect((await headOf(node)).sequence).toBe(moves * VEHICLES);
    });
    const told = await Promise.all(nodes.map(({ health }) => health()));
    const writers = told.flatMap(({ cluster }) => (cluster?.role === 'writer' ? cluster.node : []));
    expect(writers).toHaveLength(1);
    expect(told.map(({ status, cluster }) => ({ status, cluster }))).toEqual(
      NAMES.map((node) => {
        const role = node === writers[0] ? { role: 'writer' } : { role: 'follower', writer: writers[0] };
        return { status: 'ok', cluster: { node, problems: [], ...role } };
      }),
    );
    const { epoch } = await headOf(nodes[0] as Node);
    for (const path of ['vehicles', 'vehicles/latest', `vehicles/pages/${epoch}/0`, 'vehicles/shape', '']) {
      const headers = { accept: 'text/turtle' };
      const [first, ...others] = await Promise.all(nodes.map(({ url }) => ask(url + path, { headers })));
      expect([first?.status, first?.headers['content-type']], path).toEqual([
        200,
        expect.stringMatching('^text/turtle'),
      ]);
      expect(first?.headers.etag, path).toBeDefined();
      for (const { status, headers: fields, body } of others) {
        expect([status, fields.etag, body.equals(first?.body as Buffer)], path).toEqual([
          200,
          first?.headers.etag,
          true,
        ]);
      }
    }
    const query = new URLSearchParams({ query: 'SELECT (COUNT(?s) AS ?n) { ?s a ?type; ?p ?o }' });
    const results = await Promise.all(
      nodes.map(async ({ url }) => (await fetch(`${url}vehicles/sparql?${query}`)).json()),
    );
    expect(results[0]).toMatchObject({ results: { bindings: [{ n: { value: expect.stringMatching(/^[1-9]/) } }] } });
    for (const result of results) expect(result).toEqual(results[0]);
  });

  test('CLU-21 a post to any node, and through Varnish, is stored once and is on all of them', async () => {
    const posters = [...nodes.map(({ url }) => url), publicUrl];
    for (const [index, url] of posters.entries()) {
      const body = `<${publicUrl}posted/entities/${index}> <http://example.org/number> ${index} .`;
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'text/turtle' };
      const response = await fetch(`${url}posted`, { method: 'POST', headers, body });
      expect([response.status, await response.json()]).toMatchObject([201, { stored: 1, unchanged: 0 }]);
    }
    await eventually(async () => {
      for (const { url, health } of nodes) {
        expect(parseCursor((await health()).streams.posted?.cursor as string).sequence).toBe(posters.length);
        const text = (await ask(`${url}posted/latest`, { headers: { accept: 'application/n-quads' } })).body.toString();
        for (const index of posters.keys()) expect(text.split(`number> "${index}"`)).toHaveLength(2);
      }
    });
  });

  test('CLU-5 after the writer is killed another one writes within 10 s, and a reader behind Varnish has all, in order', async () => {
    const stop = new AbortController();
    const follower = createLiveClient({ mal: 2 }).follow(`${publicUrl}vehicles`, {
      from: 'start',
      signal: stop.signal,
    });
    const told: (number | 'gap')[] = [];
    const reading = (async () => {
      for await (const change of follower) told.push(change.kind === 'gap' ? 'gap' : change.member.sequence);
    })().catch((error) => {
      if (!stop.signal.aborted) throw error;
    });
    const moving = setInterval(move, 250);
    await eventually(() => expect(told.length).toBeGreaterThan(6 * VEHICLES));
    expect(follower.status.mode).toBe('push');
    const roles = await Promise.all(nodes.map(async ({ health }) => (await health()).cluster?.role));
    const [killed] = nodes.splice(roles.indexOf('writer'), 1) as [Node];
    killed.process.child.kill('SIGKILL');
    const killedMs = Date.now();
    await killed.process.ended;
    // Before Varnish knows: each wording is fetched for itself, from whichever node.
    for (let turn = 1; turn <= 6; turn += 1) {
      const headers = { accept: `application/trig;q=0.${turn}` };
      expect((await ask(`${publicUrl}vehicles/latest`, { headers })).status).toBe(200);
    }
    await killed.way.close();
    await eventually(
      async () => {
        const healths = await Promise.all(nodes.map(({ health }) => health()));
        expect(healths.map(({ cluster }) => cluster?.role).sort()).toEqual(['follower', 'writer']);
      },
      { forMs: 30_000 },
    );
    expect(Date.now() - killedMs).toBeLessThan(10_000);
    const known = told.length;
    await eventually(() => expect(told.length).toBeGreaterThan(known + 6 * VEHICLES), { forMs: 40_000 });
    clearInterval(moving);
    await eventually(async () => {
      const heads = await Promise.all(nodes.map(headOf));
      expect(heads.map(({ sequence }) => sequence)).toEqual(nodes.map(() => told.at(-1)));
    });
    stop.abort();
    await reading;
    expect(told).toEqual(told.map((_, index) => index + 1));
  }, 120_000);

  test('CLU-24 a node that is cut off says so, and Varnish takes documents from another one', async () => {
    const roles = await Promise.all(nodes.map(async ({ health }) => (await health()).cluster?.role));
    const [lost] = nodes.filter((_, index) => roles[index] === 'follower') as [Node];
    await lost.way.close();
    await eventually(async () => {
      const response = await fetch(`${lost.url}health`);
      expect([response.status, await response.json()]).toMatchObject([
        200,
        { status: 'degraded', cluster: { role: 'cut-off' } },
      ]);
    });
    const source = /failing;.*complete-to=@/;
    const straight = await ask(`${lost.url}vehicles/latest`);
    expect(straight.headers['ldes-source']).toMatch(source);
    expect(straight.headers['cache-control']).toMatch(/max-age=0/);
    for (let turn = 1; turn <= 6; turn += 1) {
      // Each wording is fetched for itself.
      const answer = await ask(`${publicUrl}vehicles/latest`, { headers: { accept: `text/turtle;q=0.${turn}` } });
      expect(answer.status).toBe(200);
      expect(answer.headers['ldes-source'] ?? '').not.toMatch(source);
    }
    // Where no other is left its answer will do, in its words.
    for (const node of nodes) if (node !== lost) node.process.child.kill('SIGKILL');
    await eventually(async () => {
      const answer = await ask(`${publicUrl}vehicles/latest`, { headers: { accept: 'text/turtle;q=0.7' } });
      expect([answer.status, answer.headers['ldes-source'] ?? '', answer.headers['cache-control'] ?? '']).toEqual([
        200,
        expect.stringMatching(source),
        expect.stringMatching(/max-age=0/),
      ]);
    });
  });
});

test('a store in a folder loads nothing of NATS', async () => {
  const folder = await temporaryFolder({
    'config.yml': `publicUrl: http://localhost/\nstore: ./data\nstreams: { posted: { source: { post: true, tokens: ["${TOKEN_HASH}"] } } }\n`,
  });
  const port = String(await reservedPort());
  // At its end Node.js writes what it has loaded.
  const env = { ...process.env, NODE_V8_COVERAGE: join(folder, 'loaded') };
  const server = startProcess(process.execPath, [COMMAND, 'serve', 'config.yml', '--port', port], { cwd: folder, env });
  await answers(`http://127.0.0.1:${port}/posted`, server);
  await server.stop();
  const files = await readdir(join(folder, 'loaded'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, 'loaded', file), 'utf8')));
  const urls = texts.flatMap((text) => (JSON.parse(text).result as { url: string }[]).map(({ url }) => url));
  expect(urls).toContain(`file://${ROOT}packages/log/dist/lmdb-store.js`);
  expect(urls.filter((url) => /@nats-io|\/dist\/nats\//.test(url))).toEqual([]);
});
