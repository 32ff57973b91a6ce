import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Compiles one of this package's programs in C into a folder, once; `undefined` where there is no compiler.
 *
 * @param name - of the source below `src`, without its ending
 * @returns the path of the program
 */
export function compileC(name: string, folder: string): string | undefined {
  const program = join(folder, basename(name));
  if (existsSync(program)) return program;
  const source = fileURLToPath(new URL(`../../src/${name}.c`, import.meta.url));
  const compiled = spawnSync('cc', ['-O2', '-o', program, source], { encoding: 'utf8' });
  if (compiled.error) return undefined;
  if (compiled.status !== 0) throw new Error(`cc: ${compiled.stderr}`);
  return program;
}
