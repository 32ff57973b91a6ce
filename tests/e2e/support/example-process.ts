import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** An example as a process of its own, as readers of it run it. */
export interface ExampleProcess {
  /** What it has written to standard output so far. */
  readonly output: () => string;
  readonly errorOutput: () => string;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Ends it. */
  stop(): Promise<void>;
}

/** Starts an example by its path below `examples/`. */
export function startExample(path: string, ...args: readonly string[]): ExampleProcess {
  const child = spawn(process.execPath, [`${ROOT}examples/${path}`, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errorOutput] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  return {
    output: () => output,
    errorOutput: () => errorOutput,
    ended,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

/** Builds what pages load of the client: it has to be what the sources say. */
export function buildBundle(): void {
  execFileSync(process.execPath, ['scripts/browser-bundle.mjs'], { cwd: ROOT, stdio: 'ignore' });
}
