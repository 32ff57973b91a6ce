import os from 'node:os';

/** Where a figure was measured. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  /** GiB, rounded. */
  readonly memoryGib: number;
  readonly platform: string;
  readonly node: string;
}

/** This machine, as reports name it. */
export function thisMachine(): Machine {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model.trim() ?? 'unknown',
    cores: cpus.length,
    memoryGib: Math.round(os.totalmem() / 1024 ** 3),
    platform: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
  };
}
