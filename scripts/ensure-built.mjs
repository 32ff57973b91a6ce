import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import process from 'node:process';

/** Runs a command with its output shown; ends this process with its exit code when it fails. */
export function run(title, command, args) {
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

/** Builds the packages, and the client for browsers. */
export function build() {
  run('Build', process.execPath, ['node_modules/typescript/bin/tsc', '--build']);
  run('Remove what is of no source', process.execPath, ['scripts/remove-stale.mjs']);
  run('Bundle for browsers', process.execPath, ['scripts/browser-bundle.mjs']);
}

/** Installs the public client that the hand-over example, some tests and `bench replay` run beside ours. */
export function ensureLdesClient() {
  install('Install ldes-client', 'examples/hand-over/');
}

function install(title, folder) {
  const installed = `${folder}node_modules/.package-lock.json`;
  if (existsSync(installed) && statSync(`${folder}package-lock.json`).mtimeMs <= statSync(installed).mtimeMs) return;
  // npm names itself to the scripts that it runs, so that the same one is used here.
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', ...(folder ? ['--prefix', folder] : [])];
  if (npm) run(title, process.execPath, [npm, ...args]);
  else run(title, 'npm', args);
}

/** Installs and builds what is missing or out of date. */
export function ensureBuilt() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Node ${process.versions.node} is too old: ldes-live needs 20.19 or later.`);
    process.exit(1);
  }
  install('Install dependencies', '');
  build();
}
