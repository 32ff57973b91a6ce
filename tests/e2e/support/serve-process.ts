import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/ldes-live.js', import.meta.url));

// A process runs the command as it is built, so that has to be what the sources say.
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--build'], { cwd: ROOT, stdio: 'inherit' });

/** The command `ldes-live` as a process of its own, as users run it. */
export interface CommandProcess {
  readonly child: ChildProcess;
  /** What it has written to standard output and standard error so far. */
  readonly output: () => string;
  readonly errorOutput: () => string;
  /** Waits for its end; its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Starts the command. */
export function startCommand(args: readonly string[], cwd?: string): CommandProcess {
  const child = spawn(process.execPath, [COMMAND, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errorOutput] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  return { child, output: () => output, errorOutput: () => errorOutput, ended };
}

/** Waits until a URL answers with 200, as long as the process lives. */
export async function answers(url: string, { child, errorOutput }: CommandProcess): Promise<Response> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${errorOutput()}`);
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return response;
    await response?.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} does not answer: ${errorOutput()}`);
}
