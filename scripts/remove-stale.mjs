// `node scripts/remove-stale.mjs`: removes what the compiler once made of sources that are no more. It leaves that lying,
// and whatever lies in `dist` is published.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../packages', import.meta.url));
const MADE_OF_SOURCE = /\.(?:js|d\.ts)(?:\.map)?$/;

for (const name of readdirSync(packages)) {
  const [dist, src] = [join(packages, name, 'dist'), join(packages, name, 'src')];
  if (!existsSync(dist)) continue;
  for (const file of readdirSync(dist, { recursive: true })) {
    // The bundle's folder is made anew by its own script.
    if (!MADE_OF_SOURCE.test(file) || /^browser[\\/]/.test(file)) continue;
    if (!existsSync(join(src, file.replace(MADE_OF_SOURCE, '.ts')))) rmSync(join(dist, file));
  }
}
