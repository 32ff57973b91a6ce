/*
 * A server that is started, ended, killed and started again, as a process of its own on one port and one folder; and what it
 * takes while it lives, by /proc and its own metrics.
 *
 *   const lives = new ServerLives({ command, folder, port }); await lives.start(); await lives.end('SIGKILL'); await lives.start()
 *   await lives.look() -> { ownMib: 212, peakMib: 305, descriptors: 540, connections: 500, loopP99Ms: 12, ... }
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from '../machine.ts';
import { endWithThis } from '../processes.ts';

/** What is known of a running server at an instant, by figure; without those that were not to be had. */
export type Look = Readonly<Partial<Record<LookFigure, number>>>;

export const LOOK_FIGURES = [
  'ownMib',
  'peakMib',
  'descriptors',
  'connections',
  'loopP99Ms',
  'loopMaxMs',
  'dataFiles',
  'dataMib',
] as const;
export type LookFigure = (typeof LOOK_FIGURES)[number];

const MIB = 1024 * 1024;
// A machine that does much else starts slowly, which is not what is judged.
const [START_LIMIT_MS, START_TRY_MS] = [300_000, 250];
const METRICS_LIMIT_MS = 5000;

export class ServerLives {
  readonly #args: readonly string[];
  readonly #dataFolder: string;
  readonly #url: string;
  readonly #log: WriteStream;
  #child: ChildProcess | undefined;
  /** The number of the process that runs, from 0. */
  life = -1;
  /** Ends of the server that nobody asked for. */
  crashes = 0;
  /** Since when it runs; of the clock of `Date.now`. */
  startedMs = 0;

  /**
   * @param args - of Node.js: the command, `serve` and its options
   * @param options - `url` is its public URL, `logFile` has what it prints
   */
  constructor(
    args: readonly string[],
    options: { readonly url: string; readonly dataFolder: string; readonly logFile: string },
  ) {
    this.#args = args;
    this.#url = options.url;
    this.#dataFolder = options.dataFolder;
    this.#log = createWriteStream(options.logFile);
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Starts it; resolves when it answers. */
  async start(): Promise<void> {
    this.life += 1;
    const child = spawn(process.execPath, this.#args, { stdio: ['ignore', 'pipe', 'pipe'] });
    endWithThis(child);
    child.stdout.pipe(this.#log, { end: false });
    child.stderr.pipe(this.#log, { end: false });
    child.once('exit', () => {
      if (this.#child === child) this.crashes += 1;
    });
    this.#child = child;
    this.startedMs = Date.now();
    for (;;) {
      const isUp = await fetch(`${this.#url}health`).then(
        () => true,
        () => false,
      );
      if (isUp) return;
      if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode} as it started`);
      if (Date.now() - this.startedMs > START_LIMIT_MS) throw new Error('The server does not answer');
      await sleep(START_TRY_MS);
    }
  }

  /** Sends a signal; for one that ends it, resolves when it has ended: to what it took, milliseconds. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number> {
    const child = this.#child as ChildProcess;
    this.#child = undefined;
    const startMs = Date.now();
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, 'exit');
    }
    return Date.now() - startMs;
  }

  reload(): void {
    this.#child?.kill('SIGHUP');
  }

  /** What it takes now. */
  async look(): Promise<Look> {
    const status = textOf(`/proc/${this.pid}/status`);
    const kib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
    const [metrics, data, descriptors] = await Promise.all([
      this.#metrics(),
      folderSize(this.#dataFolder),
      readdir(`/proc/${this.pid}/fd`).catch(() => []),
    ]);
    const sample = (pattern: RegExp) => Number(pattern.exec(metrics)?.[1]);
    const delay = (quantile: string) =>
      1000 *
      sample(new RegExp(`^ldes_live_process_event_loop_delay_seconds\\{[^}]*quantile="${quantile}"\\} (\\S+)$`, 'm'));
    const look = {
      ownMib: kib('RssAnon') / 1024,
      peakMib: kib('VmHWM') / 1024,
      descriptors: descriptors.length || Number.NaN,
      connections: sample(/^ldes_live_push_admitted_connections (\S+)$/m),
      loopP99Ms: delay('0.99'),
      loopMaxMs: delay('1'),
      dataFiles: data.files,
      dataMib: data.bytes / MIB,
    };
    return Object.fromEntries(Object.entries(look).filter(([, value]) => !Number.isNaN(value)));
  }

  async #metrics(): Promise<string> {
    const signal = AbortSignal.timeout(METRICS_LIMIT_MS);
    return fetch(`${this.#url}metrics`, { signal }).then(
      (response) => response.text(),
      () => '',
    );
  }
}

/** Files of a folder and all below it; those that leave meanwhile do not count. Holes in a file take no space. */
async function folderSize(folder: string): Promise<Readonly<{ files: number; bytes: number }>> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const stats = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)));
  const files = stats.filter((one) => one?.isFile());
  return { files: files.length, bytes: files.reduce((sum, one) => sum + 512 * (one?.blocks ?? 0), 0) };
}
