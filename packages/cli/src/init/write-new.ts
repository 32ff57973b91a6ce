import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InitCommand } from '../command-line/init-command.ts';
import { errors } from '../errors.ts';

/** A file that is to be written. */
export interface NewFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Writes files into a folder, and makes that where it is not there; none if any is there already, unless forced.
 *
 * @returns their paths, as they were asked for
 * @throws {@link StreamError} `ERR_FILE_EXISTS` - one is there
 * @throws {@link StreamError} `ERR_FILE_WRITE` - one cannot be written
 */
export async function writeNew(
  files: readonly NewFile[],
  { out, force }: Pick<InitCommand, 'out' | 'force'>,
): Promise<readonly string[]> {
  const paths = files.map(({ name }) => join(out, name));
  for (const file of force ? [] : paths) {
    if (await isThere(file)) throw errors.ERR_FILE_EXISTS({ file });
  }
  for (const [index, { text }] of files.entries()) {
    const file = paths[index] as string;
    try {
      await mkdir(out, { recursive: true });
      // Exclusive, since somebody else may have written it meanwhile.
      await writeFile(file, text, { flag: force ? 'w' : 'wx' });
    } catch (error) {
      const { code = String(error) } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' && !force) throw errors.ERR_FILE_EXISTS({ file }, error);
      throw errors.ERR_FILE_WRITE({ file, reason: code }, error);
    }
  }
  return paths;
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
