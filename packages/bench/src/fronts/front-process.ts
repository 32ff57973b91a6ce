import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onCore } from '../child.ts';
import { endWithThis } from '../end-with-this.ts';
import { isInstalled, programPath } from '../installed-program.ts';
import { cpuMicrosOf, processTree, residentBytesOf } from '../process-usage.ts';

/** A cache in front of a publisher. */
export interface Front {
  /** Where it is reached, ending in `/`. */
  readonly url: string;
  /** Ports that its clients take in turns: one, unless it consists of several that a process each. */
  readonly ports: readonly number[];
  /** CPU time of all its processes and their threads, microseconds. */
  cpuMicros(): number;
  /** Resident memory of all its processes, bytes; `undefined` where the system does not tell. */
  residentBytes(): number | undefined;
  close(): Promise<void>;
}

/** Where a front listens, and what it may use. */
export interface FrontOptions {
  /** @defaultValue a free one */
  readonly port?: number | undefined;
  /** The core that it keeps to; absent: any. */
  readonly core?: number | undefined;
  /**
   * Processes that share its clients: one may have some 18,000 connections. Absent: as it is deployed.
   */
  readonly processes?: number | undefined;
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
 * @param core - that it keeps to, `undefined` for any
 */
export async function startFront(
  program: string,
  port: number,
  prepare: (folder: string) => Promise<readonly string[]>,
  core?: number,
): Promise<Front> {
  if (!isInstalled(program)) throw new Error(`${program} is not installed`);
  const folder = await mkdtemp(join(tmpdir(), `ldes-live-${program}-`));
  // Started by root, a daemon works as another user, who has to get in.
  await chmod(folder, 0o755);
  const [file, ...args] = onCore(core, [programPath(program), ...(await prepare(folder))]);
  const child = spawn(file as string, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errorOutput = '';
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk;
  });
  endWithThis(child);
  const failed = once(child, 'error').then(([error]) => {
    throw error;
  });
  failed.catch(() => undefined);
  const close = async () => {
    if (child.pid !== undefined && child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'close');
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await Promise.race([listening(port, child, () => errorOutput), failed]);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: `http://127.0.0.1:${port}/`,
    ports: [port],
    cpuMicros: () => cpuMicrosOf(processTree(child.pid ?? 0)),
    residentBytes: () => residentBytesOf(processTree(child.pid ?? 0)),
    close,
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
