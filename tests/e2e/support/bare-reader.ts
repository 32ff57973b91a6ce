import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect } from 'vitest';
import { startProcess } from './commands.ts';

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
  /** Waits for that many changes; all that it has read. */
  reach(count: number): Promise<readonly ToldChange[]>;
  /** Ends it. */
  close(): Promise<void>;
}

/** @param folder - of the bundle */
export function bareReader(folder: string, url: string, mal: number): BareReader {
  const reader = startProcess(process.execPath, [SCRIPT, pathToFileURL(folder).href, url, String(mal)]);
  const lines = () => reader.output().split('\n').slice(0, -1);
  return {
    reach: async (count) => {
      await eventually(() => expect(lines().length, reader.errorOutput()).toBeGreaterThanOrEqual(count), {
        forMs: 50_000,
      });
      return lines().map((line) => JSON.parse(line) as ToldChange);
    },
    close: async () => {
      reader.child.stdin.end();
      await reader.ended;
    },
  };
}
