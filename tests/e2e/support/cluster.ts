import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import type { NatsServers } from '@ldes-live/test-support/nats';
import { listen, reservedPort } from '@ldes-live/test-support/net';
import { onTestFinished } from 'vitest';
import { answers, type RunningProcess, startCommand } from './commands.ts';

/** Stands before servers on loopback, and hands each connection to the next one that listens. */
async function balancer(ports: readonly number[]) {
  const sockets = new Set<Socket>();
  let turns = 0;
  const server = createServer((client) => {
    const keep = (socket: Socket) => {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    };
    keep(client);
    const attempt = (left: number) => {
      if (left === 0) return client.destroy();
      turns += 1;
      const onward = connect(ports[turns % ports.length] as number, '127.0.0.1');
      onward.once('error', () => attempt(left - 1));
      onward.once('connect', () => {
        onward.removeAllListeners('error');
        keep(onward);
        client.pipe(onward).pipe(client);
        client.on('close', () => onward.destroy());
        onward.on('close', () => client.destroy());
      });
      return undefined;
    };
    attempt(ports.length);
  });
  const port = await listen(server);
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return { port };
}

export const TOKEN = 'a-token-of-tests';
const TOKEN_HASH = createHash('sha256').update(TOKEN).digest('hex');

const MAPPING = `prefixes: { ex: http://example.org/ }
subject: "{+stream}/entities/things/{id}"
variables: { id: { path: id } }
type: ex:Thing
properties: [{ predicate: ex:number, path: number, convert: integer }]
`;

interface NodesOptions {
  readonly nats: NatsServers;
  /** How each of them reaches NATS. @defaultValue as the servers listen */
  readonly urls?: (node: number) => readonly string[];
  /** Of the JSON that is polled each second: `[{ "id": "a", "number": 1 }, ...]`. */
  readonly feedUrl: string;
  readonly count?: number;
}

/** Nodes of one cluster, as processes of the command, with two streams: `things` are polled, `posted` are posted. */
export async function startNodes({ nats, urls = () => nats.urls, feedUrl, count = 3 }: NodesOptions) {
  const folder = await temporaryFolder({ 'things.yml': MAPPING });
  const indices = Array.from({ length: count }, (_, index) => index);
  const ports = await Promise.all(indices.map(reservedPort));
  const front = await balancer(ports);
  const publicUrl = `http://127.0.0.1:${front.port}/`;
  for (const index of indices) {
    await mkdir(join(folder, `${index}`));
    await writeFile(
      join(folder, `${index}`, 'config.yml'),
      `publicUrl: ${publicUrl}
store: ${JSON.stringify(urls(index))}
nats: { replicas: ${nats.urls.length >= 3 ? 3 : 1} }
node: node-${index}
streams:
  things: { source: { json: "${feedUrl}", every: 1s, mapping: ../things.yml } }
  posted: { source: { post: true, tokens: ["${TOKEN_HASH}"] } }
`,
    );
  }
  const running: (RunningProcess | undefined)[] = [];
  const logs = indices.map(() => '');
  const start = async (index: number) => {
    const node = startCommand(
      ['serve', 'config.yml', '--port', String(ports[index]), '--no-web'],
      join(folder, `${index}`),
    );
    running[index] = node;
    await answers(`http://127.0.0.1:${ports[index]}/health`, node);
  };
  const kill = async (index: number, signal: NodeJS.Signals = 'SIGKILL') => {
    const node = running[index];
    running[index] = undefined;
    node?.child.kill(signal);
    await node?.ended;
    logs[index] += node?.errorOutput() ?? '';
  };
  onTestFinished(async () => {
    await Promise.all(indices.map((index) => kill(index)));
  });
  await Promise.all(indices.map(start));
  const urlOf = (index: number) => `http://127.0.0.1:${ports[index]}/`;
  return {
    publicUrl,
    urlOf,
    isRunning: (index: number) => running[index] !== undefined,
    start,
    kill,
    log: (index: number) => logs[index] + (running[index]?.errorOutput() ?? ''),
    /** `undefined` where it does not answer. */
    health: async (index: number) => {
      const response = await fetch(`${urlOf(index)}health`, { signal: AbortSignal.timeout(2000) }).catch(
        () => undefined,
      );
      return (await response?.json()) as { status: string; cluster: { role: string; since?: string } } | undefined;
    },
    /** A document as one of them serves it, under the URL that all have in common. */
    document: async (index: number, path: string) => {
      const response = await fetch(`${urlOf(index)}${path}`, { headers: { accept: 'application/n-quads' } });
      return { status: response.status, tag: response.headers.get('etag'), text: await response.text() };
    },
  };
}

export type Nodes = Awaited<ReturnType<typeof startNodes>>;
