/*
 * The machine that figures are of: what it is, which versions take part, and from Linux's /proc the CPU time and the memory
 * of processes with all that they started, and what other programs and the host of a virtual machine take meanwhile.
 *
 *   cpuMicrosOf(processTree(pid)) before and after -> CPU time of a server with its workers
 *   const host = await watchHost(); ... host.stolenShare()   // 0.02: the host gave 2 % of what was wanted to others
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPinnable, programPath } from './processes.ts';

/** Where a figure was measured. */
export type Machine = Readonly<ReturnType<typeof thisMachine>>;

/** This machine, as reports name it. */
export function thisMachine() {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model.trim() ?? 'unknown',
    cores: cpus.length,
    memoryGib: Math.round(os.totalmem() / 1024 ** 3),
    platform: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    /** Whether server and load had a core each of their own. */
    pinned: isPinnable(),
  };
}

/** Versions by name. */
export type Versions = Readonly<Record<string, string>>;

/** What takes part in every experiment. */
export function commonVersions(): Versions {
  return { 'Node.js': process.versions.node, ...packageVersions(['@ldes-live/server', '@ldes-live/client']) };
}

/** Versions of packages that this one depends on; without those that are not installed. */
export function packageVersions(names: readonly string[]): Versions {
  const { resolve } = createRequire(import.meta.url);
  return known(names, (name) => {
    try {
      return versionOf(resolve(name));
    } catch {
      return undefined;
    }
  });
}

function known<Name extends string>(names: readonly Name[], find: (name: Name) => string | undefined): Versions {
  const found = names.map((name) => [name, find(name)] as const);
  return Object.fromEntries(found.flatMap(([name, version]) => (version === undefined ? [] : [[name, version]])));
}

/** The version of the package that a module belongs to: that of the nearest folder above it that states one. */
export function versionOf(module: string): string | undefined {
  const folder = dirname(module);
  if (folder === module) return undefined;
  const description = join(folder, 'package.json');
  const text = existsSync(description) ? readFileSync(description, 'utf8') : '{}';
  return (JSON.parse(text) as { readonly version?: string }).version ?? versionOf(folder);
}

const PROGRAMS = {
  nginx: { commands: ['nginx'], option: '-v' },
  Varnish: { commands: ['varnishd'], option: '-V' },
  Chromium: { commands: ['chromium', 'chromium-browser', 'google-chrome'], option: '--version' },
} as const;

/** Versions of programs that are not packages; without those that are not on this machine. */
export function programVersions(names: readonly (keyof typeof PROGRAMS)[]): Versions {
  return known(names, (name) => {
    const { commands, option } = PROGRAMS[name];
    const texts = commands.map((command) => {
      const { stdout, stderr } = spawnSync(programPath(command), [option], { encoding: 'utf8' });
      return /(?<!\d)\d+\.\d[\d.]*/.exec(`${stdout}${stderr}`)?.[0];
    });
    return texts.find((text) => text !== undefined);
  });
}

/** Microseconds of a tick in `/proc/PID/stat`; USER_HZ is 100 wherever Linux runs. */
const TICK_MICROS = 10_000;

/** A process and all that descend from it; it alone where the system does not tell. */
export function processTree(pid: number): number[] {
  const children = tasksOf(pid).flatMap((task) =>
    textOf(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(processTree)];
}

/** CPU time of some processes with all their threads and all that they started and that ended, microseconds; 0 of those that are gone. */
export function cpuMicrosOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
}

// Its threads tell nanoseconds, but only as long as they live; the process tells ticks, of those too that have ended.
function cpuOf(pid: number): number {
  const nanos = tasksOf(pid).reduce((sum, task) => {
    return sum + Number(textOf(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]);
  }, 0);
  // Its name, in brackets, may hold anything.
  const fields = textOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return Math.max(nanos / 1000, (user + system) * TICK_MICROS) + (endedUser + endedSystem) * TICK_MICROS;
}

/** Begins to watch a process, and all that it starts: what they took since, in time and of a core. */
export function watchCpu(pid: number): () => Readonly<Record<'cpuMicros' | 'share', number>> {
  const [before, startMs] = [cpuMicrosOf(processTree(pid)), performance.now()];
  return () => {
    const cpuMicros = cpuMicrosOf(processTree(pid)) - before;
    return { cpuMicros, share: cpuMicros / 1000 / (performance.now() - startMs) };
  };
}

/** Memory of a process, bytes. A log in LMDB is a mapped file: what of it the system holds is resident, and freed when others need it. */
export interface Memory {
  /** Without mapped files. */
  readonly ownBytes: number;
  readonly residentBytes: number;
}

/** Memory of a process; `undefined` where the system does not tell. */
function memoryOf(pid: number | 'self'): Memory | undefined {
  const status = textOf(`/proc/${pid}/status`);
  const kib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  const [own, all] = [kib('RssAnon'), kib('VmRSS')];
  return Number.isNaN(own + all) ? undefined : { ownBytes: own * 1024, residentBytes: all * 1024 };
}

/** Memory of this process; where the system does not tell, all of it counts as its own. */
export function ownMemory(): Memory {
  const { rss } = process.memoryUsage();
  return memoryOf('self') ?? { ownBytes: rss, residentBytes: rss };
}

/** Resident memory of some processes, bytes, what they share counted for each; `undefined` where the system does not tell. */
export function residentBytesOf(pids: readonly number[]): number | undefined {
  const all = pids.map((pid) => memoryOf(pid)?.residentBytes);
  return all.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0);
}

function tasksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** A file of the system; empty where there is none. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

/** What else the machine does. */
export interface HostWatch {
  /** How many cores other programs kept busy in the beginning. */
  readonly busyCores: number;
  /** Which share of the CPU time that programs wanted since then the host of a virtual machine gave to others, in [0, 1]. */
  stolenShare(): number;
}

const WATCHED_MS = 500;

/** Begins to watch what others take: first for half a second in which nothing of this program runs. */
export async function watchHost(): Promise<HostWatch> {
  const [startMs, own, start] = [performance.now(), process.cpuUsage(), cpuTicks()];
  await sleep(WATCHED_MS);
  const [wallMicros, { user, system }, before] = [
    1000 * (performance.now() - startMs),
    process.cpuUsage(own),
    cpuTicks(),
  ];
  const usedMicros = (before.used - start.used) * TICK_MICROS;
  const stolenShare = () => {
    const now = cpuTicks();
    const [used, stolen] = [now.used - before.used, now.stolen - before.stolen];
    return stolen / Math.max(1, used + stolen);
  };
  return { busyCores: Math.max(0, usedMicros - user - system) / wallMicros, stolenShare };
}

/** From the first line of `/proc/stat` (user, nice, system, idle, iowait, irq, softirq, steal): what programs got, and what others. */
function cpuTicks(): Readonly<Record<'used' | 'stolen', number>> {
  const fields = /^cpu +(.*)$/m.exec(textOf('/proc/stat'))?.[1]?.split(' ').map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = fields;
  return { used: user + nice + system + irq + softirq, stolen };
}
