import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../packages', import.meta.url));
const MADE_OF_SOURCE = /\.(?:js|d\.ts)(?:\.map)?$/;

/**
 * Removes what was once made of sources that are no more, and what an interrupted build left. A compiler leaves both
 * lying, and whatever lies in `dist` is published.
 */
export function removeStale() {
  for (const name of readdirSync(packages)) {
    const [dist, src] = [join(packages, name, 'dist'), join(packages, name, 'src')];
    if (!existsSync(dist)) continue;
    for (const file of readdirSync(dist, { recursive: true })) {
      // The folders of bundles are written by their own scripts.
      if (/^(?:app|browser|comunica)[\\/]/.test(file)) continue;
      const isStale = MADE_OF_SOURCE.test(file) && !existsSync(join(src, file.replace(MADE_OF_SOURCE, '.ts')));
      if (isStale || file.endsWith('.part')) rmSync(join(dist, file), { recursive: true, force: true });
    }
  }
}
