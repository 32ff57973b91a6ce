import { readdirSync, readFileSync } from 'node:fs';

/** What the system tells of a process. */
interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** CPU time of its own, and of those it started that ended, clock ticks. */
  readonly ticks: number;
}

// What Linux shows times in, whatever the kernel counts in.
const TICK_MICROS = 10_000;

/** CPU time of a process and of all below it, microseconds, to 10 ms; `undefined` where the system does not tell. */
export function treeCpuMicros(pid: number): number | undefined {
  const stats = allStats();
  return stats.some((stat) => stat.pid === pid) ? treeTicks(pid, stats) * TICK_MICROS : undefined;
}

/** Clock ticks of a process and of all below it. */
function treeTicks(root: number, stats: readonly ProcessStat[]): number {
  let ticks = 0;
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    for (const stat of stats) {
      if (stat.pid === pid) ticks += stat.ticks;
      if (stat.parent === pid) waiting.push(stat.pid);
    }
  }
  return ticks;
}

/** Reads the text of Linux's `/proc/PID/stat`; `undefined` where it is none. */
function parseStat(text: string): ProcessStat | undefined {
  // The name of the program, in brackets, may have anything in it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((field) => Number(fields[field]));
  const ticks = (user ?? 0) + (system ?? 0) + (endedUser ?? 0) + (endedSystem ?? 0);
  const pid = Number.parseInt(text, 10);
  return Number.isNaN(pid + ticks) ? undefined : { pid, parent: parent as number, ticks };
}

function allStats(): readonly ProcessStat[] {
  let names: readonly string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      return parseStat(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}
