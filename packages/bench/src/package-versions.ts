import { createRequire } from 'node:module';
import { versionOf } from './version-of.ts';

/** Versions of packages that this one depends on, by their names; without those that are not installed. */
export function packageVersions(names: readonly string[]): Readonly<Record<string, string>> {
  const { resolve } = createRequire(import.meta.url);
  const found = names.flatMap((name) => {
    const version = installed(() => versionOf(resolve(name)));
    return version === undefined ? [] : [[name, version] as const];
  });
  return Object.fromEntries(found);
}

function installed(version: () => string | undefined): string | undefined {
  try {
    return version();
  } catch {
    return undefined;
  }
}
