/*
 * The command as a process that is measured while it takes something: its memory, its CPU time, and how long its event loop
 * does nothing else.
 *
 *   const server = await serve({ streams: { water: { source: { post: true, tokens: [...] } } } })
 *   await server.measured(() => post(server, body))   // { peakMib: 41, holdCpuMs: 12, holdMs: 15, cpuMs: 300, tookMs: 420 }
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { reservedPort } from '@ldes-live/test-support/net';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WATCH = new URL('./watch.mjs', import.meta.url).href;
const TOKEN = 'token-of-limits';

/** What something took of a process. */
export interface Taken {
  /** Anonymous memory at its peak, above that before. */
  readonly peakMib: number;
  /** The longest CPU time of the main thread from one turn of a timer to the next. */
  readonly holdCpuMs: number;
  /** The longest time that the event loop did not come to a timer. */
  readonly holdMs: number;
  readonly cpuMs: number;
  readonly tookMs: number;
}

export interface Product {
  /** Its public URL. */
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  /** What it takes until something is over. */
  measured(run: () => Promise<unknown>): Promise<Taken>;
  close(): Promise<void>;
}

/** Starts `ldes-live serve` on a configuration; resolves when it answers. */
export async function serve(config: object): Promise<Product> {
  const folder = await mkdtemp(join(tmpdir(), 'ldes-live-limits-'));
  const port = await reservedPort();
  const url = `http://127.0.0.1:${port}/`;
  const file = join(folder, 'config.yml');
  await writeFile(file, JSON.stringify({ publicUrl: url, store: './data', ...config }));
  const child = start(['serve', file, '--host', '127.0.0.1', '--port', String(port)]);
  for (;;) {
    if (child.exitCode !== null) throw new Error(`ldes-live serve ended with ${child.exitCode}`);
    if (await fetch(`${url}health`).then(isAnswered, () => false)) break;
    await sleep(50);
  }
  await settled(child);
  return {
    url,
    port,
    folder,
    measured: (run) => measured(child, run),
    close: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function isAnswered(response: Response): Promise<boolean> {
  await response.text();
  return true;
}

/**
 * Runs `ldes-live follow` until it ends.
 *
 * @param asked - resolves when it asks for the first time: what it takes from then on counts
 */
export async function runCommand(args: readonly string[], asked: Promise<unknown>): Promise<Taken> {
  const child = start(args);
  await asked;
  try {
    const taken = await measured(child, async () => {
      if (child.exitCode === null) await once(child, 'exit');
    });
    // What it has refused, or waited for, took nothing that would be the worst.
    if (child.exitCode !== 0 && taken.peakMib <= CAP_MIB) throw new Error(`The command ended with ${child.exitCode}.`);
    return taken;
  } finally {
    child.kill('SIGKILL');
  }
}

/** The tokens of a source of posts. */
export const tokens = [createHash('sha256').update(TOKEN).digest('hex')];
export const authorization = `Bearer ${TOKEN}`;

function start(args: readonly string[]): ChildProcess {
  const command = ['--import', WATCH, join(ROOT, 'packages/cli/bin/ldes-live.js'), ...args];
  return spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
}

const LOOK_MS = 5;

/** What comes with the start is not counted: waits until it does nothing more. */
async function settled({ pid }: ChildProcess): Promise<void> {
  for (let before = -1; cpuMsOf(pid) - before > 20; ) {
    before = cpuMsOf(pid);
    await sleep(500);
  }
}

/** Nobody has to take more to show that it is too much. */
const CAP_MIB = 2048;

async function measured(child: ChildProcess, run: () => Promise<unknown>): Promise<Taken> {
  const { pid } = child;
  const [baseMib, startCpuMs, startMs] = [anonymousMib(pid), cpuMsOf(pid), performance.now()];
  let [peakMib, cpuMs] = [0, 0];
  let end: (() => void) | undefined;
  const isOver = new Promise<void>((resolve) => {
    end = resolve;
  });
  const look = () => {
    peakMib = Math.max(peakMib, anonymousMib(pid) - baseMib);
    cpuMs = Math.max(cpuMs, cpuMsOf(pid) - startCpuMs);
    if (peakMib > CAP_MIB) end?.();
  };
  const looking = setInterval(look, LOOK_MS);
  try {
    child.send('begin');
    // It tells by itself as it ends.
    const longest = once(child, 'message');
    await Promise.race([run(), isOver]);
    look();
    const tookMs = performance.now() - startMs;
    if (peakMib > CAP_MIB) return { peakMib, holdCpuMs: Number.NaN, holdMs: Number.NaN, cpuMs, tookMs };
    if (child.connected) child.send('end', () => undefined);
    const [{ holdMs, holdCpuMs }] = (await longest) as [Pick<Taken, 'holdMs' | 'holdCpuMs'>];
    return { peakMib, holdCpuMs, holdMs, cpuMs, tookMs };
  } finally {
    clearInterval(looking);
    end?.();
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function anonymousMib(pid = 0): number {
  return Number(/^RssAnon:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

const TICK_MS = 10;

function cpuMsOf(pid = 0): number {
  // Its name, in brackets, may hold anything.
  const fields = textOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return TICK_MS * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
}
