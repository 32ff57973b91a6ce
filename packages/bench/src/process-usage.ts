import { readdirSync, readFileSync } from 'node:fs';
import { residentMemory } from './resident-memory.ts';

/** Microseconds of a tick in `/proc/PID/stat`; USER_HZ is 100 wherever Linux runs. */
const TICK_MICROS = 10_000;

/** A process and all that descend from it; it alone where the system does not tell. */
export function processTree(pid: number): number[] {
  const children = tasksOf(pid).flatMap((task) =>
    textOf(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(processTree)];
}

/** CPU time of some processes with all their threads, microseconds; 0 of those that are gone. */
export function cpuMicrosOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
}

/** Resident memory of some processes, bytes, what they share counted for each; `undefined` where the system does not tell. */
export function residentBytesOf(pids: readonly number[]): number | undefined {
  let sum = 0;
  for (const pid of pids) {
    const memory = residentMemory(textOf(`/proc/${pid}/status`));
    if (memory === undefined) return undefined;
    sum += memory.residentBytes;
  }
  return sum;
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
  const ticks = Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  return Math.max(nanos / 1000, ticks * TICK_MICROS);
}

function tasksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
