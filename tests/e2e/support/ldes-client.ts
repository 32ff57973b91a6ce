import process from 'node:process';
import { createInterface } from 'node:readline';
import { ROOT, startProcess } from './commands.ts';

const COMMAND = `${ROOT}examples/hand-over/node_modules/ldes-client/dist/bin/cli.js`;
const VERSION = /^<([^>]+)> <http:\/\/purl\.org\/dc\/terms\/isVersionOf>/;

/** The public package `ldes-client`, unchanged, as a process of its own. */
export interface LdesClient {
  /** Version IRIs of the members that it has printed so far, in that order, repeated where it repeats them. */
  readonly members: readonly string[];
  /** What it has written to standard error. */
  readonly errorOutput: () => string;
  /** Its exit code, once everything that it printed is read. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Ends it. */
  stop(): Promise<void>;
}

/** Starts the client's command. */
export function ldesClient(...args: readonly string[]): LdesClient {
  const { child, errorOutput, ended, stop } = startProcess(process.execPath, [COMMAND, ...args]);
  const members: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const id = VERSION.exec(line)?.[1];
    if (id) members.push(id);
  });
  const closed = new Promise((resolve) => lines.on('close', resolve));
  return { members, errorOutput, ended: ended.then((code) => closed.then(() => code)), stop };
}
