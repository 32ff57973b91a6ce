import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { reservedPort } from '@ldes-live/test-support/net';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Public URL of one demonstration for all files of tests, ending in `/`; it may not answer yet. */
    readonly demonstration: string;
  }
}

let server: ChildProcess | undefined;

/** Starts the demonstration, and does not wait for it: most files of tests need none. */
export async function setup({ provide }: TestProject): Promise<void> {
  const built = fileURLToPath(new URL('../../packages/cli/dist/index.js', import.meta.url));
  if (!existsSync(built)) throw new Error('The packages are not built: run npm run build.');
  const port = await reservedPort();
  const command = fileURLToPath(new URL('../../packages/cli/bin/ldes-live.js', import.meta.url));
  const args = [command, 'serve', '--demo', '--port', String(port)];
  server = spawn(process.execPath, args, { cwd: tmpdir(), stdio: ['ignore', 'ignore', 'inherit'] });
  provide('demonstration', `http://localhost:${port}/`);
}

export async function teardown(): Promise<void> {
  if (server?.exitCode !== null || server.signalCode !== null) return;
  server.kill();
  await once(server, 'close');
}
