import type { Readable, Writable } from 'node:stream';

/** Where a command writes: a stream that may be a terminal, of so many characters a line, and so many lines. */
export type CliOutput = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

/** Where a command reads what a person types: a stream that may be a terminal. */
export type CliInput = Readable & { readonly isTTY?: boolean };

/** The parts of Node's `process` that the command uses. */
export interface CliProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin?: CliInput;
  readonly stdout: CliOutput;
  readonly stderr: CliOutput;
  /** Processor time since the start, microseconds. */
  cpuUsage(): { readonly user: number; readonly system: number };
  on(signal: CliSignal, listener: () => void): unknown;
  off(signal: CliSignal, listener: () => void): unknown;
}

export type CliSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The world as a command sees it. */
export interface Environment extends Pick<CliProcess, 'env' | 'stdin' | 'stdout' | 'stderr'> {
  /** Aborted when the person at the terminal, or the machine, asks for the end. */
  readonly interrupted: AbortSignal;
  /** The present, epoch milliseconds. */
  readonly clock: () => number;
  readonly random: () => number;
  /** Processor time since the start, microseconds; absent where nobody counts it. */
  readonly cpuUsage?: CliProcess['cpuUsage'];
  /** Has a listener called when the configuration is to be read again, until the function that it returns is called. */
  readonly onReload?: (listener: () => void) => () => void;
}
