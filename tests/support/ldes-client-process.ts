import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(
  new URL('../../examples/hand-over/node_modules/ldes-client/dist/bin/cli.js', import.meta.url),
);
const VERSION = /^<([^>]+)> <http:\/\/purl\.org\/dc\/terms\/isVersionOf>/;

/** The public package `ldes-client`, unchanged, as a process of its own. */
export interface LdesClientProcess {
  readonly child: ChildProcess;
  /** Version IRIs of the members that it has printed so far, in that order, repeated where it repeats them. */
  readonly members: readonly string[];
  /** What it has written to standard error. */
  readonly errorOutput: () => string;
  /** Its exit code, once everything that it printed is read. */
  readonly ended: Promise<number | null>;
  /** Ends it. */
  stop(): Promise<void>;
}

/** Starts the client's command. */
export function ldesClient(...args: readonly string[]): LdesClientProcess {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const members: string[] = [];
  let errorOutput = '';
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const id = VERSION.exec(line)?.[1];
    if (id) members.push(id);
  });
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk;
  });
  const ended = Promise.all([once(child, 'close'), once(lines, 'close')]).then(([[code]]) => code as number | null);
  return {
    child,
    members,
    errorOutput: () => errorOutput,
    ended,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}
