import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import process from 'node:process';
import { lockedPackages } from './locked-packages.mjs';

/** Runs a command with its output shown; ends this process with its exit code when it fails. */
function run(title, command, args) {
  console.log(`\n> ${title}`);
  const startedMs = Date.now();
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) {
    console.error(`> ${title}: failed`);
    process.exit(status ?? 1);
  }
  console.log(`> ${title}: ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
}

/** Installs the public client that the hand-over example, some tests and `bench replay` run beside ours. */
export function ensureLdesClient() {
  install('Install ldes-client', 'examples/hand-over/', { production: true });
}

function install(title, folder, { production }) {
  const installed = `${folder}node_modules/.package-lock.json`;
  const isNew = existsSync(installed) && statSync(`${folder}package-lock.json`).mtimeMs <= statSync(installed).mtimeMs;
  if (isNew && lockedPackages(folder, { production }).every(existsSync)) return;
  const args = ['scripts/install.mjs', ...(production ? ['--omit=dev'] : []), ...(folder ? ['--prefix', folder] : [])];
  run(title, process.execPath, args);
}

/**
 * Installs what is missing or out of date: everything, or in production what the command runs with. An installation of
 * everything is enough for both.
 */
export function ensureInstalled({ production = false } = {}) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Node ${process.versions.node} is too old: ldes-live needs 20.19 or later.`);
    process.exit(1);
  }
  install('Install dependencies', '', { production });
}

/** Installs and builds what is missing or out of date. */
export function ensureBuilt({ production = false } = {}) {
  ensureInstalled({ production });
  if (production) run('Build', process.execPath, ['scripts/build.mjs', '--without-bundle']);
  else run('Build', process.execPath, ['scripts/build.mjs']);
}
