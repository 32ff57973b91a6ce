/* What the command and its processes tell each other, and where findings are kept. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from './oracle.ts';
import { seedOf } from './random.ts';

/** What a process is to do: fuzz until a time, or judge one input. */
export interface FuzzTask {
  readonly target: string;
  readonly seed: number;
  /** Epoch milliseconds. */
  readonly untilMs: number;
  /** Where findings are kept. */
  readonly folder: string;
  /** File of an input that is judged by itself. */
  readonly input?: string;
}

/** Figures since the process began. */
export interface FuzzFigures {
  readonly executions: number;
  readonly accepted: number;
  readonly refused: number;
  readonly slowestMs: number;
  /** Of processors, milliseconds. */
  readonly cpuMs: number;
  readonly corpus: number;
  readonly blocks: number;
  readonly memoryMib: number;
}

/** What was found, and the file of its input. */
export interface Finding extends Fault {
  readonly file?: string;
}

export type FuzzMessage = { readonly figures: FuzzFigures } | { readonly finding: Finding };

/** The file that holds the input which is being run, while it is. */
export function currentFile({ folder, target }: Pick<FuzzTask, 'folder' | 'target'>): string {
  return join(folder, `${target}.current`);
}

/** Writes an input and what was found by it; gives the file of the input. */
export function saved(
  { folder, target }: Pick<FuzzTask, 'folder' | 'target'>,
  fault: Fault,
  input: Uint8Array,
  about = '',
): string {
  const file = join(folder, `${target}-${seedOf(fault.key, 0).toString(16)}`);
  writeFileSync(file, input);
  writeFileSync(`${file}.txt`, `${fault.kind}: ${fault.key}\n${about}${fault.details}\n`);
  return file;
}
