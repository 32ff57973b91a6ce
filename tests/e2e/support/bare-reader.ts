import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SCRIPT = fileURLToPath(new URL('./bare-reader.mjs', import.meta.url));

/** A change as the process tells it. */
interface ToldChange {
  readonly kind: string;
  readonly via: string;
  /** The change as plain JSON. */
  readonly object?: Readonly<Record<string, unknown>>;
}

/** A process that follows a stream by the browser bundle, which finds nothing of Node's own there. */
export interface BareReader {
  /** What it has read so far. */
  readonly changes: readonly ToldChange[];
  /** Waits for that many; fails when it ends before. */
  reach(count: number): Promise<void>;
  /** Ends it. */
  close(): Promise<void>;
}

/** @param folder - of the bundle */
export function bareReader(folder: string, url: string, mal: number): BareReader {
  const child = spawn(process.execPath, [SCRIPT, pathToFileURL(folder).href, url, String(mal)]);
  const changes: ToldChange[] = [];
  let errorOutput = '';
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => changes.push(JSON.parse(line)));
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk;
  });
  const ended = once(child, 'close');
  return {
    changes,
    reach: async (count) => {
      while (changes.length < count) {
        await Promise.race([once(lines, 'line'), ended]);
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${errorOutput}`);
      }
    },
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
