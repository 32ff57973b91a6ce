import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { keptFolder } from './folders.ts';
import { listen, reservedPort } from './net.ts';

/** NATS servers of this machine, with JetStream, that a test starts and ends. */
export interface NatsServers {
  readonly urls: readonly string[];
  readonly ports: readonly number[];
  /** Process ids of those that run, by index. */
  pid(index: number): number;
  start(index: number): Promise<void>;
  /** By SIGKILL, unless another signal is given. */
  kill(index: number, signal?: NodeJS.Signals): Promise<void>;
  /** Lines of the log of one of them. */
  log(index: number): string;
  close(): Promise<void>;
}

// Where Debian has it, which is on the path of root alone.
const DEBIAN = '/usr/sbin/nats-server';
const PROGRAM = existsSync(DEBIAN) ? DEBIAN : 'nats-server';

/** Whether it is installed; with CI=true it has to be. */
export const hasNats = process.env.CI === 'true' || spawnSync(PROGRAM, ['--version']).error === undefined;

/**
 * Starts them; of several each entry can be kept on three.
 *
 * @param lines - of the configuration of each, besides what it needs
 */
export async function startNats({ count = 1, lines = '', hasJetStream = true } = {}): Promise<NatsServers> {
  const folder = await keptFolder();
  const indices = Array.from({ length: count }, (_, index) => index);
  const ports = await Promise.all(indices.map(reservedPort));
  const routePorts = await Promise.all(indices.map(reservedPort));
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`).join(', ');
  for (const index of indices) {
    const cluster =
      count === 1
        ? ''
        : `cluster { name: test, listen: "127.0.0.1:${routePorts[index]}", routes: [${routes}], no_advertise: true }`;
    await writeFile(
      join(folder, `${index}.conf`),
      `server_name: n${index}\nlisten: "127.0.0.1:${ports[index]}"\nlog_file: "${join(folder, `${index}.log`)}"
${hasJetStream ? `jetstream { store_dir: "${join(folder, `${index}`)}", max_file_store: 8GB }` : ''}\n${cluster}\n${lines}\n`,
    );
  }
  const running: (ChildProcess | undefined)[] = [];
  const kill = async (index: number, signal: NodeJS.Signals = 'SIGKILL') => {
    const server = running[index];
    running[index] = undefined;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  };
  const start = async (index: number) => {
    const server = spawn(PROGRAM, ['-c', join(folder, `${index}.conf`)], { stdio: 'ignore' });
    running[index] = server;
    await once(server, 'spawn');
  };
  const log = (index: number) => {
    try {
      return readFileSync(join(folder, `${index}.log`), 'utf8');
    } catch {
      return '';
    }
  };
  await Promise.all(indices.map(start));
  for (let waitedMs = 0; indices.some((index) => !log(index).includes('Server is ready')); waitedMs += 50) {
    if (waitedMs > 10_000) throw new Error(`nats-server did not start: ${indices.map(log).join('\n')}`);
    await delay(50);
  }
  return {
    urls: ports.map((port) => `nats://127.0.0.1:${port}`),
    ports,
    pid: (index) => running[index]!.pid!,
    start,
    kill,
    log,
    close: async () => {
      await Promise.all(indices.map((index) => kill(index)));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The way of one node to a NATS server, for as long as its test. */
export interface NatsWay {
  readonly urls: readonly string[];
  /** What of one direction is dropped, and how late everything is. */
  readonly held: { up: boolean; down: boolean; delayMs: number };
  /** Breaks all connections, and takes none, until it is told otherwise. */
  cut(cuts: boolean): void;
}

export async function natsWay(port: number): Promise<NatsWay> {
  const sockets = new Set<Socket>();
  const held = { up: false, down: false, delayMs: 0 };
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return client.destroy();
    const onward = connect(port, '127.0.0.1');
    for (const socket of [client, onward]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        onward.destroy();
        sockets.delete(socket);
      });
    }
    const pass = (to: Socket, bytes: Buffer) => {
      if (held.delayMs === 0) to.write(bytes);
      else setTimeout(() => to.write(bytes), held.delayMs);
    };
    client.on('data', (bytes) => !held.up && pass(onward, bytes));
    onward.on('data', (bytes) => !held.down && pass(client, bytes));
    return undefined;
  });
  const own = await listen(server);
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    drop();
    server.close();
  });
  return {
    urls: [`nats://127.0.0.1:${own}`],
    held,
    cut: (cuts) => {
      isCut = cuts;
      if (cuts) drop();
    },
  };
}
