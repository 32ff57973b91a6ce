import { readFileSync } from 'node:fs';

/** CPU time of a machine since it started, in ticks of its system. */
export interface CpuCounts {
  /** What its programs wanted, whether they got it or not. */
  readonly wanted: number;
  /** What of it the host of a virtual machine gave to others instead. */
  readonly withheld: number;
}

/** The counts of this machine; `undefined` where the system does not tell. */
export function thisCpuCounts(): CpuCounts | undefined {
  try {
    return readCpuCounts(readFileSync('/proc/stat', 'utf8'));
  } catch {
    return undefined;
  }
}

/** Reads the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. */
export function readCpuCounts(stat: string): CpuCounts | undefined {
  const fields = /^cpu +(.*)$/m.exec(stat)?.[1]?.split(' ').map(Number);
  if (fields === undefined || fields.length < 8) return undefined;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, withheld = 0] = fields;
  return { wanted: user + nice + system + irq + softirq + withheld, withheld };
}

/** Which share of the CPU time that was wanted between two counts was withheld, in [0, 1]. */
export function withheldShare(before: CpuCounts, after: CpuCounts): number {
  const wanted = after.wanted - before.wanted;
  return wanted > 0 ? (after.withheld - before.withheld) / wanted : 0;
}
