// What scripts begin with: an installation that is complete, and packages that are built.
import process from 'node:process';
import { runNode } from './child.mjs';
import { isFilled, isInstalled, lockedPackages } from './locked-packages.mjs';

/** Runs a script with its output shown; ends this process with its exit code when it fails. */
async function run(title, args) {
  console.log(`\n> ${title}`);
  const startedMs = Date.now();
  const { code } = await runNode(args);
  if (code !== 0) {
    console.error(`> ${title}: failed`);
    process.exit(code);
  }
  console.log(`> ${title}: ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
}

/** Installs the public client that the hand-over example, some tests and `bench replay` run beside ours. */
export async function ensureLdesClient() {
  await install('Install ldes-client', 'examples/hand-over/', { production: true });
}

async function install(title, folder, { production }) {
  const packages = lockedPackages(folder);
  // Who has what development needs keeps it: an installation for production would take it away.
  const isProduction = production && !packages.some((each) => each.isDevelopment && isFilled(folder, each));
  const needed = packages.filter(({ isDevelopment }) => !(production && isDevelopment));
  if (needed.every(isInstalled(folder))) return;
  const args = [
    'scripts/install.mjs',
    ...(isProduction ? ['--omit=dev'] : []),
    ...(folder ? ['--prefix', folder] : []),
  ];
  await run(title, args);
}

/**
 * Installs what is missing or out of date: everything, or in production what the command runs with. An installation of
 * everything is enough for both.
 */
export async function ensureInstalled({ production = false } = {}) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Node ${process.versions.node} is too old: ldes-live needs 20.19 or later.`);
    process.exit(1);
  }
  await install('Install dependencies', '', { production });
}

/** Installs and builds what is missing or out of date. */
export async function ensureBuilt({ production = false } = {}) {
  await ensureInstalled({ production });
  await run('Build', ['scripts/build.mjs', ...(production ? ['--without-bundle'] : [])]);
}
