import { existsSync, readFileSync } from 'node:fs';

/** A package that a lock names. @typedef {{ path: string, version: string, isDevelopment: boolean }} LockedPackage */

/**
 * The packages that `npm ci` installs in a folder by its lock. What is optional is left out: it depends on the platform,
 * and on the version of npm.
 *
 * @returns {LockedPackage[]}
 */
export function lockedPackages(folder) {
  return Object.entries(packagesOf(`${folder}package-lock.json`))
    .filter(([path, { link, optional }]) => path.includes('node_modules/') && !link && !optional)
    .map(([path, { version, dev, devOptional }]) => ({ path, version, isDevelopment: Boolean(dev || devOptional) }));
}

/** Whether the folder of a package is filled: npm makes it first, and its manifest when the package has come. */
export function isFilled(folder, { path }) {
  return existsSync(`${folder}${path}/package.json`);
}

/** Whether an installation that ended has a package, in its version. Times of files say nothing: a checkout sets them. */
export function isInstalled(folder) {
  const noted = notedPackages(`${folder}node_modules/.package-lock.json`);
  return (locked) => noted[locked.path]?.version === locked.version && isFilled(folder, locked);
}

// npm writes it in the end. Half of it, where npm was killed just then, counts as none.
function notedPackages(file) {
  try {
    return packagesOf(file);
  } catch {
    return {};
  }
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}
