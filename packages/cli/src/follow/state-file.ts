import { open, readFile, rename, rm } from 'node:fs/promises';
import { pid } from 'node:process';
import type { FollowerState } from '@ldes-live/client';
import { errors } from '../errors.ts';

/**
 * Reads the position that an earlier run kept, and tries whether a later one can be kept there: better now than after the
 * first change.
 *
 * @returns `undefined` when there is no such file yet
 * @throws {@link StreamError} `ERR_STATE_FILE` - it cannot be read or written, or holds something else
 */
export async function readState(file: string): Promise<FollowerState | undefined> {
  let text: string;
  try {
    await (await open(partOf(file), 'w')).close();
    await rm(partOf(file));
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && path === file) return undefined;
    throw errors.ERR_STATE_FILE({ file, reason: code ?? String(error) }, error);
  }
  const state = parsed(text);
  if (state === undefined) throw errors.ERR_STATE_FILE({ file, reason: 'it holds no position of a stream' });
  return state;
}

/**
 * Keeps a position: the file holds the old one or the new one, whole, whenever the machine stops.
 *
 * @throws {@link StreamError} `ERR_STATE_FILE` - it cannot be written
 */
export async function writeState(file: string, state: FollowerState): Promise<void> {
  const part = partOf(file);
  try {
    const handle = await open(part, 'w');
    try {
      await handle.writeFile(`${JSON.stringify(state)}\n`);
      // A machine may keep the new name and yet lose what was not forced out.
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw errors.ERR_STATE_FILE({ file, reason: (error as NodeJS.ErrnoException).code ?? String(error) }, error);
  }
}

// A name of its own for each process: one would else take away what another is writing.
function partOf(file: string): string {
  return `${file}.${pid}.part`;
}

function parsed(text: string): FollowerState | undefined {
  try {
    const state = JSON.parse(text);
    const hasPosition = typeof state.cursor === 'string' || (typeof state.tree === 'object' && state.tree !== null);
    // Whether the position is one that can be gone on from is for the client to judge.
    return typeof state.url === 'string' && hasPosition ? state : undefined;
  } catch {
    return undefined;
  }
}
