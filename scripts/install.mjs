// `node scripts/install.mjs [--omit=dev] [--prefix FOLDER/]`: `npm ci`, and how far it is.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { lockedPackages } from './locked-packages.mjs';
import { showProgress } from './progress.mjs';

const options = { omit: { type: 'string' }, prefix: { type: 'string', default: '' } };
const { omit, prefix } = parseArgs({ options }).values;
const packages = lockedPackages(prefix, { production: omit === 'dev' });

const args = ['ci', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];
if (omit) args.push(`--omit=${omit}`);
if (prefix) args.push('--prefix', prefix);
// npm names itself to the scripts that it runs, so that the same one is used here.
const npm = process.env.npm_execpath;
const [command, ...before] = npm ? [process.execPath, npm] : ['npm'];
const installing = spawn(command, [...before, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
// npm makes the folder of each package first, and fills it when the package has come.
const end = showProgress('Install', 'packages', packages.length, () => packages.filter(existsSync).length);
installing.on('close', (code) => {
  if (code !== 0) process.exit(code ?? 1);
  end();
});
