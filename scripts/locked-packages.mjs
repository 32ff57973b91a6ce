import { readFileSync } from 'node:fs';

/**
 * The `package.json` of each package that `npm ci` installs in a folder by its lock: in production those alone that need
 * no development. What is optional is left out: it depends on the platform, and on the version of npm.
 */
export function lockedPackages(folder, { production }) {
  const { packages } = JSON.parse(readFileSync(`${folder}package-lock.json`, 'utf8'));
  return Object.entries(packages)
    .filter(([path, { link, optional }]) => path.includes('node_modules/') && !link && !optional)
    .filter(([, { dev, devOptional }]) => !production || !(dev || devOptional))
    .map(([path]) => `${folder}${path}/package.json`);
}
