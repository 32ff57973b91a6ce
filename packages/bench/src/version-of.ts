import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of the package that a module belongs to: that of the nearest folder above it that states one. */
export function versionOf(module: string): string | undefined {
  const folder = dirname(module);
  if (folder === module) return undefined;
  const description = join(folder, 'package.json');
  const text = existsSync(description) ? readFileSync(description, 'utf8') : '{}';
  return (JSON.parse(text) as { readonly version?: string }).version ?? versionOf(folder);
}
