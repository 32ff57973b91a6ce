import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

/** A cache in front of a publisher. */
export interface Front {
  /** Where it is reached, ending in `/`. */
  readonly url: string;
  close(): Promise<void>;
}

// Daemons are not on the path of every user.
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** Path of a program; its bare name when it is not installed. */
export function programPath(name: string): string {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name;
}

/** Replaces what a deployment sets in a configuration; what is not there is a test that has gone stale. */
export function withSettings(text: string, settings: ReadonlyMap<string, string>): string {
  for (const setting of settings.keys()) {
    if (!text.includes(setting)) throw new Error(`the configuration does not have: ${setting}`);
  }
  return [...settings].reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
}

/**
 * Starts a program that listens on a port of loopback, in a folder of its own, and waits until it does.
 *
 * @param prepare - writes what it needs into the folder; the program's arguments
 */
export async function startFront(
  program: string,
  port: number,
  prepare: (folder: string) => Promise<readonly string[]>,
): Promise<Front> {
  const folder = await mkdtemp(join(tmpdir(), `ldes-live-${program}-`));
  // Started by root, a daemon works as another user, who has to get in.
  await chmod(folder, 0o755);
  const child = spawn(programPath(program), await prepare(folder), { stdio: ['ignore', 'ignore', 'pipe'] });
  let errorOutput = '';
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk;
  });
  const end = () => child.kill('SIGKILL');
  process.on('exit', end);
  const failed = once(child, 'error').then(([error]) => {
    throw error;
  });
  failed.catch(() => undefined);
  await Promise.race([listening(port, child, () => errorOutput), failed]);
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      process.off('exit', end);
      if (child.exitCode === null) {
        child.kill('SIGTERM');
        await once(child, 'close');
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function listening(port: number, child: ChildProcess, errorOutput: () => string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${errorOutput()}`);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await delay(50);
  }
  throw new Error(`nothing listens on port ${port}: ${errorOutput()}`);
}
