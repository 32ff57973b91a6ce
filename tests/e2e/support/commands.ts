import { type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, inject } from 'vitest';

/** The folder of this repository, ending in `/`. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The command `ldes-live`. It runs as it is built, which is left to whoever runs the tests: `npm run build`. */
export const COMMAND = `${ROOT}packages/cli/bin/ldes-live.js`;

/** A program as a process of its own, as users run it. */
export interface RunningProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** What it has written to standard output and standard error so far. */
  readonly output: () => string;
  readonly errorOutput: () => string;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Waits until it has printed something. */
  prints(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends it. */
  stop(): Promise<void>;
}

/** Starts a program. What is `detached` ends with the processes that it has started. */
export function startProcess(
  file: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'detached'> = {},
): RunningProcess {
  const child = spawn(file, args, { ...options, stdio: 'pipe' });
  let [output, errorOutput] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  return {
    child,
    output: () => output,
    errorOutput: () => errorOutput,
    ended,
    prints: async (pattern) => {
      const finds = () => expect(output, errorOutput).toMatch(pattern);
      await eventually(finds, { forMs: 60_000 });
      return pattern.exec(output) as RegExpExecArray;
    },
    stop: async () => {
      const { pid, exitCode, signalCode } = child;
      if (pid !== undefined && exitCode === null && signalCode === null) process.kill(options.detached ? -pid : pid);
      await ended;
    },
  };
}

/** Starts the command. */
export function startCommand(args: readonly string[], cwd?: string): RunningProcess {
  return startProcess(process.execPath, [COMMAND, ...args], { ...(cwd && { cwd }) });
}

/** Starts an example by its path below `examples/`. */
export function startExample(path: string, ...args: readonly string[]): RunningProcess {
  return startProcess(process.execPath, [`${ROOT}examples/${path}`, ...args]);
}

/** Waits until a URL answers with 200, as long as the process lives. */
export async function answers(url: string, { child, errorOutput }: RunningProcess): Promise<Response> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${errorOutput()}`);
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return response;
    await response?.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} does not answer: ${errorOutput()}`);
}

/** The demonstration that all tests read, once it answers; its public URL. */
export async function demonstration(): Promise<string> {
  const base = inject('demonstration');
  await eventually(async () => expect((await fetch(`${base}vehicles/latest`)).ok).toBe(true), { forMs: 60_000 });
  return base;
}
