import { join } from 'node:path';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, onTestFinished } from 'vitest';
import { main } from '../src/index.ts';
import { fakeProcess } from './fake-process.ts';

/** Runs the command to its end; what it wrote, and its exit code. */
export async function runCommand(...args: string[]): Promise<{ code: number; output: string; errorOutput: string }> {
  const process = fakeProcess(args);
  const code = await main(process);
  return { code, output: process.stdout.text, errorOutput: process.stderr.text };
}

/** Writes a configuration; its path. */
export async function configFile(text: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  return join(await temporaryFolder({ ...files, 'live.yml': text }), 'live.yml');
}

/** Serves until the test has ended; resolves once it listens. */
export async function served(...args: string[]) {
  const process = fakeProcess(['serve', ...args, '--port', '0']);
  const ended = main(process);
  onTestFinished(async () => {
    process.signal('SIGTERM');
    expect(await ended).toBe(0);
  });
  const [, address] = await process.stdout.until(/It listens on ([\d.]+:\d+)/);
  return { process, ended, base: `http://${address}/` };
}
