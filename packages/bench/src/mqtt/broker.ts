import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { programPath } from '../installed-program.ts';

/** A broker of its own, on loopback. */
export interface Broker {
  readonly port: number;
  readonly url: string;
  /** Its folder, for files that its configuration names. */
  readonly folder: string;
  /** Ends it in order; what it keeps is on disk. */
  stop(): Promise<void>;
  /** Starts it again at the same port over what it kept. */
  start(): Promise<void>;
  /** Ends it, and forgets what it kept. */
  close(): Promise<void>;
}

/** The program, and how it is called by its package. */
export const BROKER_PROGRAM = 'mosquitto';

/**
 * Starts Mosquitto with sessions and messages on disk and queues without end.
 *
 * @param lines - further lines of its configuration; given its folder
 */
export async function startBroker(lines: (folder: string) => readonly string[] = allowAll): Promise<Broker> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'ldes-live-mosquitto-'));
  const configuration = [
    `listener ${port} 127.0.0.1`,
    'persistence true',
    `persistence_location ${folder}/`,
    'autosave_interval 0',
    'max_queued_messages 0',
    'log_dest stderr',
    'log_type error',
    // Started by root it would work as another user, who may not write here.
    ...(process.getuid?.() === 0 ? ['user root'] : []),
    ...lines(folder),
  ];
  await writeFile(`${folder}/mosquitto.conf`, `${configuration.join('\n')}\n`);
  let child: ChildProcess | undefined;
  const end = () => child?.kill('SIGKILL');
  process.on('exit', end);
  const broker: Broker = {
    port,
    url: `mqtt://127.0.0.1:${port}`,
    folder,
    start: async () => {
      child = spawn(programPath(BROKER_PROGRAM), ['-c', `${folder}/mosquitto.conf`], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      await listening(port, child);
    },
    stop: async () => {
      const ending = child;
      child = undefined;
      if (!ending || ending.exitCode !== null) return;
      const ended = once(ending, 'close');
      ending.kill('SIGTERM');
      await ended;
    },
    close: async () => {
      await broker.stop();
      process.off('exit', end);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  await broker.start();
  return broker;
}

function allowAll(): readonly string[] {
  return ['allow_anonymous true'];
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  let errorOutput = '';
  let failure: Error | undefined;
  child.stderr?.on('data', (chunk) => {
    errorOutput += chunk;
  });
  child.once('error', (error) => {
    failure = error;
  });
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    if (failure) throw failure;
    if (child.exitCode !== null) throw new Error(`the broker ended with ${child.exitCode}: ${errorOutput}`);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await delay(10);
  }
  throw new Error(`nothing listens on port ${port}: ${errorOutput}`);
}
