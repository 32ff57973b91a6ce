import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILE } from './compact-file.ts';

/**
 * What tells the data file of a folder from another one under the same name, by device and inode; `undefined` when there is
 * none.
 */
export function fileIdentity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(join(path, DATA_FILE), { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
